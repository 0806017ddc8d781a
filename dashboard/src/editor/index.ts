/** The code editor and the diff view of templates and workflows. */
export { CodeEditor, type CodeEditorProps, type EditorHandle } from './code-editor.tsx';
export type { Complete, Completion, CompletionRequest } from './completion.ts';
export { DiffView } from './diff-view.tsx';
export type { JsonCursor } from './json-path.ts';
export type { Language } from './language.ts';
export type { CodeProblem } from './problems.ts';
