import type { PushRing } from '@carillon/sdk';
import { ring as text } from '../strings/ring.ts';
import { Field, Input, Select } from './field.tsx';

/** An empty mode inherits the setting. */
export interface RingDraft {
  mode: PushRing['mode'] | '';
  seconds: string;
}

const modes = ['always', 'unseen', 'never'] as const;
const defaultSeconds = 30;
const maxSeconds = 86_400;

export function ringDraftOf(ring: PushRing | null): RingDraft {
  return { mode: ring?.mode ?? '', seconds: String(ring?.after_seconds ?? defaultSeconds) };
}

export function ringOf({ mode, seconds }: RingDraft): PushRing | null {
  if (mode === '') return null;
  return { mode, after_seconds: mode === 'unseen' ? Number(seconds) : null };
}

export function isRingWrong({ mode, seconds }: RingDraft): boolean {
  const isRight = /^\d+$/.test(seconds) && Number(seconds) >= 1 && Number(seconds) <= maxSeconds;
  return mode === 'unseen' && !isRight;
}

/** When items ring the devices of their user; `name` is the field of the request. */
export function RingFields(props: {
  name: string;
  draft: RingDraft;
  /** Names the setting that decides when this one is empty; without it, a mode is required. */
  inherit?: string;
  hint?: string;
  disabled?: boolean;
  onChange(draft: RingDraft): void;
}) {
  const { name, draft, inherit, hint, disabled, onChange } = props;
  return (
    <>
      <Field label={text.mode} hint={hint} name={`${name}.mode`}>
        <Select
          value={draft.mode}
          disabled={disabled}
          onChange={(event) => onChange({ ...draft, mode: event.target.value as RingDraft['mode'] })}
        >
          {inherit !== undefined && <option value="">{inherit}</option>}
          {modes.map((mode) => (
            <option key={mode} value={mode}>
              {text.modes[mode]}
            </option>
          ))}
        </Select>
      </Field>
      {draft.mode === 'unseen' && (
        <Field
          label={text.seconds}
          hint={text.secondsHint}
          name={`${name}.after_seconds`}
          problem={isRingWrong(draft) && text.secondsWrong}
        >
          <Input
            inputMode="numeric"
            maxLength={5}
            disabled={disabled}
            value={draft.seconds}
            onChange={(event) => onChange({ ...draft, seconds: event.target.value.trim() })}
          />
        </Field>
      )}
    </>
  );
}
