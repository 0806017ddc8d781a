import { type Channel, channels } from '../../../../channels/contract.ts';
import type { ChannelPlanner, PlanFor } from '../../../../channels/delivery-plan.ts';
import type { EmailServices } from '../../../../channels/email/plan.ts';
import { createSandboxCarrier, type SandboxStore } from '../../../../channels/sandbox/index.ts';
import type { PlanServices } from '../../../../channels/spec.ts';
import { channelSpecs } from '../../../../channels/specs.ts';
import { type Pool, statement } from '../../../../db/sql.ts';
import type { Deps } from '../../../../deps.ts';
import { listAttachmentBytes } from '../../../notifications/notifications/index.ts';
import type { LinkSecrets } from '../../../platform/links/index.ts';
import type { NotificationObjects } from '../../../platform/objects/index.ts';
import type { EmailConnections } from '../../../providers/connections/index.ts';
import { trackedHtml } from '../../tracking/index.ts';
import type { DispatchFact } from '../store.ts';

const storeAlternative = statement(
  'dispatch_store_text_alternative',
  'update notification_contents set text_alternative = $2 where notification_id = $1',
);

/** What the email channel needs of other features. */
function createEmailServices({
  pool,
  publicUrl,
  linkSecrets,
  emailConnections,
  objects,
}: {
  pool: Pool;
  publicUrl: () => string;
  linkSecrets: LinkSecrets;
  emailConnections: EmailConnections;
  objects: NotificationObjects;
}): EmailServices {
  return {
    sendersFor: emailConnections.sendersFor,
    async trackersFor(senders) {
      const tracking = [...senders].filter(([, { track }]) => track.opens || track.clicks);
      const secrets = await linkSecrets.secretsFor(tracking.map(([id]) => id));
      return new Map(
        tracking.flatMap(([id, { track }]) => {
          const secret = secrets.get(id);
          if (!secret) return [];
          return [
            [
              id,
              (html: string, notificationId: string) =>
                trackedHtml(html, notificationId, track, { publicUrl: publicUrl(), secret }),
            ] as const,
          ];
        }),
      );
    },
    async listAttachmentBytes(notificationId) {
      const files = await listAttachmentBytes(pool, notificationId);
      return files.length > 0 ? files : objects.readAttachments(notificationId);
    },
    storeTextAlternative: (notificationId, text) => storeAlternative(pool, [notificationId, text]),
  };
}

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
