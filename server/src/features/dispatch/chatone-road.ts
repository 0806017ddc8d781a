import { fallbackText } from '../../channels/chatone/index.ts';
import type { ChatoneMessage } from '../../channels/contract.ts';
import { createSandboxCarrier, createSandboxStore } from '../../channels/sandbox/index.ts';
import type { Deps } from '../../deps.ts';
import { createChatoneTargets } from '../connections/index.ts';
import type { ChannelRoads } from './road.ts';

/** The chatone channel: in Live as the bot of a workspace, in Test the sandbox. */
export function createChatoneRoads(
  deps: Pick<Deps, 'pool' | 'clock' | 'log' | 'keyring' | 'outbound' | 'config'>,
): ChannelRoads {
  const targets = createChatoneTargets(deps);
  const sandbox = createSandboxCarrier('sandbox', createSandboxStore(deps.pool), deps.clock);
  return {
    async prepare(facts) {
      const targetOf = await targets.targetsOf(facts);
      return (fact) => {
        const installation = targetOf(fact);
        if (!installation)
          return {
            reason: 'installation_not_found',
            problem: 'The Slack (chatone) installation has been deleted.',
          };
        const isTest = fact.environment_kind === 'test';
        const address = fact.address ?? '';
        return {
          carriers: [isTest ? sandbox : targets.carrierTo(installation, address)],
          ...(isTest ? {} : { place: installation.id }),
          message: (attempt): ChatoneMessage => ({
            channel: 'chatone',
            notificationId: fact.id,
            environmentId: fact.environment_id,
            attempt,
            to: { address, name: fact.recipient_name },
            blocks: fact.structured,
            text: fallbackText(fact.structured),
          }),
        };
      };
    },
  };
}
