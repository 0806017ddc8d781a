import { idTime } from '../../kernel/ids.ts';
import type { Carrier } from '../contract.ts';
import {
  type ChannelPlanner,
  type DeliveryPlan,
  type DueNotification,
  envelopeTo,
} from '../delivery-plan.ts';
import type { WebhookMessage } from '../message.ts';

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

/** A signed call to the target. */
export function createWebhookPlanner({
  carriers,
  webhookTargets,
}: {
  carriers: { webhook(): Carrier };
  webhookTargets: WebhookTargets;
}): ChannelPlanner {
  return {
    async prepare(notifications) {
      const targets = await webhookTargets.targetsOf(notifications);
      return (notification) => {
        const target = targets.get(notification.id);
        if (!target)
          return { reason: 'endpoint_not_found', problem: 'The webhook endpoint has been disabled.' };
        return planFor(notification, target, carriers.webhook());
      };
    },
  };
}

function planFor(notification: DueNotification, target: WebhookTarget, carrier: Carrier): DeliveryPlan {
  const body = bodyOf(notification);
  return {
    carriers: [carrier],
    concurrencyKey: target.concurrencyKey,
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
