import { jsonParseLinter } from '@codemirror/lang-json';
import { type Diagnostic, forceLinting, linter, lintGutter } from '@codemirror/lint';
import { type EditorState, type Extension, StateEffect } from '@codemirror/state';
import type { EditorView, ViewUpdate } from '@codemirror/view';
import type { Language } from './language.ts';

export interface CodeProblem {
  /** Counts from 1. */
  line: number;
  column: number;
  message: string;
  severity?: 'error' | 'warning';
}

const checkJson = jsonParseLinter();
const problemsChanged = StateEffect.define<null>();

/** Marks the problems of the page and, in plain JSON, the first syntax error. */
export function problemMarks(language: Language, getProblems: () => readonly CodeProblem[]): Extension {
  const check = (view: EditorView): Diagnostic[] => {
    const known = getProblems().map((problem) => diagnosticOf(view.state, problem));
    const isEmpty = view.state.doc.length === 0;
    return language === 'json' && !isEmpty ? [...known, ...checkJson(view)] : known;
  };
  const needsRefresh = ({ transactions }: ViewUpdate) =>
    transactions.some(({ effects }) => effects.some((effect) => effect.is(problemsChanged)));
  return [linter(check, { delay: 250, needsRefresh }), lintGutter()];
}

/** Redraws the marks after the problems of the page have changed. */
export function redrawProblems(view: EditorView): void {
  view.dispatch({ effects: problemsChanged.of(null) });
  forceLinting(view);
}

function diagnosticOf(state: EditorState, problem: CodeProblem): Diagnostic {
  const from = offsetOf(state, problem.line, problem.column);
  const line = state.doc.lineAt(from);
  const rest = line.text.slice(from - line.from);
  // The mark covers the tag or word that starts there; at the end of a line, its last character.
  const length = /^(?:\{[{%].*?[}%]\}|[\w.$]+|.)/.exec(rest)?.[0].length ?? 0;
  return {
    from: length === 0 ? Math.max(line.from, from - 1) : from,
    to: Math.min(line.to, from + length),
    severity: problem.severity ?? 'error',
    message: problem.message,
  };
}

export function offsetOf(state: EditorState, line: number, column = 1): number {
  const at = state.doc.line(Math.min(Math.max(1, line), state.doc.lines));
  return Math.min(at.to, at.from + Math.max(0, column - 1));
}
