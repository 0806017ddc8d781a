import type { Suppression } from '@carillon/sdk';
import { useState } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { useWrite } from '../../api/queries.ts';
import { suppressions as text } from '../../strings/suppressions.ts';
import { ConfirmDialog, Field, Input, Notice, Stack } from '../../ui/index.ts';
import { ReasonBadge } from './reason.tsx';

/** The warning depends on the reason: removing a bounce or complaint is risky. */
export function RemoveDialog({ suppression, onClose }: { suppression: Suppression; onClose(): void }) {
  const { address, reason } = suppression;
  const { kind } = useEnvironment();
  const [note, setNote] = useState('');
  const given = note.trim() === '' ? {} : { note: note.trim() };
  const remove = useWrite((api) => api.suppressions.remove(address, given), {
    changes: [['suppressions']],
    done: text.removed(address),
    quiet: true,
    onDone: onClose,
  });
  const isRisky = reason !== 'manual_add';
  return (
    <ConfirmDialog
      onClose={onClose}
      title={text.removeTitle(address)}
      confirm={text.removeConfirm}
      onConfirm={() => remove.mutate()}
      busy={remove.isPending}
      error={remove.error}
      danger={isRisky}
      {...(kind === 'live' && isRisky ? { word: address } : {})}
    >
      <Stack>
        <div>
          <ReasonBadge reason={reason} />
        </div>
        {isRisky ? (
          <Notice tone="amber">{text.removeTexts[reason]}</Notice>
        ) : (
          <p>{text.removeTexts[reason]}</p>
        )}
        <Field label={text.why} hint={text.whyHint} name="note">
          <Input value={note} maxLength={500} onChange={(event) => setNote(event.target.value)} />
        </Field>
      </Stack>
    </ConfirmDialog>
  );
}
