import { useState } from 'react';
import { workflows } from '../../../strings/workflows.ts';
import { Field, Textarea } from '../../../ui/index.ts';
import { isObject } from '../definition.ts';

/** Parses a JSON object; `error` is null for a valid text. Empty text is an empty object. */
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

/** A `JsonField` of an external value: calls `onChange` for valid text only, and never discards typed text. */
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
  // The value changed elsewhere, for example in the JSON editor.
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
