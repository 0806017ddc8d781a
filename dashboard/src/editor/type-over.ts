import { EditorView } from '@codemirror/view';

/**
 * Liquid closes `{%` by itself with `%}`, which has to be typed over as other brackets are: whoever wrote the whole of
 * `{% if a %}` would have `{% if a %}%}`.
 */
export const typeOverTagEnd = EditorView.inputHandler.of((view, from, to, text) => {
  const around = view.state.sliceDoc(from - 1, from + 2);
  const isOver = text === '%' ? around.endsWith('%}') : text === '}' && around.startsWith('%}');
  if (!isOver || from !== to || view.state.selection.ranges.length > 1) return false;
  view.dispatch({ selection: { anchor: from + 1 }, scrollIntoView: true, userEvent: 'select' });
  return true;
});
