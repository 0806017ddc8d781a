import { closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, indentOnInput, indentUnit } from '@codemirror/language';
import { lintKeymap } from '@codemirror/lint';
import { Annotation, Compartment, EditorState, type Extension } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { type RefObject, useEffect, useId, useImperativeHandle, useLayoutEffect, useRef } from 'react';
import { editor } from '../strings/editor.ts';
import styles from './code-editor.module.css';
import { type Complete, completions } from './completion.ts';
import { find } from './find.ts';
import { type Language, languageExtension } from './language.ts';
import { type CodeProblem, offsetOf, problemMarks, redrawProblems } from './problems.ts';
import { editorTheme } from './theme.ts';

export interface EditorHandle {
  /** Scrolls to a position and focuses the editor unless `keepFocus` is set. Lines and columns count from 1. */
  reveal(line: number, column?: number, options?: { keepFocus?: boolean }): void;
  /** Inserts a text at the cursor. */
  insert(text: string): void;
}

interface CodeEditorProps {
  value: string;
  onChange?(value: string): void;
  language: Language;
  label: string;
  readOnly?: boolean;
  complete?: Complete;
  problems?: readonly CodeProblem[];
  /** In pixels; the height follows the text between the two. */
  minHeight?: number;
  maxHeight?: number;
  handle?: RefObject<EditorHandle | null>;
  /** Called when the person moves the cursor by a key, a click or typing. Offsets count from 0. */
  onCursor?(at: number): void;
}

/** Marks a text that the page set: `onChange` is not called for it. */
const fromPage = Annotation.define<boolean>();
const none: readonly CodeProblem[] = [];

/**
 * A code field. `value` belongs to the page: typing calls `onChange`, and a new value keeps the cursor. Another
 * document needs another React key, so that undo does not lead from one document into the other.
 */
export function CodeEditor(props: CodeEditorProps) {
  const {
    value,
    language,
    label,
    readOnly = false,
    problems = none,
    minHeight = 80,
    maxHeight = 520,
  } = props;
  const hintId = useId();
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const parts = useRef({ language: new Compartment(), access: new Compartment() });
  const latest = useRef(props);
  useLayoutEffect(() => {
    latest.current = props;
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: created once; the effects below pass later changes on
  useLayoutEffect(() => {
    const parent = place.current;
    if (!parent) return;
    const made = new EditorView({
      parent,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: [
          fixed,
          parts.current.language.of(speaking(language, latest)),
          parts.current.access.of(access(label, readOnly, hintId)),
          EditorView.updateListener.of((update) => {
            const isOurs = update.transactions.every((each) => each.annotation(fromPage));
            if (update.docChanged && !isOurs) latest.current.onChange?.(update.state.doc.toString());
            if (update.selectionSet && !isOurs) latest.current.onCursor?.(update.state.selection.main.head);
          }),
        ],
      }),
    });
    view.current = made;
    return () => {
      made.destroy();
      view.current = null;
    };
  }, []);

  useEffect(() => {
    view.current?.dispatch({
      effects: [
        parts.current.language.reconfigure(speaking(language, latest)),
        parts.current.access.reconfigure(access(label, readOnly, hintId)),
      ],
    });
  }, [language, label, readOnly, hintId]);

  useLayoutEffect(() => {
    if (view.current) replaceText(view.current, value);
  }, [value]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: new problems are drawn at once
  useEffect(() => {
    if (view.current) redrawProblems(view.current);
  }, [problems]);

  useImperativeHandle(props.handle, () => handleOf(view), []);

  return (
    <>
      <div
        ref={place}
        className={styles.editor}
        data-editor={label}
        style={{ '--min-height': `${minHeight}px`, '--max-height': `${maxHeight}px` } as React.CSSProperties}
      />
      <span id={hintId} className="visually-hidden">
        {editor.keys}
      </span>
    </>
  );
}

const fixed: Extension = [
  lineNumbers(),
  highlightActiveLineGutter(),
  highlightActiveLine(),
  history(),
  drawSelection(),
  indentOnInput(),
  indentUnit.of('  '),
  bracketMatching(),
  closeBrackets(),
  EditorView.lineWrapping,
  EditorState.phrases.of(editor.phrases),
  find,
  // Tab is not bound: it leaves the field, as everywhere else. Ctrl-] and Ctrl-[ indent.
  keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap]),
  editorTheme,
];

function speaking(language: Language, latest: RefObject<CodeEditorProps>): Extension {
  return [
    languageExtension(language),
    completions(language, () => latest.current.complete),
    problemMarks(language, () => latest.current.problems ?? none),
  ];
}

function access(label: string, readOnly: boolean, hintId: string): Extension {
  return [
    EditorState.readOnly.of(readOnly),
    EditorView.contentAttributes.of({
      'aria-label': label,
      'aria-describedby': hintId,
      // Explicit, for accessibility checks of scrollable regions.
      tabindex: '0',
      spellcheck: 'false',
      ...(readOnly ? { 'aria-readonly': 'true' } : {}),
    }),
  ];
}

/** Replaces only the changed range, so that the cursor and the scroll position stay. */
function replaceText(view: EditorView, next: string): void {
  const former = view.state.doc.toString();
  if (former === next) return;
  let start = 0;
  const shorter = Math.min(former.length, next.length);
  while (start < shorter && former[start] === next[start]) start += 1;
  let end = 0;
  while (end < shorter - start && former[former.length - 1 - end] === next[next.length - 1 - end]) end += 1;
  view.dispatch({
    changes: { from: start, to: former.length - end, insert: next.slice(start, next.length - end) },
    annotations: fromPage.of(true),
  });
}

function handleOf(view: RefObject<EditorView | null>): EditorHandle {
  return {
    reveal(line, column, options) {
      const at = view.current;
      if (!at) return;
      const anchor = offsetOf(at.state, line, column);
      at.dispatch({
        selection: { anchor },
        effects: EditorView.scrollIntoView(anchor, { y: 'center' }),
        annotations: fromPage.of(true),
      });
      if (!options?.keepFocus) at.focus();
    },
    insert(text) {
      const at = view.current;
      if (!at || at.state.readOnly) return;
      at.dispatch(at.state.replaceSelection(text), { userEvent: 'input' });
      at.focus();
    },
  };
}
