import type { Carrier, Message } from '../../../channels/contract.ts';
import { withVendor } from '../../../kernel/vendors.ts';
import type { ChatTarget, ChatTargets } from '../../connections/index.ts';
import type { DispatchFact } from '../store.ts';
import type { ChannelPlanner } from './delivery-plan.ts';

interface Means {
  targets: ChatTargets;
  sandbox: Carrier;
  live(target: ChatTarget, url: string): Carrier;
}

/** The planner of the two channels whose connections are endpoints. */
export function chatEndpointPlanner(
  channel: 'chattwo' | 'chatthree',
  { targets, sandbox, live }: Means,
  messageOf: (fact: DispatchFact, target: ChatTarget) => (attempt: number) => Message,
): ChannelPlanner {
  return {
    async prepare(facts) {
      const targetOf = await targets.targetsOf(channel, facts);
      return (fact) => {
        const target = targetOf(fact);
        if (!target)
          return {
            reason: 'endpoint_not_found',
            problem: `The ${withVendor(channel)} endpoint has been deleted.`,
          };
        const message = messageOf(fact, target);
        if (fact.environment_kind === 'test') return { carriers: [sandbox], message };
        if (target.url === null)
          return { reason: 'endpoint_unusable', problem: 'Its URL cannot be opened any more; give it anew.' };
        return { carriers: [live(target, target.url)], concurrencyKey: target.id, message };
      };
    },
  };
}
