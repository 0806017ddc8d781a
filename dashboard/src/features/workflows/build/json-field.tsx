import { useState } from 'react';
import { workflows } from '../../../strings/workflows.ts';
import { Field, Textarea } from '../../../ui/index.ts';
import { isObject } from '../definition.ts';

/** JSON text and what is wrong with it; null: nothing. Empty text stands for nothing at all. */
export function readObject(text: string): { value: Record<string, unknown>; error: string | null } {
  if (text.trim() === '') return { value: {}, error: null };
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? { value, error: null } : { value: {}, error: workflows.panel.notObject };
  } catch {
    return { value: {}, error: workflows.panel.badJson };
  }
}

export const pretty = (value: unknown): string => JSON.stringify(value, null, 2) ?? '';

/** A small piece of JSON in a form. */
export function JsonField(props: {
  label: string;
  hint?: string;
  text: string;
  onChange(text: string): void;
  name?: string;
  error?: string | null | undefined;
  disabled?: boolean;
  rows?: number;
}) {
  const { label, hint, text, onChange, name, error, disabled, rows = 6 } = props;
  return (
    <Field label={label} hint={hint} {...(name ? { name } : {})} error={readObject(text).error ?? error}>
      <Textarea
        mono
        rows={rows}
        value={text}
        disabled={disabled}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  );
}

/** The same for a value that lives elsewhere: told only while it can be read, and what is typed is never taken away. */
export function JsonValueField(props: {
  label: string;
  hint?: string;
  value: unknown;
  onChange(value: Record<string, unknown> | undefined): void;
  error?: string | null;
  disabled?: boolean;
}) {
  const { label, hint, value, onChange, error, disabled } = props;
  const outside = value === undefined ? '' : pretty(value);
  const [state, setState] = useState({ outside, text: outside });
  // The value changed by another way, in the JSON of the whole for example.
  if (state.outside !== outside) {
    const isSame = pretty(readObject(state.text).value) === outside;
    setState({ outside, text: isSame ? state.text : outside });
  }
  return (
    <JsonField
      label={label}
      {...(hint === undefined ? {} : { hint })}
      text={state.text}
      rows={3}
      error={error}
      {...(disabled === undefined ? {} : { disabled })}
      onChange={(text) => {
        const read = readObject(text);
        const next = text.trim() === '' ? undefined : read.value;
        setState({ outside: read.error ? outside : next === undefined ? '' : pretty(next), text });
        if (!read.error) onChange(next);
      }}
    />
  );
}
