import { useMemo, useRef } from 'react';
import { workflows } from '../../../strings/workflows.ts';
import { type Body, readBody, writeBody } from '../definition.ts';
import { type ParsedText, parseText, positionOf } from './json-text.ts';
import { type FoundProblem, joinProblems, type Problem, problemsIn, standingProblems } from './problems.ts';

const { editor } = workflows;

export interface Draft {
  text: string;
  isDirty: boolean;
  /** The last text that could be read: what is drawn. */
  body: Body;
  parsed: ParsedText;
  /** Why the text is not what is drawn; null when it is. */
  broken: { message: string; line: number; column: number } | null;
  problems: Problem[];
  setText(text: string): void;
  /** Edits the steps; the text follows. */
  change(edit: (body: Body) => Body): void;
}

/** The text of a body that is being edited; `saved` is what the service has. */
export function useDraft(
  text: string,
  saved: string | null,
  setText: (text: string) => void,
  found: FoundProblem[],
): Draft {
  const parsed = useMemo(() => parseText(text), [text]);
  const read = useMemo(() => (parsed.ok ? readBody(parsed.value) : null), [parsed]);
  const lastGood = useRef<Body>({ steps: [] });
  if (read) lastGood.current = read;
  const body = read ?? lastGood.current;
  const problems = useMemo(
    () => joinProblems(problemsIn(body.steps), standingProblems(found, body.steps)),
    [body, found],
  );
  return {
    text,
    isDirty: text !== saved,
    body,
    parsed,
    broken: read ? null : whyBroken(text, parsed),
    problems,
    setText,
    change: (edit) => setText(writeBody(edit(body))),
  };
}

function whyBroken(text: string, parsed: ParsedText): Draft['broken'] {
  if (parsed.ok) return { message: editor.noSteps, line: 1, column: 1 };
  const { line, column } = positionOf(text, parsed.at);
  const message = parsed.message === 'ended' ? editor.endedJson : editor.brokenJson(line, column);
  return { message, line, column };
}
