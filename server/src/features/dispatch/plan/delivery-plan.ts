import type { Carrier, Channel, Message } from '../../../channels/contract.ts';
import type { Environment } from '../../connections/index.ts';
import type { NewItem } from '../../inbox/index.ts';
import type { DispatchFact } from '../store.ts';

/** The carriers of a notification in the order to try them, and the message they get. */
export interface DeliveryPlan {
  carriers: [Carrier, ...Carrier[]];
  message: (attempt: number) => Message;
  /** Calls with the same key share a concurrency limit; see queue/concurrency.ts. */
  concurrencyKey?: string;
  /** The inbox item that is written when the notification is delivered. */
  item?: NewItem;
}

/** The reason why there is no delivery plan, for the person who can fix it. */
export interface NoPlan {
  reason: string;
  problem: string;
}

/** Plans one notification. `headers` are the extra headers of an email. */
export type PlanFor = (
  fact: DispatchFact,
  headers: Record<string, string>,
) => DeliveryPlan | NoPlan | Promise<DeliveryPlan | NoPlan>;

/** Plans the notifications of one channel. */
export interface ChannelPlanner {
  /** Reads everything that the plans of these notifications depend on, with a constant number of queries. */
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

/** Prepares the plans of a batch over all channels. */
export async function preparePlans(
  planners: Readonly<Record<Channel, ChannelPlanner>>,
  facts: readonly DispatchFact[],
): Promise<PlanFor> {
  const present = [...new Set(facts.map(({ channel }) => channel))];
  const finders = new Map(
    await Promise.all(
      present.map(async (channel) => {
        const mine = facts.filter((fact) => fact.channel === channel);
        return [channel, await planners[channel].prepare(mine)] as const;
      }),
    ),
  );
  return (fact, headers) => {
    const find = finders.get(fact.channel);
    if (!find) throw new Error(`no plans were prepared for ${fact.channel}`);
    return find(fact, headers);
  };
}
