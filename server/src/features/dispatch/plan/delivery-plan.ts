import type { Carrier, Channel, Message } from '../../../channels/contract.ts';
import type { Environment } from '../../connections/index.ts';
import type { NewItem } from '../../inbox/index.ts';
import type { DispatchFact } from '../store.ts';

/** Who carries a notification, in the order to try them, and what they are given. */
export interface DeliveryPlan {
  carriers: [Carrier, ...Carrier[]];
  message: (attempt: number) => Message;
  /** Calls that share a limit share its name; see queue/concurrency.ts. */
  concurrencyKey?: string;
  /** What is in an inbox once the notification is delivered. */
  item?: NewItem;
}

/** There is none: why, for the person who has to do something about it. */
export interface NoPlan {
  reason: string;
  problem: string;
}

/** The road of one notification. `headers` are those that an email is to carry. */
export type PlanFor = (
  fact: DispatchFact,
  headers: Record<string, string>,
) => DeliveryPlan | NoPlan | Promise<DeliveryPlan | NoPlan>;

/** How notifications of one channel are sent. */
export interface ChannelPlanner {
  /** Reads, with a constant number of queries, whatever the roads of these notifications depend on. */
  prepare(facts: readonly DispatchFact[]): PlanFor | Promise<PlanFor>;
}

/** The environments of a batch, each with the version of its settings that was read with the batch. */
export function environmentsOf(facts: readonly DispatchFact[]): Environment[] {
  const environments = new Map(
    facts.map(({ environment_id: id, environment_kind: kind, settings_version: settingsVersion }) => [
      id,
      { id, kind, settingsVersion },
    ]),
  );
  return [...environments.values()];
}

/** The same over all channels. */
export async function preparePlans(
  roads: Readonly<Record<Channel, ChannelPlanner>>,
  facts: readonly DispatchFact[],
): Promise<PlanFor> {
  const present = [...new Set(facts.map(({ channel }) => channel))];
  const finders = new Map(
    await Promise.all(
      present.map(async (channel) => {
        const mine = facts.filter((fact) => fact.channel === channel);
        return [channel, await roads[channel].prepare(mine)] as const;
      }),
    ),
  );
  return (fact, headers) => {
    const find = finders.get(fact.channel);
    if (!find) throw new Error(`no roads were prepared for ${fact.channel}`);
    return find(fact, headers);
  };
}
