import { chain } from '../../strings/connections.ts';
import { Button, Checkbox, Field, Input, Select, Textarea } from '../../ui/index.ts';
import type { FieldValue } from './chain-draft.ts';
import styles from './connections.module.css';
import type { ConfigField } from './provider-kinds.ts';

const text = chain.dialog;

/** One setting of a provider. A secret is write-only: a stored one shows only its last characters. */
export function ConfigInput(props: {
  field: ConfigField;
  value: FieldValue;
  stored: string | null;
  error: string | null;
  problem: string | false;
  onChange(value: FieldValue): void;
}) {
  const { field, value, stored, error, problem, onChange } = props;
  if (field.type === 'boolean') {
    return (
      <Checkbox
        label={field.label}
        hint={field.hint}
        checked={value === true}
        onChange={(event) => onChange(event.target.checked)}
      />
    );
  }
  if (field.options.length > 0) {
    return (
      <Field label={field.label} hint={field.hint} error={error} problem={problem}>
        <Select
          value={typeof value === 'string' ? value : ''}
          onChange={(event) => onChange(event.target.value)}
        >
          <option value="">{text.byDefault}</option>
          {field.options.map((option) => (
            <option key={option} value={option}>
              {option}
            </option>
          ))}
        </Select>
      </Field>
    );
  }
  if (field.multiline || field.type === 'map') {
    const hint = field.type === 'map' ? `${field.hint} ${text.mapHint}` : field.hint;
    return (
      <Field label={field.label} hint={hint} error={error} problem={problem}>
        <Textarea
          mono
          rows={field.multiline ? 8 : 3}
          spellCheck={false}
          value={typeof value === 'string' ? value : ''}
          onChange={(event) => onChange(event.target.value)}
        />
      </Field>
    );
  }
  const isCleared = stored !== null && value === null;
  const canClear = stored !== null && !field.required;
  const hint = stored === null ? field.hint : isCleared ? text.cleared : text.kept(stored);
  return (
    <Field label={field.label} hint={hint} error={error} problem={problem}>
      <div className={styles.withButton}>
        <Input
          mono
          type={field.secret ? 'password' : 'text'}
          autoComplete={field.secret ? 'new-password' : 'off'}
          inputMode={field.type === 'integer' ? 'numeric' : undefined}
          value={typeof value === 'string' ? value : ''}
          disabled={isCleared}
          placeholder={stored !== null && !isCleared ? text.keptPlaceholder : undefined}
          onChange={(event) => onChange(event.target.value)}
        />
        {canClear && (
          <Button onClick={() => onChange(isCleared ? undefined : null)}>
            {isCleared ? text.keep : text.clear}
          </Button>
        )}
      </div>
    </Field>
  );
}
