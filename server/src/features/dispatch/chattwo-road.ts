import { createChattwoCarrier } from '../../channels/chattwo/index.ts';
import type { Carrier, ChattwoMessage } from '../../channels/contract.ts';
import { createSandboxCarrier, createSandboxStore } from '../../channels/sandbox/index.ts';
import type { Deps } from '../../deps.ts';
import { type ChatTarget, createChatTargets } from '../connections/index.ts';
import { endpointRoads } from './endpoint-roads.ts';
import type { ChannelRoads } from './road.ts';

/** The chattwo channel: in Live the workflow behind an endpoint, in Test the sandbox. */
export function createChattwoRoads(
  deps: Pick<Deps, 'pool' | 'clock' | 'log' | 'keyring' | 'outbound'>,
): ChannelRoads {
  const targets = createChatTargets(deps);
  const sandbox = createSandboxCarrier('sandbox', createSandboxStore(deps.pool), deps.clock);
  const live = (target: ChatTarget, url: string): Carrier =>
    targets.health.watch(
      createChattwoCarrier({
        ...deps,
        name: `chattwo:${target.key}`,
        pace: target.id,
        url,
      }),
      target,
    );
  return endpointRoads(
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
