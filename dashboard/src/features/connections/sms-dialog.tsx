import type { SmsSettings, SmsSettingsRequest } from '@carillon/sdk';
import { useState } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { useWrite } from '../../api/queries.ts';
import { sms as text } from '../../strings/connections.ts';
import { Checkbox, Field, FormDialog, Input, Radio } from '../../ui/index.ts';
import styles from './connections.module.css';

type Kind = keyof typeof text.kinds;
const kinds = Object.keys(text.kinds) as Kind[];

const credentials = {
  managed: [],
  smsone: ['smsone_account_sid', 'smsone_auth_token'],
  smstwo: ['smstwo_api_key', 'smstwo_api_secret', 'smstwo_signature_secret'],
} as const satisfies Record<Kind, readonly (keyof SmsSettingsRequest)[]>;
/** Account names are not secret to the person who types them. */
const names: readonly string[] = ['smsone_account_sid', 'smstwo_api_key'];
type Credential = (typeof credentials)[Kind][number];

export function SmsDialog({ settings, onClose }: { settings: SmsSettings | null; onClose(): void }) {
  const { environment } = useEnvironment();
  const savedKind = kinds.find((each) => each === settings?.kind.toLowerCase()) ?? null;
  const [kind, setKind] = useState<Kind>(savedKind ?? 'managed');
  const [fromNumber, setFromNumber] = useState(settings?.from_number ?? '');
  const [senderId, setSenderId] = useState(settings?.from_sender_id ?? '');
  // Values of all kinds are kept, so that switching the kind loses nothing.
  const [secrets, setSecrets] = useState<Partial<Record<Credential, string>>>({});
  const [isUnsigned, setUnsigned] = useState(false);
  const fields: readonly Credential[] = credentials[kind];
  const save = useWrite(
    (api) => {
      const given = fields
        .map((field): [string, string] => [field, secrets[field]?.trim() ?? ''])
        .filter(([, value]) => value !== '');
      return api.smsSettings.replace(environment.id, {
        kind,
        // The operator sets the sender of the managed provider.
        ...(kind === 'managed'
          ? {}
          : { from_number: fromNumber.trim() || null, from_sender_id: senderId.trim() || null }),
        ...Object.fromEntries(given),
        ...(kind === 'smstwo' && isUnsigned ? { smstwo_signature_secret: '' } : {}),
      });
    },
    {
      changes: [['sms-settings'], ['overview']],
      done: (saved) => (saved.credentials_validated ? text.saved : text.savedRefused),
      quiet: true,
      onDone: onClose,
    },
  );
  return (
    <FormDialog
      onClose={onClose}
      title={text.setUp}
      description={text.checked}
      onSubmit={() => save.mutate()}
      submit={text.save}
      busy={save.isPending}
      error={save.error}
    >
      <fieldset className={styles.group}>
        <legend>{text.kind}</legend>
        {kinds.map((each) => (
          <Radio
            key={each}
            name="kind"
            label={text.kinds[each]}
            hint={text.kindHints[each]}
            checked={kind === each}
            onChange={() => setKind(each)}
          />
        ))}
      </fieldset>
      {kind !== 'managed' && (
        <>
          {fields.map((field) => (
            <Field
              key={field}
              label={text.fields[field]?.[0] ?? field}
              hint={kind === savedKind ? text.kept : text.fields[field]?.[1]}
              name={field}
            >
              <Input
                mono
                type={names.includes(field) ? 'text' : 'password'}
                autoComplete={names.includes(field) ? 'off' : 'new-password'}
                maxLength={200}
                value={secrets[field] ?? ''}
                onChange={(event) => setSecrets({ ...secrets, [field]: event.target.value })}
              />
            </Field>
          ))}
          {kind === 'smstwo' && savedKind === kind && (
            <Checkbox
              label={text.unsigned}
              hint={text.unsignedHint}
              checked={isUnsigned}
              onChange={(event) => setUnsigned(event.target.checked)}
            />
          )}
          <Field label={text.fromNumber} hint={text.fromNumberHint} name="from_number">
            <Input type="tel" value={fromNumber} onChange={(event) => setFromNumber(event.target.value)} />
          </Field>
          <Field label={text.fromSenderId} hint={text.fromSenderIdHint} name="from_sender_id">
            <Input value={senderId} maxLength={20} onChange={(event) => setSenderId(event.target.value)} />
          </Field>
        </>
      )}
    </FormDialog>
  );
}
