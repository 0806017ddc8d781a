import type { WebhookEndpoint } from '@carillon/sdk';
import { webhooks as text } from '../../strings/webhooks.ts';
import { Notice, Time } from '../../ui/index.ts';

/** The problem of an endpoint and the next step. */
export function EndpointNotice({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { status, disabled_reason, failing_since } = endpoint;
  if (status === 'auto_disabled') {
    return <Notice tone="red">{text.notices[disabled_reason ?? 'failing']}</Notice>;
  }
  if (status === 'disabled') return <Notice>{text.notices.disabled}</Notice>;
  if (status === 'paused') return <Notice tone="amber">{text.notices.paused}</Notice>;
  if (failing_since === null) return null;
  return (
    <Notice tone="amber">
      {text.notices.failingSince} <Time at={failing_since} />. {text.notices.failingHint}
    </Notice>
  );
}
