/** Code, edited and compared: templates and workflows use these. */
export { CodeEditor, type CodeEditorProps, type EditorHandle } from './code-editor.tsx';
export type { Complete, Completion, CompletionPlace } from './completion.ts';
export { DiffView } from './diff-view.tsx';
export type { JsonPlace } from './json-place.ts';
export type { Language } from './language.ts';
export type { CodeProblem } from './problems.ts';
