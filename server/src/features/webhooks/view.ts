import { idTime } from '../../kernel/ids.ts';
import type { AttemptRow, DeliveryRow } from './deliveries-store.ts';
import { maskedUrl } from './endpoint-url.ts';
import type { EndpointRow } from './endpoints-store.ts';
import type { Delivery, WebhookEndpoint } from './schema.ts';

const createdAt = (id: string): string => new Date(idTime(id)).toISOString();

/**
 * An endpoint as events and the audit log show it, without secrets and the query of its URL. Responses add the whole URL and the
 * number of deliveries that wait.
 */
export function endpointView(row: EndpointRow): Omit<WebhookEndpoint, 'paused_delivery_count'> {
  return {
    id: row.id,
    url: maskedUrl(row),
    status: row.status,
    event_filters: row.event_filters,
    description: row.description,
    timeout_seconds: row.timeout_seconds,
    signing_secret_prefix: row.signing_secret_prefix,
    failing_since: row.failing_since?.toISOString() ?? null,
    disabled_reason: row.disabled_reason,
    created_at: createdAt(row.id),
  };
}

/** The wire form of a delivery. A pending delivery that a worker has leased is shown as `in_flight`. */
export function deliveryView(row: DeliveryRow): Delivery {
  const inFlight = row.status === 'pending' && row.leased_at !== null;
  const waits = row.status === 'pending' && !inFlight;
  const paused = waits && row.endpoint_status === 'paused';
  return {
    id: row.id,
    endpoint_id: row.endpoint_id,
    event_id: row.event_id,
    event_type: row.event_type,
    status: inFlight ? 'in_flight' : row.status,
    http_status_code: row.http_status_code,
    response_snippet: row.response_snippet,
    latency_ms: row.latency_ms,
    error: row.error,
    attempt_count: row.attempt_count,
    status_detail: paused ? 'paused' : waits && row.attempt_count > 0 ? 'retrying' : null,
    next_attempt_at: waits && !paused ? (row.next_attempt_at?.toISOString() ?? null) : null,
    created_at: createdAt(row.id),
  };
}

export function attemptView(row: AttemptRow) {
  return {
    number: row.number,
    succeeded: row.error === null,
    http_status_code: row.http_status_code,
    response_snippet: row.response_snippet,
    latency_ms: row.latency_ms,
    error: row.error,
    attempted_at: row.attempted_at.toISOString(),
  };
}
