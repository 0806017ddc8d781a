import type { Notification } from '@carillon/sdk';
import { useState } from 'react';
import { useWrite } from '../../api/queries.ts';
import { common } from '../../strings/common.ts';
import { notifications } from '../../strings/notifications.ts';
import { Button, Field, FormDialog, Input, isoOf, localOf, localZone } from '../../ui/index.ts';

const text = notifications.actions;

/** Changes the time of a queued notification, or sends it now. */
export function Reschedule({ notification, onClose }: { notification: Notification; onClose(): void }) {
  const [local, setLocal] = useState(() =>
    localOf(notification.send_at ?? new Date(Date.now() + 3_600_000).toISOString()),
  );
  const update = useWrite(
    (api, sendAt: string | null) => api.notifications.update(notification.id, { send_at: sendAt }),
    { changes: [['notifications']], done: text.rescheduled, onDone: onClose, quiet: true },
  );
  return (
    <FormDialog
      onClose={onClose}
      title={text.rescheduleTitle}
      invalid={isoOf(local) === ''}
      onSubmit={() => update.mutate(isoOf(local))}
      submit={common.save}
      busy={update.isPending}
      actions={
        <Button icon="send" disabled={update.isPending} onClick={() => update.mutate(null)}>
          {text.sendNow}
        </Button>
      }
      error={update.error}
    >
      <Field label={text.sendAt} hint={text.sendAtHint(localZone)} name="send_at">
        <Input type="datetime-local" value={local} onChange={(event) => setLocal(event.target.value)} />
      </Field>
    </FormDialog>
  );
}
