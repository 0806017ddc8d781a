import { StateEffect, StateField } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  type EditorView,
  keymap,
  type Panel,
  showPanel,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import { editor } from '../strings/editor.ts';

/** Searches all lines: the search of the browser sees only those that are rendered. */
const setFind = StateEffect.define<string | null>();

/** The search term; null while the panel is closed. */
const finding = StateField.define<string | null>({
  create: () => null,
  update(value, { effects }) {
    for (const effect of effects) if (effect.is(setFind)) return effect.value;
    return value;
  },
  provide: (field) => showPanel.from(field, (value) => (value === null ? null : createPanel)),
});

const mark = Decoration.mark({ class: 'cm-found' });
const maxMarks = 500;

const marks = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = marksOf(view);
    }
    update(update: ViewUpdate) {
      const isOther = update.startState.field(finding) !== update.state.field(finding);
      if (isOther || update.docChanged) this.decorations = marksOf(update.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

function placesOf(view: EditorView): number[] {
  const wanted = view.state.field(finding)?.toLowerCase() ?? '';
  if (wanted === '') return [];
  const text = view.state.doc.toString().toLowerCase();
  const places: number[] = [];
  let at = text.indexOf(wanted);
  while (at !== -1 && places.length < maxMarks) {
    places.push(at);
    at = text.indexOf(wanted, at + wanted.length);
  }
  return places;
}

function marksOf(view: EditorView): DecorationSet {
  const length = view.state.field(finding)?.length ?? 0;
  const last = view.state.doc.length;
  return Decoration.set(
    placesOf(view)
      .filter((from) => from + length <= last)
      .map((from) => mark.range(from, from + length)),
  );
}

function createPanel(view: EditorView): Panel {
  const dom = document.createElement('div');
  dom.className = 'cm-find';
  const input = document.createElement('input');
  input.type = 'search';
  input.setAttribute('aria-label', editor.find);
  input.placeholder = editor.find;
  input.value = view.state.field(finding) ?? '';
  const count = document.createElement('output');
  const go = (step: 1 | -1) => {
    const places = placesOf(view);
    const from = view.state.selection.main.from;
    const next = step === 1 ? places.find((at) => at > from) : places.findLast((at) => at < from);
    select(next ?? (step === 1 ? places[0] : places.at(-1)));
  };
  const select = (at: number | undefined) => {
    const places = placesOf(view);
    count.textContent = editor.found(at === undefined ? 0 : places.indexOf(at) + 1, places.length);
    if (at === undefined) return;
    view.dispatch({ selection: { anchor: at, head: at + input.value.length }, scrollIntoView: true });
  };
  input.addEventListener('input', () => {
    view.dispatch({ effects: setFind.of(input.value) });
    const from = view.state.selection.main.from;
    const places = placesOf(view);
    select(places.find((at) => at >= from) ?? places[0]);
  });
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') {
      event.preventDefault();
      go(event.shiftKey ? -1 : 1);
    }
    if (event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      close(view);
    }
  });
  dom.append(
    input,
    count,
    button(editor.findFormer, () => go(-1)),
    button(editor.findNext, () => go(1)),
    button(editor.phrases.close ?? '', () => close(view)),
  );
  return {
    dom,
    top: true,
    mount() {
      input.focus();
      input.select();
    },
  };
}

function button(label: string, onClick: () => void): HTMLButtonElement {
  const element = document.createElement('button');
  element.type = 'button';
  element.textContent = label;
  element.addEventListener('click', onClick);
  return element;
}

function open(view: EditorView): boolean {
  const { from, to } = view.state.selection.main;
  const selected = view.state.sliceDoc(from, to);
  const isOneLine = selected !== '' && !selected.includes('\n');
  const former = view.state.field(finding);
  view.dispatch({ effects: setFind.of(isOneLine ? selected : (former ?? '')) });
  if (former !== null) view.dom.querySelector<HTMLElement>('.cm-find input')?.focus();
  return true;
}

function close(view: EditorView): boolean {
  if (view.state.field(finding) === null) return false;
  view.dispatch({ effects: setFind.of(null) });
  view.focus();
  return true;
}

export const find = [
  finding,
  marks,
  keymap.of([
    { key: 'Mod-f', run: open },
    { key: 'Escape', run: close },
  ]),
];
