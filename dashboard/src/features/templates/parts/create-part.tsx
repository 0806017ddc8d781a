import { type ReactNode, useState } from 'react';
import { useCan } from '../../../api/environment.tsx';
import { common } from '../../../strings/common.ts';
import { parts as text } from '../../../strings/parts.ts';
import { Button, Field, FormDialog, Input } from '../../../ui/index.ts';

/** The button of a list, and its dialog with a key and the fields of the kind. */
export function CreatePart(props: {
  label: string;
  keyLabel?: string;
  keyHint?: string;
  error: unknown;
  isPending: boolean;
  onCreate(key: string): void;
  children?: ReactNode;
}) {
  const { label, keyLabel = text.key, keyHint = text.keyHint, error, isPending, onCreate, children } = props;
  const canWrite = useCan('templates:write');
  const [isOpen, setOpen] = useState(false);
  const [key, setKey] = useState('');
  return (
    <>
      <Button
        variant="primary"
        icon="plus"
        disabled={!canWrite}
        title={canWrite ? undefined : common.viewerOnly}
        onClick={() => setOpen(true)}
      >
        {label}
      </Button>
      {isOpen && (
        <FormDialog
          onClose={() => setOpen(false)}
          title={label}
          onSubmit={() => onCreate(key.trim())}
          submit={common.create}
          busy={isPending}
          disabled={key.trim() === ''}
          error={error}
        >
          <Field label={keyLabel} hint={keyHint} name="key">
            <Input mono value={key} maxLength={100} onChange={(event) => setKey(event.target.value)} />
          </Field>
          {children}
        </FormDialog>
      )}
    </>
  );
}
