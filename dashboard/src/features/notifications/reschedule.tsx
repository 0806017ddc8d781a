import type { Notification } from '@carillon/sdk';
import { useState } from 'react';
import { errorOf, useWrite } from '../../api/queries.ts';
import { common } from '../../strings/common.ts';
import { notifications } from '../../strings/notifications.ts';
import { Button, Dialog, describeError, Field, Input, localZone, Notice } from '../../ui/index.ts';
import { isoOf, localOf } from './local-time.ts';

const text = notifications.actions;

/** Another time for one that is still queued, or none: then it goes out now. */
export function Reschedule({ notification, onClose }: { notification: Notification; onClose(): void }) {
  const [local, setLocal] = useState(() =>
    localOf(notification.send_at ?? new Date(Date.now() + 3_600_000).toISOString()),
  );
  const update = useWrite(
    (api, sendAt: string | null) => api.notifications.update(notification.id, { send_at: sendAt }),
    { changes: [['notifications']], done: text.rescheduled, onDone: onClose, quiet: true },
  );
  const beside = errorOf(update.error, 'send_at');
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={text.rescheduleTitle}
      onSubmit={() => isoOf(local) !== '' && update.mutate(isoOf(local))}
      foot={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button icon="send" disabled={update.isPending} onClick={() => update.mutate(null)}>
            {text.sendNow}
          </Button>
          <Button type="submit" variant="primary" busy={update.isPending}>
            {common.save}
          </Button>
        </>
      }
    >
      {update.error && !beside && <Notice tone="red">{describeError(update.error).text}</Notice>}
      <Field label={text.sendAt} hint={text.sendAtHint(localZone)} error={beside}>
        <Input type="datetime-local" value={local} onChange={(event) => setLocal(event.target.value)} />
      </Field>
    </Dialog>
  );
}
