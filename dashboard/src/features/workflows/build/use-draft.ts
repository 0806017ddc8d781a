import { useMemo, useRef } from 'react';
import { workflows } from '../../../strings/workflows.ts';
import { type Body, readBody, writeBody } from '../definition.ts';
import { type ParsedText, parseText, positionOf } from './json-text.ts';
import { type FoundProblem, joinProblems, type Problem, problemsIn, standingProblems } from './problems.ts';

const { editor } = workflows;

export interface Draft {
  text: string;
  isDirty: boolean;
  /** The last valid text, which the graph shows. */
  body: Body;
  parsed: ParsedText;
  /** The syntax error of the text; null when the graph is up to date. */
  broken: { message: string; line: number; column: number } | null;
  problems: Problem[];
  setText(text: string): void;
  /** Edits the steps and rewrites the text. */
  change(edit: (body: Body) => Body): void;
}

/** The edited text of a body; `saved` is the text of the service. */
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
