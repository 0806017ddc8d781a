import type { WebhookEndpoint } from '@carillon/sdk';
import { webhooks as text } from '../../strings/webhooks.ts';
import { Notice, Time } from '../../ui/index.ts';

/** The service counts no further. */
const maxCount = 10_000;

export const waitingText = ({ paused_delivery_count: count }: WebhookEndpoint): string =>
  text.notices.waiting(count, count >= maxCount);

/** The problem of an endpoint and the next step. */
export function EndpointNotice({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { status, disabled_reason, failing_since, paused_delivery_count } = endpoint;
  if (status === 'auto_disabled') {
    return <Notice tone="red">{text.notices[disabled_reason ?? 'failing']}</Notice>;
  }
  if (status === 'disabled') return <Notice>{text.notices.disabled}</Notice>;
  const waiting = paused_delivery_count > 0 && waitingText(endpoint);
  if (status === 'paused')
    return (
      <Notice tone="amber">
        {text.notices.paused} {waiting}
      </Notice>
    );
  if (waiting)
    return (
      <Notice>
        {waiting} {text.notices.releasing}
      </Notice>
    );
  if (failing_since === null) return null;
  return (
    <Notice tone="amber">
      {text.notices.failingSince} <Time at={failing_since} />. {text.notices.failingHint}
    </Notice>
  );
}
