import type { WebhookDeliveryWithPayload } from '@carillon/sdk';
import { shellQuote } from '../../api/curl.ts';
import { webhooks as text } from '../../strings/webhooks.ts';

const contentType = 'application/json; charset=utf-8';

/** The headers of every attempt; those that change with each attempt have a placeholder. */
export function headersOfCall({ event_id }: WebhookDeliveryWithPayload): string {
  return [
    `content-type: ${contentType}`,
    'user-agent: Carillon-Webhooks/1.0',
    `webhook-id: ${event_id}`,
    `webhook-timestamp: ${text.delivery.eachAttempt}`,
    `webhook-signature: v1,… ${text.delivery.eachAttempt}`,
  ].join('\n');
}

export function callAsCurl(url: string, { event_id, payload }: WebhookDeliveryWithPayload): string {
  return [
    `curl -i ${shellQuote(url)} \\`,
    `  -H ${shellQuote(`content-type: ${contentType}`)} \\`,
    `  -H ${shellQuote(`webhook-id: ${event_id}`)} \\`,
    `  -d ${shellQuote(JSON.stringify(payload))}`,
  ].join('\n');
}
