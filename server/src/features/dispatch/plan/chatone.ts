import { fallbackText } from '../../../channels/chatone/index.ts';
import type { ChatoneMessage } from '../../../channels/contract.ts';
import { createSandboxCarrier, type SandboxStore } from '../../../channels/sandbox/index.ts';
import type { Deps } from '../../../deps.ts';
import type { ChatoneTargets } from '../../connections/index.ts';
import type { ChannelPlanner } from './delivery-plan.ts';

/** The chatone channel: in Live the bot of a workspace, in Test the sandbox. */
export function createChatonePlanner(
  deps: Pick<Deps, 'clock'> & { sandboxStore: SandboxStore; chatoneTargets: ChatoneTargets },
): ChannelPlanner {
  const { chatoneTargets: targets } = deps;
  const sandbox = createSandboxCarrier('sandbox', deps.sandboxStore, deps.clock);
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
          ...(isTest ? {} : { concurrencyKey: installation.id }),
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
