import { Radio } from '../../ui/index.ts';
import styles from './settings.module.css';

/** Chooses how long the former secret stays valid, in seconds. */
export function TimeChoice(props: {
  label: string;
  choices: Record<string, string>;
  value: string;
  onChange(value: string): void;
}) {
  const { label, choices, value, onChange } = props;
  return (
    <fieldset className={styles.group}>
      <legend>{label}</legend>
      {Object.entries(choices).map(([seconds, name]) => (
        <Radio
          key={seconds}
          name="time"
          label={name}
          checked={value === seconds}
          onChange={() => onChange(seconds)}
        />
      ))}
    </fieldset>
  );
}
