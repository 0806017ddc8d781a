/** The code editor and the diff view of templates and workflows. */
export { CodeEditor, type EditorHandle } from './code-editor.tsx';
export type { Complete, Completion } from './completion.ts';
export { DiffView } from './diff-view.tsx';
export type { Language } from './language.ts';
