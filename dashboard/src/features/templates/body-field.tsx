import { useEffect, useMemo, useRef } from 'react';
import { CodeEditor, type Complete, type EditorHandle } from '../../editor/index.ts';
import { templates as text } from '../../strings/templates.ts';
import { type BodyField, type BodyLocation, fieldLanguages } from './content.ts';
import type { BodyProblem } from './problem.ts';
import styles from './templates.module.css';

const heights: Record<BodyField, { minHeight: number; maxHeight: number }> = {
  subject_template: { minHeight: 38, maxHeight: 120 },
  html_template: { minHeight: 280, maxHeight: 560 },
  text_template: { minHeight: 110, maxHeight: 360 },
  structured_template: { minHeight: 280, maxHeight: 560 },
};

export function BodyFieldEditor(props: {
  place: BodyLocation;
  field: BodyField;
  value: string;
  readOnly: boolean;
  complete: Complete;
  problem: BodyProblem | null;
  /** The editors of the panel by field. */
  register: Map<BodyField, EditorHandle>;
  onChange(value: string): void;
}) {
  const { place, field, value, readOnly, complete, problem, register, onChange } = props;
  const handle = useRef<EditorHandle | null>(null);
  useEffect(() => {
    if (handle.current) register.set(field, handle.current);
    return () => {
      register.delete(field);
    };
  }, [field, register]);
  const marks = useMemo(
    () => (problem?.line ? [{ line: problem.line, column: problem.column, message: problem.message }] : []),
    [problem?.line, problem?.column, problem?.message],
  );
  const hint = text.hints[place.channel]?.[field];
  return (
    <div className={styles.field}>
      <span className={styles.fieldLabel}>{text.field(field)}</span>
      <CodeEditor
        value={value}
        onChange={onChange}
        language={fieldLanguages[field]}
        label={text.fieldOf(place.channel, place.locale, field)}
        readOnly={readOnly}
        complete={complete}
        problems={marks}
        handle={handle}
        {...heights[field]}
      />
      {problem ? (
        <p className={styles.error} role="alert">
          {problem.message}
        </p>
      ) : (
        hint && <p className={styles.hint}>{hint}</p>
      )}
    </div>
  );
}
