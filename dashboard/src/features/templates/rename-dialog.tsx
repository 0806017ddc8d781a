import { useState } from 'react';
import { common } from '../../strings/common.ts';
import { templates as text } from '../../strings/templates.ts';
import { Button, Dialog, Field, Input } from '../../ui/index.ts';

export function RenameDialog(props: { name: string; onRename(name: string): void; onClose(): void }) {
  const [name, setName] = useState(props.name);
  const rename = () => {
    if (name.trim() === '') return;
    props.onRename(name.trim());
    props.onClose();
  };
  return (
    <Dialog
      open
      onOpenChange={props.onClose}
      title={text.renameTitle}
      onSubmit={rename}
      foot={
        <>
          <Button onClick={props.onClose}>{common.cancel}</Button>
          <Button type="submit" variant="primary" disabled={name.trim() === ''}>
            {text.rename}
          </Button>
        </>
      }
    >
      <Field label={text.nameField}>
        <Input value={name} maxLength={200} dir="auto" onChange={(event) => setName(event.target.value)} />
      </Field>
    </Dialog>
  );
}
