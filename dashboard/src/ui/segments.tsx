import { type ReactNode, useId } from 'react';
import styles from './segments.module.css';

interface Segment<Value extends string> {
  value: Value;
  label: ReactNode;
}

/** A choice of a few values that applies at once. Radio buttons underneath: arrow keys move between them. */
export function Segments<Value extends string>(props: {
  label: string;
  options: readonly Segment<Value>[];
  value: Value;
  onChange(value: Value): void;
}) {
  const { label, options, value, onChange } = props;
  const name = useId();
  return (
    <fieldset className={styles.segments}>
      <legend className="visually-hidden">{label}</legend>
      {options.map((option) => (
        <label key={option.value} className={styles.segment}>
          <input
            type="radio"
            className="visually-hidden"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  );
}
