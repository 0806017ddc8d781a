import type { BulkAction, BulkPreview, ListNotificationsParams, RedriveRequest } from '@carillon/sdk';
import { useState } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { useRead, useWrite } from '../../api/queries.ts';
import { notifications } from '../../strings/notifications.ts';
import { ConfirmDialog, Dialog, formatCount, Loaded } from '../../ui/index.ts';
import styles from './bulk-bar.module.css';

const text = notifications.bulk;

interface BulkDialogProps {
  action: BulkAction['action'];
  params: ListNotificationsParams;
  onClose(): void;
}

/** Shows what an action would do, and starts it. */
export function BulkDialog({ action, params, onClose }: BulkDialogProps) {
  const { kind } = useEnvironment();
  const words = text[action];
  const filter = filterOf(action, params);
  const [openedAt] = useState(() => Date.now()); // an earlier preview shows what matched then
  const preview = useRead(['bulk-preview', action, filter, openedAt], (api, signal) =>
    api.notifications[action]({ filter }, { signal }),
  );
  const start = useWrite(
    (api, confirm_token: string) => api.notifications[action]({ filter, confirm_token }),
    { changes: [['bulk-actions']], onDone: onClose },
  );
  const { data } = preview;
  if (!data || data.count === 0)
    return (
      <Dialog open title={words.title} onOpenChange={onClose}>
        <Loaded query={preview}>{() => text.none}</Loaded>
      </Dialog>
    );
  const count = text.amount(formatCount(data.count), data.count, data.count_is_exact);
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={words.title}
      confirm={words.confirm(count)}
      cancel={text.back}
      onConfirm={() => start.mutate(data.confirm_token)}
      busy={start.isPending}
      danger={action === 'cancel'}
      {...(kind === 'live' ? { word: words.word } : {})}
    >
      <p>{words.question(count)}</p>
      {filter.all && <p>{words.everything}</p>}
      <Sample preview={data} />
    </ConfirmDialog>
  );
}

function Sample({ preview: { sample, count } }: { preview: BulkPreview }) {
  return (
    <>
      {sample.length < count && <p>{text.newest}</p>}
      <ul className={styles.sample} aria-label={text.sample}>
        {sample.map(({ id, recipient, template_key, last_error }) => (
          <li key={id}>
            <bdi>{recipient ?? notifications.erasedRecipient}</bdi>
            <bdi className={styles.quiet}>{last_error ?? template_key}</bdi>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The filters of the list; the status of a cancellation is always queued. */
function filterOf(action: BulkAction['action'], { status, ...rest }: ListNotificationsParams) {
  const isNarrow = Object.values(rest).some(Boolean);
  return {
    ...rest,
    ...(action === 'redrive' ? { status } : {}),
    ...(isNarrow ? {} : { all: true }),
  } as RedriveRequest['filter'];
}
