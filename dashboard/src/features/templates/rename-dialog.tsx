import { useState } from 'react';
import { templates as text } from '../../strings/templates.ts';
import { Field, FormDialog, Input } from '../../ui/index.ts';

export function RenameDialog(props: { name: string; onRename(name: string): void; onClose(): void }) {
  const [name, setName] = useState(props.name);
  const rename = () => {
    if (name.trim() === '') return;
    props.onRename(name.trim());
    props.onClose();
  };
  return (
    <FormDialog
      onClose={props.onClose}
      title={text.renameTitle}
      onSubmit={rename}
      submit={text.rename}
      disabled={name.trim() === ''}
    >
      <Field label={text.nameField}>
        <Input value={name} maxLength={200} dir="auto" onChange={(event) => setName(event.target.value)} />
      </Field>
    </FormDialog>
  );
}
