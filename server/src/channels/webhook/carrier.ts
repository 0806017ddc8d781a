import type { Clock } from '../../kernel/clock.ts';
import type { Carrier, Outcome } from '../contract.ts';
import type { Outbound } from '../http.ts';
import type { WebhookMessage } from '../message.ts';
import { type PostResult, sendPost } from './post.ts';

/**
 * Posts notifications of the webhook channel. The notification's id is the `webhook-id` of every attempt, by which a receiver
 * recognizes a repeat: an attempt whose outcome is open is simply made again.
 */
export function createWebhookCarrier(outbound: Outbound, clock: Clock): Carrier {
  return {
    name: 'webhook',
    kind: 'webhook',
    idempotent: true,
    async send(message: WebhookMessage, signal) {
      const { to, notificationId: id, body, secrets, chain, timeoutMs } = message;
      const post = { url: to.address, id, body, secrets, chain, timeoutMs, signal };
      return outcomeOf(await sendPost(outbound, post, clock));
    },
  };
}

function outcomeOf({ verdict, error, status, retryAfterMs }: PostResult): Outcome {
  const code = status === null ? null : String(status);
  if (verdict === 'succeeded') {
    const detail = `The receiver returned ${status}.`;
    return {
      kind: 'accepted',
      providerMessageId: null,
      detail,
      code,
      receipts: [{ type: 'Delivered', detail }],
    };
  }
  const detail = error ?? verdict;
  return verdict === 'failed'
    ? { kind: 'retry', detail, code, retryAfterMs }
    : { kind: 'rejected', detail, code };
}
