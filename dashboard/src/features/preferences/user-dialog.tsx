import type { User, UserInput } from '@carillon/sdk';
import { useState } from 'react';
import { errorOf, useWrite } from '../../api/queries.ts';
import { common } from '../../strings/common.ts';
import { users } from '../../strings/preferences.ts';
import { Button, Dialog, Field, FormError, Input } from '../../ui/index.ts';
import styles from './preferences.module.css';
import { ZoneInput } from './zone-input.tsx';

const text = users.dialog;
const fields = ['name', 'email', 'phone', 'locale', 'timezone', 'chatone_user_id'] as const;
type FieldName = (typeof fields)[number];

/** With an id it edits that user, whether stored or not; without one it asks for it. */
export function UserDialog(props: {
  id: string | null;
  user: User | null;
  onClose(): void;
  onSaved?(id: string): void;
}) {
  const { id, user, onClose, onSaved } = props;
  const [newId, setNewId] = useState('');
  const [values, setValues] = useState(
    () =>
      Object.fromEntries(fields.map((field) => [field, user?.[field] ?? ''])) as Record<FieldName, string>,
  );
  const [wasTried, setTried] = useState(false);
  const wantedId = id ?? newId.trim();
  const save = useWrite(
    (api) => {
      const input: UserInput = Object.fromEntries(
        fields.map((field) => [field, values[field].trim() || null]),
      );
      return api.users.replace(wantedId, input);
    },
    {
      changes: [['users']],
      done: common.saved,
      quiet: true,
      onDone: () => {
        onClose();
        onSaved?.(wantedId);
      },
    },
  );
  const isIdMissing = wantedId === '';
  const input = (field: FieldName, type = 'text') => ({
    type,
    value: values[field],
    onChange: (event: { target: { value: string } }) => setValues({ ...values, [field]: event.target.value }),
  });
  const error = (field: FieldName) => errorOf(save.error, field);

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={id === null ? text.addTitle : text.editTitle(id)}
      description={text.hint}
      onSubmit={() => {
        setTried(true);
        if (!isIdMissing) save.mutate();
      }}
      foot={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" variant="primary" busy={save.isPending}>
            {common.save}
          </Button>
        </>
      }
    >
      <FormError error={save.error} besides={[...fields, 'externalUserId']} />
      {id === null && (
        <Field
          label={text.id}
          hint={text.idHint}
          error={errorOf(save.error, 'externalUserId') ?? (wasTried && isIdMissing ? text.idNeeded : null)}
        >
          <Input mono value={newId} maxLength={255} onChange={(event) => setNewId(event.target.value)} />
        </Field>
      )}
      <Field label={text.name} error={error('name')}>
        <Input {...input('name')} maxLength={200} dir="auto" />
      </Field>
      <div className={styles.pair}>
        <Field label={text.email} error={error('email')}>
          <Input {...input('email', 'email')} maxLength={320} />
        </Field>
        <Field label={text.phone} hint={text.phoneHint} error={error('phone')}>
          <Input {...input('phone', 'tel')} maxLength={32} />
        </Field>
        <Field label={text.locale} hint={text.localeHint} error={error('locale')}>
          <Input {...input('locale')} maxLength={35} />
        </Field>
        <Field label={text.timezone} hint={text.timezoneHint} error={error('timezone')}>
          <ZoneInput value={values.timezone} onChange={(timezone) => setValues({ ...values, timezone })} />
        </Field>
      </div>
      <Field label={text.chatone} hint={text.chatoneHint} error={error('chatone_user_id')}>
        <Input {...input('chatone_user_id')} mono maxLength={64} />
      </Field>
    </Dialog>
  );
}
