import type { Clock } from '../../kernel/clock.ts';
import { idTime } from '../../kernel/ids.ts';
import type { Carrier, Outcome } from '../contract.ts';
import {
  type ChannelPlanner,
  type DeliveryPlan,
  type DueNotification,
  envelopeTo,
} from '../delivery-plan.ts';
import type { Outbound } from '../http.ts';
import type { WebhookMessage } from '../message.ts';
import { type PostResult, sendPost } from './post.ts';

/** The destination of a notification, and the secrets that sign it. */
export interface WebhookTarget {
  url: string;
  secrets: string[];
  timeoutMs: number;
  /** Calls with the same key share a concurrency limit. */
  concurrencyKey: string;
}

export interface WebhookTargets {
  /** Maps notification ids to targets; a notification without a target is left out. */
  targetsOf(
    notifications: readonly Pick<DueNotification, 'id' | 'environment_id' | 'address'>[],
  ): Promise<Map<string, WebhookTarget>>;
}

/** In Live a signed call to the target, in Test the sandbox. */
export function createWebhookPlanner({
  clock,
  outbound,
  sandbox,
  webhookTargets,
}: {
  clock: Clock;
  outbound: Outbound;
  sandbox: Carrier;
  webhookTargets: WebhookTargets;
}): ChannelPlanner {
  const live = createWebhookCarrier(outbound, clock);
  return {
    async prepare(notifications) {
      const targets = await webhookTargets.targetsOf(notifications);
      return (notification) => {
        const target = targets.get(notification.id);
        if (!target)
          return { reason: 'endpoint_not_found', problem: 'The webhook endpoint has been disabled.' };
        return planFor(notification, target, notification.environment_kind === 'test' ? sandbox : live);
      };
    },
  };
}

function planFor(notification: DueNotification, target: WebhookTarget, carrier: Carrier): DeliveryPlan {
  const body = bodyOf(notification);
  return {
    carriers: [carrier],
    ...(notification.environment_kind === 'test' ? {} : { concurrencyKey: target.concurrencyKey }),
    message: (attempt): WebhookMessage => ({
      channel: 'webhook',
      ...envelopeTo(target.url, notification, attempt),
      body,
      secrets: target.secrets,
      chain: notification.chain,
      timeoutMs: target.timeoutMs,
    }),
  };
}

/** A Standard Webhooks message of type `notification`. */
function bodyOf(notification: DueNotification): string {
  return JSON.stringify({
    id: notification.id,
    type: 'notification',
    created_at: new Date(idTime(notification.id)).toISOString(),
    data: {
      notification_id: notification.id,
      environment_id: notification.environment_id,
      recipient: {
        address: notification.address,
        name: notification.recipient_name,
        external_user_id: notification.external_user_id,
      },
      subject: notification.subject,
      html_body: notification.html_body,
      text_body: notification.text_body,
      template_key: notification.template_key,
      template_data: notification.template_data,
      action_url: notification.action_url,
      category: notification.category,
      priority: notification.priority,
    },
  });
}

/**
 * Posts notifications of the webhook channel. The notification's id is the `webhook-id` of every attempt, by which a receiver
 * recognizes a repeat: an attempt whose outcome is open is simply made again.
 */
function createWebhookCarrier(outbound: Outbound, clock: Clock): Carrier {
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
