import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  pickedCompletion,
} from '@codemirror/autocomplete';
import { htmlCompletionSource } from '@codemirror/lang-html';
import type { Extension } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import { type JsonCursor, jsonCursor } from './json-path.ts';
import { hasLiquid, isJson, type Language } from './language.ts';

export type { Completion };

interface CompletionRequest {
  /** The text up to the cursor. */
  before: string;
  /** The typed part of the word at the cursor. */
  word: string;
  /** True between `{{` and `}}`, or `{%` and `%}`. */
  inLiquid: boolean;
  /** The path of the cursor in JSON. */
  path?: (string | number)[];
  /** The kind of token expected at the cursor in JSON. */
  kind?: 'key' | 'value';
}

/**
 * Returns the completions at the cursor. In JSON (outside Liquid) an entry without `apply` is inserted as a string with
 * its quotes, and a property name with its colon.
 */
export type Complete = (request: CompletionRequest) => Completion[];

/** The list opens automatically after these, and after a letter. */
const opening = /["'.]$|\{[{%]-?\s*$|\|\s*$/;

export function completions(language: Language, getComplete: () => Complete | undefined): Extension {
  const source = (context: CompletionContext): CompletionResult | null => {
    const complete = getComplete();
    if (!complete) return null;
    const before = context.state.sliceDoc(0, context.pos);
    // The patterns are matched against the end only: on a long text they would try every start.
    const near = before.slice(-200);
    const word = /[\w$-]*$/.exec(near)?.[0] ?? '';
    if (!context.explicit && word === '' && !opening.test(near)) return null;
    const inLiquid = hasLiquid(language) && isInLiquid(before);
    const json = isJson(language) && !inLiquid ? jsonCursor(context.state.sliceDoc(), context.pos) : null;
    const options = complete({
      before,
      word,
      inLiquid,
      ...(json ? { path: json.path, kind: json.kind } : {}),
    });
    if (options.length === 0) return null;
    return {
      from: context.pos - word.length,
      options: json ? options.map((option) => asJson(option, json)) : options,
      validFor: /^[\w$-]*$/,
    };
  };
  return autocompletion({
    override: language === 'html' ? [source, htmlOutsideLiquid] : [source],
    icons: false,
    maxRenderedOptions: 60,
  });
}

function htmlOutsideLiquid(context: CompletionContext): CompletionResult | null {
  return isInLiquid(context.state.sliceDoc(0, context.pos)) ? null : htmlCompletionSource(context);
}

function isInLiquid(before: string): boolean {
  const open = Math.max(before.lastIndexOf('{{'), before.lastIndexOf('{%'));
  return open !== -1 && !/[}%]/.test(before.slice(open + 2));
}

function asJson(option: Completion, place: JsonCursor): Completion {
  if (option.apply !== undefined) return option;
  return {
    ...option,
    apply(view: EditorView, picked: Completion, from: number, to: number) {
      const text = JSON.stringify(option.label);
      const start = place.quoteAt ?? from;
      const end = view.state.sliceDoc(to, to + 1) === '"' ? to + 1 : to;
      const hasColon = /^\s*:/.test(view.state.sliceDoc(end, end + 40));
      const insert = place.kind === 'key' && !hasColon ? `${text}: ` : text;
      view.dispatch({
        changes: { from: start, to: end, insert },
        selection: { anchor: start + insert.length },
        annotations: pickedCompletion.of(picked),
        userEvent: 'input.complete',
      });
    },
  };
}
