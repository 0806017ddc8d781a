import type { WebhookEndpoint } from '@carillon/sdk';
import { StatusBadge } from '../../ui/index.ts';

/** `active` means that an endpoint may be called. One whose calls fail is not shown as well. */
export function EndpointBadge(props: {
  endpoint: Pick<WebhookEndpoint, 'status' | 'failing_since'>;
  /** Of the last 24 hours; null or undefined when it was not called. */
  successRate: number | null | undefined;
}) {
  const { endpoint, successRate } = props;
  const isFailing = endpoint.status === 'active' && (endpoint.failing_since !== null || successRate === 0);
  return <StatusBadge status={isFailing ? 'failing' : endpoint.status} />;
}
