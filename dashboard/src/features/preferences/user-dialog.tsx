import type { User, UserInput } from '@carillon/sdk';
import { useState } from 'react';
import { useWrite } from '../../api/queries.ts';
import { common } from '../../strings/common.ts';
import { users } from '../../strings/preferences.ts';
import { Field, FormDialog, Input, ZoneInput } from '../../ui/index.ts';
import styles from './preferences.module.css';

const text = users.dialog;
const fields = ['name', 'email', 'phone', 'locale', 'timezone', 'chatone_user_id'] as const;
type FieldName = (typeof fields)[number];

/** Edits the user `id`, stored or not; without an id it asks for one. */
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

  return (
    <FormDialog
      onClose={onClose}
      title={id === null ? text.addTitle : text.editTitle(id)}
      description={text.hint}
      invalid={isIdMissing}
      onSubmit={() => save.mutate()}
      submit={common.save}
      busy={save.isPending}
      error={save.error}
    >
      {id === null && (
        <Field
          label={text.id}
          hint={text.idHint}
          name="externalUserId"
          problem={isIdMissing && text.idNeeded}
        >
          <Input mono value={newId} maxLength={255} onChange={(event) => setNewId(event.target.value)} />
        </Field>
      )}
      <Field label={text.name} name="name">
        <Input {...input('name')} maxLength={200} dir="auto" />
      </Field>
      <div className={styles.pair}>
        <Field label={text.email} name="email">
          <Input {...input('email', 'email')} maxLength={320} />
        </Field>
        <Field label={text.phone} hint={text.phoneHint} name="phone">
          <Input {...input('phone', 'tel')} maxLength={32} />
        </Field>
        <Field label={text.locale} hint={text.localeHint} name="locale">
          <Input {...input('locale')} maxLength={35} />
        </Field>
        <Field label={text.timezone} hint={text.timezoneHint} name="timezone">
          <ZoneInput value={values.timezone} onChange={(timezone) => setValues({ ...values, timezone })} />
        </Field>
      </div>
      <Field label={text.chatone} hint={text.chatoneHint} name="chatone_user_id">
        <Input {...input('chatone_user_id')} mono maxLength={64} />
      </Field>
    </FormDialog>
  );
}
