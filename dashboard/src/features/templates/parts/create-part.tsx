import type { Client } from '@carillon/sdk';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useCan, useEnvironment } from '../../../api/environment.tsx';
import { useWrite } from '../../../api/queries.ts';
import { common } from '../../../strings/common.ts';
import { parts as text } from '../../../strings/parts.ts';
import { Button, Field, FormDialog, Input } from '../../../ui/index.ts';
import type { PartPath } from './sections.tsx';

/** Another one with the key must stay as it is. Not repeated: a second try would meet what the first created. */
const createOnly = { headers: { 'If-None-Match': '*' }, max_retries: 0 };

/** The button of a list, and its dialog with a key and the fields of the kind. Opens the page of the new part. */
export function CreatePart(props: {
  path: PartPath;
  keyLabel?: string;
  keyHint?: string;
  /** Returns the key as the service writes it. */
  create(api: Client, key: string, options: typeof createOnly): Promise<string>;
  children?: ReactNode;
}) {
  const { path, keyLabel = text.key, keyHint = text.keyHint, children } = props;
  const { kind } = useEnvironment();
  const canWrite = useCan('templates:write');
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const [key, setKey] = useState('');
  const create = useWrite((api) => props.create(api, key.trim(), createOnly), {
    changes: [[path]],
    quiet: true,
    onDone: (created) => void navigate({ to: `/${kind}/${path}/${encodeURIComponent(created)}` }),
  });
  const label = text[path].create;
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
          onSubmit={() => create.mutate()}
          submit={common.create}
          busy={create.isPending}
          disabled={key.trim() === ''}
          error={create.error}
        >
          <Field label={keyLabel} hint={keyHint} name={['key', 'locale']}>
            <Input mono value={key} maxLength={100} onChange={(event) => setKey(event.target.value)} />
          </Field>
          {children}
        </FormDialog>
      )}
    </>
  );
}
