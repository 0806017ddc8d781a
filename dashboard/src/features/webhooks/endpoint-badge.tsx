import type { WebhookEndpoint } from '@carillon/sdk';
import { StatusBadge } from '../../ui/index.ts';

/** Shows `failing` for an active endpoint whose calls fail: `active` only means that it may be called. */
export function EndpointBadge(props: {
  endpoint: Pick<WebhookEndpoint, 'status' | 'failing_since'>;
  /** The last 24 hours; null or undefined without calls. */
  successRate: number | null | undefined;
}) {
  const { endpoint, successRate } = props;
  const isFailing = endpoint.status === 'active' && (endpoint.failing_since !== null || successRate === 0);
  return <StatusBadge status={isFailing ? 'failing' : endpoint.status} />;
}
