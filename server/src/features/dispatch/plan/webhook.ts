import type { Carrier, WebhookMessage } from '../../../channels/contract.ts';
import { createSandboxCarrier, type SandboxStore } from '../../../channels/sandbox/index.ts';
import { createWebhookCarrier } from '../../../channels/webhook/index.ts';
import type { Deps } from '../../../deps.ts';
import { idTime } from '../../../kernel/ids.ts';
import type { WebhookTarget, WebhookTargets } from '../../webhooks/index.ts';
import type { DispatchFact } from '../store.ts';
import type { ChannelPlanner, DeliveryPlan } from './delivery-plan.ts';

/** The webhook channel: in Live a signed call to the target, in Test the sandbox. */
export function createWebhookPlanner(
  deps: Pick<Deps, 'clock' | 'outbound'> & {
    sandboxStore: SandboxStore;
    webhookTargets: WebhookTargets;
  },
): ChannelPlanner {
  const { webhookTargets: targets } = deps;
  const live = createWebhookCarrier(deps.outbound, deps.clock);
  const sandbox = createSandboxCarrier('sandbox', deps.sandboxStore, deps.clock);
  return {
    async prepare(facts) {
      const found = await targets.targetsOf(facts);
      return (fact) => {
        const target = found.get(fact.id);
        if (!target)
          return { reason: 'endpoint_not_found', problem: 'The webhook endpoint has been disabled.' };
        return roadTo(fact, target, fact.environment_kind === 'test' ? sandbox : live);
      };
    },
  };
}

function roadTo(fact: DispatchFact, target: WebhookTarget, carrier: Carrier): DeliveryPlan {
  const body = bodyOf(fact);
  return {
    carriers: [carrier],
    ...(fact.environment_kind === 'test' ? {} : { concurrencyKey: target.place }),
    message: (attempt): WebhookMessage => ({
      channel: 'webhook',
      notificationId: fact.id,
      environmentId: fact.environment_id,
      attempt,
      to: { address: target.url, name: fact.recipient_name },
      body,
      secrets: target.secrets,
      timeoutMs: target.timeoutMs,
    }),
  };
}

/** A Standard Webhooks message of type `notification`. */
function bodyOf(fact: DispatchFact): string {
  return JSON.stringify({
    id: fact.id,
    type: 'notification',
    created_at: new Date(idTime(fact.id)).toISOString(),
    data: {
      notification_id: fact.id,
      environment_id: fact.environment_id,
      recipient: {
        address: fact.address,
        name: fact.recipient_name,
        external_user_id: fact.external_user_id,
      },
      subject: fact.subject,
      html_body: fact.html_body,
      text_body: fact.text_body,
      template_key: fact.template_key,
      template_data: fact.template_data,
      action_url: fact.action_url,
      category: fact.category,
      priority: fact.priority,
    },
  });
}
