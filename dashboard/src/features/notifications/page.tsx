import type { Notification, Trace } from '@carillon/sdk';
import { useParams } from '@tanstack/react-router';
import { useEnvironment } from '../../api/environment.tsx';
import { useRead } from '../../api/queries.ts';
import { common } from '../../strings/common.ts';
import { notifications } from '../../strings/notifications.ts';
import { Loaded, Notice, Page, StatusBadge } from '../../ui/index.ts';
import { Actions } from './actions.tsx';
import { Attachments } from './attachments.tsx';
import { Facts } from './facts.tsx';
import { Message } from './message.tsx';
import { More } from './more.tsx';
import styles from './page.module.css';
import { Timeline } from './timeline.tsx';
import { verdictOf } from './verdict.ts';
import { Why } from './why.tsx';

const text = notifications.detail;

export default function NotificationPage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const { kind } = useEnvironment();
  const notification = useRead(
    ['notifications', id],
    (api, signal) => api.notifications.get(id, { signal }),
    { everyMs: (last) => last !== undefined && paceOf(last) },
  );
  const { data } = notification;
  const trail = [{ label: notifications.title, to: `/${kind}/notifications` }];
  if (!data) {
    return (
      <Page title={text.untitled(common.product)} trail={trail}>
        <Loaded query={notification}>{() => null}</Loaded>
      </Page>
    );
  }
  return (
    <Page
      title={titleOf(data)}
      aside={<StatusBadge status={data.status} />}
      trail={trail}
      description={
        <bdi>
          {text.to(common.channel(data.channel), data.recipient.address ?? notifications.erasedRecipient)}
        </bdi>
      }
      actions={<Actions notification={data} />}
    >
      <Story notification={data} />
    </Page>
  );
}

function Story({ notification }: { notification: Notification }) {
  const trace = useTrace(notification);
  const verdict = verdictOf(notification, trace.data);
  return (
    <>
      <Notice tone={verdict.tone}>
        <strong className={styles.verdict}>{verdict.text}</strong>
      </Notice>
      <div className={styles.columns}>
        <div className={styles.main}>
          <Why notification={notification} trace={trace} />
          <Message notification={notification} />
          <Attachments files={notification.attachments} />
        </div>
        <div className={styles.aside}>
          <Facts notification={notification} />
          <Timeline events={notification.events} />
        </div>
      </div>
      <More notification={notification} trace={trace} />
    </>
  );
}

/** Reads the trace again when the notification changes, and while a webhook about it may still succeed. */
function useTrace(notification: Notification) {
  const { id, status, events, attempt_count: attempts } = notification;
  return useRead(
    ['notifications', id, 'trace', status, events.length, attempts],
    (api, signal) => api.notifications.trace(id, { signal }),
    { everyMs: (last) => last !== undefined && isDelivering(last) && 10_000, keep: true },
  );
}

function isDelivering({ webhook_deliveries: deliveries }: Trace): boolean {
  return deliveries.some(({ status }) => status === 'pending' || status === 'in_flight');
}

/** The polling interval. Only notifications that can still change are polled; a receipt may take days. */
function paceOf({ status, created_at: createdAt }: Notification): number | false {
  if (status === 'queued' || status === 'sending') return 5000;
  const isYoung = Date.now() - Date.parse(createdAt) < 300_000;
  // Receipts follow: opens, late bounces, complaints.
  return isYoung && (status === 'sent' || status === 'delivered') ? 10_000 : false;
}

function titleOf(notification: Notification): string {
  const { subject, template_key: template, channel, recipient } = notification;
  if (subject) return subject;
  if (recipient.address === null) return text.erased;
  return template ?? text.untitled(common.channel(channel));
}
