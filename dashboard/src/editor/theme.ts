import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** The colours are the variables of the page, so that dark mode needs no second theme. */
const theme = EditorView.theme({
  '&': { backgroundColor: 'var(--surface)', color: 'var(--text)', fontSize: '13px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6', overflow: 'auto' },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0 12px 0 6px' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground, .cm-content ::selection':
    { backgroundColor: 'var(--accent-soft)' },
  '.cm-gutters': {
    backgroundColor: 'var(--sunken)',
    color: 'var(--text-3)',
    border: 'none',
    borderRight: '1px solid var(--border)',
  },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 8px 0 10px' },
  '.cm-gutter-lint': { width: '1.1em' },
  '.cm-gutter-lint .cm-gutterElement': { padding: '3px 0 0 2px' },
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLine': {
    backgroundColor: 'color-mix(in srgb, var(--accent-soft) 45%, transparent)',
  },
  '.cm-activeLineGutter': { backgroundColor: 'transparent', color: 'var(--text)' },
  '&.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--green-soft)',
    outline: '1px solid var(--green)',
  },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--red-soft)' },
  '.cm-tooltip': {
    zIndex: 60,
    border: '1px solid var(--border)',
    borderRadius: 'var(--radius-small)',
    backgroundColor: 'var(--surface)',
    color: 'var(--text)',
    boxShadow: 'var(--shadow-high)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--mono)',
    fontSize: '12.5px',
    maxHeight: '260px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '4px 10px', lineHeight: '1.4' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent)',
    color: 'var(--on-accent)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected] .cm-completionDetail': {
    color: 'var(--on-accent)',
  },
  '.cm-completionDetail': { color: 'var(--text-3)', fontStyle: 'normal', marginLeft: '12px' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-completionInfo': { padding: '8px 10px', maxWidth: '320px', fontFamily: 'var(--sans)' },
  '.cm-diagnostic': { padding: '6px 10px', fontFamily: 'var(--sans)', fontSize: '13px' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--red)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--amber)' },
  '.cm-lintRange-error': { backgroundImage: 'none', borderBottom: '2px dotted var(--red)' },
  '.cm-lintRange-warning': { backgroundImage: 'none', borderBottom: '2px dotted var(--amber)' },
  '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--text)', borderColor: 'var(--border)' },
  '.cm-found': { backgroundColor: 'var(--amber-soft)', outline: '1px solid var(--amber)' },
  '.cm-find': { display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '8px', padding: '6px 8px' },
  '.cm-find input': {
    minWidth: '0',
    flex: '1 1 140px',
    minHeight: '28px',
    padding: '2px 8px',
    border: '1px solid var(--border-strong)',
    borderRadius: 'var(--radius-small)',
    background: 'var(--surface)',
    color: 'var(--text)',
  },
  '.cm-find button': {
    minHeight: '28px',
    padding: '0 10px',
    border: '1px solid var(--border-strong)',
    borderRadius: 'var(--radius-small)',
    background: 'var(--surface)',
    color: 'var(--text)',
    cursor: 'pointer',
  },
  '.cm-find output': { fontFamily: 'var(--sans)', fontSize: '12.5px', color: 'var(--text-2)' },
  // In a diff the sign in front repeats the meaning of the colour.
  '.cm-changedLine, &.cm-merge-b .cm-changedLine, .cm-insertedLine': { backgroundColor: 'var(--green-soft)' },
  '&.cm-merge-a .cm-changedLine, .cm-deletedChunk, .cm-deletedLine': { backgroundColor: 'var(--red-soft)' },
  '.cm-changedText, &.cm-merge-b .cm-changedText, .cm-insertedLine .cm-changedText': {
    background: 'none',
    borderBottom: '2px solid var(--green)',
  },
  '&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText': {
    background: 'none',
    borderBottom: '2px solid var(--red)',
  },
  '.cm-deletedChunk': { paddingLeft: '6px' },
  '.cm-deletedLine, .cm-deletedLine del, .cm-insertedLine': { textDecoration: 'none' },
  '.cm-changedLineGutter, &.cm-merge-b .cm-changedLineGutter': { background: 'var(--green)' },
  '&.cm-merge-a .cm-changedLineGutter, .cm-deletedLineGutter': { background: 'var(--red)' },
  '.cm-collapsedLines': {
    padding: '5px 12px',
    background: 'var(--sunken)',
    color: 'var(--text-2)',
    fontFamily: 'var(--sans)',
  },
  // Few fonts have the default sign.
  '.cm-collapsedLines::before, .cm-collapsedLines::after': { content: '"…"' },
});

const colours = HighlightStyle.define([
  {
    tag: [tags.keyword, tags.controlKeyword, tags.definitionKeyword, tags.operatorKeyword],
    color: 'var(--violet)',
  },
  { tag: tags.brace, color: 'var(--violet)' },
  { tag: [tags.variableName, tags.propertyName], color: 'var(--accent-text)' },
  { tag: tags.function(tags.variableName), color: 'var(--amber)' },
  { tag: [tags.string, tags.attributeValue], color: 'var(--green)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--amber)' },
  { tag: [tags.tagName, tags.angleBracket], color: 'var(--blue)' },
  { tag: tags.attributeName, color: 'var(--text-2)' },
  { tag: [tags.comment, tags.lineComment, tags.blockComment], color: 'var(--text-3)', fontStyle: 'italic' },
  { tag: [tags.punctuation, tags.separator, tags.squareBracket], color: 'var(--text-2)' },
]);

export const editorTheme: Extension = [theme, syntaxHighlighting(colours)];
