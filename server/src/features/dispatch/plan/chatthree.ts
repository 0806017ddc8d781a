import { createChatthreeCarrier } from '../../../channels/chatthree/index.ts';
import type { Carrier, ChatthreeMessage } from '../../../channels/contract.ts';
import { createRateGuard, withRateGuard } from '../../../channels/rate-guard.ts';
import { createSandboxCarrier, type SandboxStore } from '../../../channels/sandbox/index.ts';
import type { Deps } from '../../../deps.ts';
import type { ChatTarget, ChatTargets } from '../../connections/index.ts';
import { chatEndpointPlanner } from './chat-endpoints.ts';
import type { ChannelPlanner } from './delivery-plan.ts';

/** The chatthree channel: in Live the webhook behind an endpoint, in Test the sandbox. */
export function createChatthreePlanner(
  deps: Pick<Deps, 'clock' | 'outbound' | 'publicUrl'> & {
    sandboxStore: SandboxStore;
    chatTargets: ChatTargets;
  },
): ChannelPlanner {
  const { chatTargets: targets } = deps;
  const rateGuard = createRateGuard(null);
  const sandbox = createSandboxCarrier('sandbox', deps.sandboxStore, deps.clock);
  const live = (target: ChatTarget, url: string): Carrier =>
    withRateGuard(
      targets.health.observe(
        createChatthreeCarrier({
          ...deps,
          name: `chatthree:${target.key}`,
          rateLimitKey: target.id,
          url,
          onEnough: (ms) => rateGuard.rest(target.id, deps.clock() + ms),
        }),
        target,
      ),
      rateGuard,
      deps.clock,
    );
  return chatEndpointPlanner(
    'chatthree',
    { targets, sandbox, live },
    (fact, target) =>
      (attempt): ChatthreeMessage => ({
        channel: 'chatthree',
        notificationId: fact.id,
        environmentId: fact.environment_id,
        attempt,
        to: { address: target.key, name: fact.recipient_name },
        content: fact.text_body,
        embeds: fact.structured ?? null,
        username: textOf(fact.template_data.username) ?? target.default_username,
        avatarUrl: textOf(fact.template_data.avatar_url) ?? target.default_avatar_url,
      }),
  );
}

/** The type was checked when the notification was accepted. */
function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
