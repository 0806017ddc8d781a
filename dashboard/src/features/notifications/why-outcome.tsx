import type { Notification } from '@carillon/sdk';
import { Link } from '@tanstack/react-router';
import { useEnvironment } from '../../api/environment.tsx';
import { useRead } from '../../api/queries.ts';
import { notifications } from '../../strings/notifications.ts';
import { plain } from './plain.ts';
import { WhyStep } from './why-step.tsx';

const text = notifications.why;

const lastEvents = { bounced: 'Bounced', complained: 'Complained' } as const;

/** The last step of a notification that bounced or was reported after its provider had accepted it. */
export function OutcomeStep({ notification }: { notification: Notification }) {
  const { status, events, channel } = notification;
  if (status !== 'bounced' && status !== 'complained') return null;
  const event = events.findLast(({ type }) => type === lastEvents[status]);
  return (
    <WhyStep icon={status === 'bounced' ? 'close' : 'warning'} tone="red" at={event?.occurred_at}>
      <strong>{text.ended[status]}</strong>
      {event?.detail && <p>{plain(event.detail)}</p>}
      <p>
        {status === 'complained' ? text.next.complained : (text.next.bounced[channel] ?? text.next.check)}
      </p>
      <SuppressionState notification={notification} />
    </WhyStep>
  );
}

/** Shows whether the address is suppressed now, with a link to remove it. */
export function SuppressionState({ notification }: { notification: Notification }) {
  const { kind, can } = useEnvironment();
  const { status, channel, recipient } = notification;
  const address = recipient.address ?? '';
  const query = useRead(
    ['suppressions', 'of', address],
    (api, signal) => api.suppressions.list({ address, limit: 1 }, { signal }).page(),
    {
      enabled: (channel === 'email' || channel === 'sms') && address !== '' && can('suppressions:read'),
    },
  );
  if (!query.data) return null;
  const [suppression] = query.data.data;
  if (!suppression) {
    return (
      <p>
        {text.next.notSuppressed} {status !== 'complained' && text.next.sendAgain}
      </p>
    );
  }
  return (
    <p>
      {text.next.suppressed}{' '}
      <Link to={`/${kind}/suppressions?search=${encodeURIComponent(suppression.address)}`}>
        {can('suppressions:write') ? text.removeSuppression : text.toSuppressions}
      </Link>
    </p>
  );
}
