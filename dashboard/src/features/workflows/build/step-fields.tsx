import { workflows } from '../../../strings/workflows.ts';
import { Field, Input, Select, Textarea } from '../../../ui/index.ts';
import { endTarget, type Step, textOf } from '../definition.ts';
import type { Names } from './complete.ts';
import { setField } from './edit.ts';
import { JsonValueField } from './json-field.tsx';

const { panel } = workflows;

export interface FieldsProps {
  step: Step;
  steps: readonly Step[];
  names: Names;
  disabled: boolean;
  onChange(step: Step): void;
  /** Returns the problem of a field. */
  errorOf(field: string): string | null;
}

export function TextField(
  props: FieldsProps & { name: string; label: string; hint?: string; mono?: boolean; area?: boolean },
) {
  const { step, name, label, hint, mono = false, area, disabled, onChange, errorOf } = props;
  const control = {
    value: textOf(step[name]),
    disabled,
    mono,
    onChange: (event: { target: { value: string } }) => onChange(setField(step, name, event.target.value)),
  };
  return (
    <Field label={label} hint={hint} error={errorOf(name)}>
      {area ? <Textarea rows={3} {...control} /> : <Input {...control} />}
    </Field>
  );
}

export function ObjectField(props: FieldsProps & { name: string; label: string; hint?: string }) {
  const { step, name, label, hint, disabled, onChange, errorOf } = props;
  return (
    <JsonValueField
      label={label}
      {...(hint === undefined ? {} : { hint })}
      value={step[name]}
      disabled={disabled}
      error={errorOf(name)}
      onChange={(value) => onChange(setField(step, name, value))}
    />
  );
}

/** Selects another step or the end; `empty` describes the default. */
export function TargetField(props: FieldsProps & { name: string; label: string; empty: string }) {
  const { step, steps, name, label, empty, disabled, onChange, errorOf } = props;
  return (
    <Field label={label} error={errorOf(name)}>
      <Select
        value={textOf(step[name])}
        disabled={disabled}
        onChange={(event) => onChange(setField(step, name, event.target.value))}
      >
        <option value="">{empty}</option>
        <Targets steps={steps} value={textOf(step[name])} />
      </Select>
    </Field>
  );
}

export function Targets({ steps, value }: { steps: readonly Step[]; value: string }) {
  const ids = [...new Set([...steps.map(({ id }) => id), ...(value === endTarget ? [] : [value])])];
  return (
    <>
      {ids
        .filter((id) => id !== '' && id !== endTarget)
        .map((id) => (
          <option key={id}>{id}</option>
        ))}
      <option value={endTarget}>{panel.end}</option>
    </>
  );
}

export function ChoiceField(
  props: FieldsProps & {
    name: string;
    label: string;
    empty: string;
    choices: readonly string[];
    text?(value: string): string;
  },
) {
  const { step, name, label, empty, choices, text = String, disabled, onChange, errorOf } = props;
  const value = textOf(step[name]);
  const all = choices.includes(value) || value === '' ? choices : [value, ...choices];
  return (
    <Field label={label} error={errorOf(name)}>
      <Select
        value={value}
        disabled={disabled}
        onChange={(event) => onChange(setField(step, name, event.target.value))}
      >
        {empty !== '' && <option value="">{empty}</option>}
        {all.map((choice) => (
          <option key={choice} value={choice}>
            {text(choice)}
          </option>
        ))}
      </Select>
    </Field>
  );
}
