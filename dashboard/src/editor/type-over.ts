import { EditorView } from '@codemirror/view';

/**
 * Liquid inserts `%}` after `{%`. Typing `%}` then moves over it, as with other brackets; otherwise typing `{% if a %}`
 * would give `{% if a %}%}`.
 */
export const typeOverTagEnd = EditorView.inputHandler.of((view, from, to, text) => {
  const around = view.state.sliceDoc(from - 1, from + 2);
  const isOver = text === '%' ? around.endsWith('%}') : text === '}' && around.startsWith('%}');
  if (!isOver || from !== to || view.state.selection.ranges.length > 1) return false;
  view.dispatch({ selection: { anchor: from + 1 }, scrollIntoView: true, userEvent: 'select' });
  return true;
});
