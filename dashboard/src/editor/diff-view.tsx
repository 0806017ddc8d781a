import { MergeView, unifiedMergeView } from '@codemirror/merge';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { editor } from '../strings/editor.ts';
import { Checkbox } from '../ui/index.ts';
import styles from './code-editor.module.css';
import { type Language, languageExtension } from './language.ts';
import { editorTheme } from './theme.ts';

interface DiffViewProps {
  before: string;
  after: string;
  language: Language;
  label: string;
  /** The names of the two sides; "before" and "after" by default. */
  names?: { before: string; after: string };
}

/** The differences of two texts: side by side, or inline in a narrow window. */
export function DiffView({ before, after, language, label, names = editor }: DiffViewProps) {
  const place = useRef<HTMLDivElement>(null);
  const isNarrow = useNarrow();
  const [onlyChanges, setOnlyChanges] = useState(true);
  const isSame = before === after;
  useEffect(() => {
    const parent = place.current;
    if (!parent || isSame) return;
    const collapse = onlyChanges ? { collapseUnchanged: { margin: 3, minSize: 6 } } : {};
    const side = (name: string) => reading(language, editor.sideOf(label, name));
    if (isNarrow) {
      const unified = unifiedMergeView({
        original: before,
        mergeControls: false,
        ...collapse,
      });
      const view = new EditorView({ parent, doc: after, extensions: [side(names.after), unified] });
      return () => view.destroy();
    }
    const view = new MergeView({
      parent,
      a: { doc: before, extensions: side(names.before) },
      b: { doc: after, extensions: side(names.after) },
      ...collapse,
    });
    return () => view.destroy();
  }, [before, after, language, label, names.before, names.after, isNarrow, onlyChanges, isSame]);

  if (isSame) return <p>{editor.same}</p>;
  return (
    <div className={styles.diff}>
      <div className={styles.diffHead}>
        {isNarrow && <span>{editor.fromTo(names.before, names.after)}</span>}
        {isLong(before, after) && (
          <Checkbox
            label={editor.onlyChanges}
            checked={onlyChanges}
            onChange={(event) => setOnlyChanges(event.target.checked)}
          />
        )}
      </div>
      {!isNarrow && (
        <div className={styles.sides}>
          <span>{names.before}</span>
          <span>{names.after}</span>
        </div>
      )}
      <div ref={place} className={styles.view} />
    </div>
  );
}

function reading(language: Language, label: string): Extension {
  return [
    lineNumbers(),
    languageExtension(language),
    EditorState.readOnly.of(true),
    EditorState.phrases.of(editor.phrases),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': 'true' }),
    editorTheme,
  ];
}

/** Short texts have nothing to collapse. */
function isLong(...texts: string[]): boolean {
  return texts.some((text) => text.split('\n').length > 10);
}

const narrow = matchMedia('(max-width: 820px)');

function useNarrow(): boolean {
  return useSyncExternalStore(
    (listener) => {
      narrow.addEventListener('change', listener);
      return () => narrow.removeEventListener('change', listener);
    },
    () => narrow.matches,
  );
}
