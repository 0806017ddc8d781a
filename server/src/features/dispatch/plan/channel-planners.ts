import { type Channel, channels } from '../../../channels/contract.ts';
import type { ChannelPlanner, PlanFor } from '../../../channels/delivery-plan.ts';
import type { PlanServices } from '../../../channels/plan-services.ts';
import { createSandboxCarrier, type SandboxStore } from '../../../channels/sandbox/index.ts';
import { channelSpecs } from '../../../channels/specs.ts';
import type { Deps } from '../../../deps.ts';
import type { EmailConnections } from '../../connections/index.ts';
import type { LinkSecrets } from '../../links/index.ts';
import type { NotificationObjects } from '../../objects/index.ts';
import type { DispatchFact } from '../store.ts';
import { createEmailServices } from './email-services.ts';

export interface PlannerDeps extends Omit<PlanServices, 'sandbox' | 'email'>, Pick<Deps, 'pool'> {
  sandboxStore: SandboxStore;
  linkSecrets: LinkSecrets;
  emailConnections: EmailConnections;
  objects: NotificationObjects;
}

/** The planner of each channel. */
export function channelPlanners(deps: PlannerDeps): Record<Channel, ChannelPlanner> {
  const services: PlanServices = {
    ...deps,
    sandbox: createSandboxCarrier('sandbox', deps.sandboxStore, deps.clock),
    email: createEmailServices(deps),
  };
  const planners = channels.map((channel) => [channel, channelSpecs[channel].createPlanner(services)]);
  return Object.fromEntries(planners) as Record<Channel, ChannelPlanner>;
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
