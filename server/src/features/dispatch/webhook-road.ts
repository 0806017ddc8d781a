import type { Carrier, WebhookMessage } from '../../channels/contract.ts';
import { createSandboxCarrier, createSandboxStore } from '../../channels/sandbox/index.ts';
import { createWebhookCarrier } from '../../channels/webhook/index.ts';
import type { Deps } from '../../deps.ts';
import { idTime } from '../../kernel/ids.ts';
import { createWebhookTargets, type WebhookTarget } from '../webhooks/index.ts';
import type { Road } from './road.ts';
import type { DispatchFact } from './store.ts';

/** The webhook channel: in Live a signed call to the target, in Test the sandbox. */
export interface WebhookRoads {
  /** Targets by notification, for those of a batch that go by this channel. */
  targetsOf(facts: readonly DispatchFact[]): Promise<Map<string, WebhookTarget>>;
  roadFor(fact: DispatchFact, target: WebhookTarget | null): Road | { problem: string; reason: string };
}

export function createWebhookRoads(
  deps: Pick<Deps, 'pool' | 'keyring' | 'clock' | 'outbound'>,
): WebhookRoads {
  const targets = createWebhookTargets(deps);
  const live = createWebhookCarrier(deps.outbound, deps.clock);
  const sandbox = createSandboxCarrier('sandbox', createSandboxStore(deps.pool), deps.clock);
  return {
    async targetsOf(facts) {
      const mine = facts.filter(({ channel }) => channel === 'webhook');
      return mine.length === 0 ? new Map() : targets.targetsOf(mine);
    },
    roadFor(fact, target) {
      if (!target)
        return { reason: 'endpoint_not_found', problem: 'The webhook endpoint has been disabled.' };
      const isTest = fact.environment_kind === 'test';
      const carrier: Carrier = isTest ? sandbox : live;
      const body = bodyOf(fact);
      return {
        carriers: [carrier],
        ...(isTest ? {} : { place: target.place }),
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
    },
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
