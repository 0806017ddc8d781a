import { createChattwoCarrier } from '../../../channels/chattwo/index.ts';
import type { Carrier, ChattwoMessage } from '../../../channels/contract.ts';
import { createSandboxCarrier, type SandboxStore } from '../../../channels/sandbox/index.ts';
import type { Deps } from '../../../deps.ts';
import type { ChatTarget, ChatTargets } from '../../connections/index.ts';
import { chatEndpointPlanner } from './chat-endpoints.ts';
import type { ChannelPlanner } from './delivery-plan.ts';

/** The chattwo channel: in Live the workflow behind an endpoint, in Test the sandbox. */
export function createChattwoPlanner(
  deps: Pick<Deps, 'clock' | 'outbound'> & { sandboxStore: SandboxStore; chatTargets: ChatTargets },
): ChannelPlanner {
  const { chatTargets: targets } = deps;
  const sandbox = createSandboxCarrier('sandbox', deps.sandboxStore, deps.clock);
  const live = (target: ChatTarget, url: string): Carrier =>
    targets.health.observe(
      createChattwoCarrier({
        ...deps,
        name: `chattwo:${target.key}`,
        rateLimitKey: target.id,
        url,
      }),
      target,
    );
  return chatEndpointPlanner(
    'chattwo',
    { targets, sandbox, live },
    (fact, target) =>
      (attempt): ChattwoMessage => ({
        channel: 'chattwo',
        notificationId: fact.id,
        environmentId: fact.environment_id,
        attempt,
        to: { address: target.key, name: fact.recipient_name },
        card: fact.structured,
      }),
  );
}
