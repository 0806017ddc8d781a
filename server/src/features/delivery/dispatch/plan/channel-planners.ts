import type { ChatTargets } from '../../../../channels/chat-endpoint-plan.ts';
import type { ChatoneTargets } from '../../../../channels/chatone/plan.ts';
import { chatthreeCarriers } from '../../../../channels/chatthree/index.ts';
import { chattwoCarriers } from '../../../../channels/chattwo/index.ts';
import { type Channel, channels } from '../../../../channels/contract.ts';
import type { ChannelPlanner, PlanFor } from '../../../../channels/delivery-plan.ts';
import type { EmailServices } from '../../../../channels/email/plan.ts';
import { inboxCarrier } from '../../../../channels/in-app/spec.ts';
import {
  createSandboxCarrier,
  endsInSandbox,
  type SandboxStore,
} from '../../../../channels/sandbox/index.ts';
import type { SmsConnections } from '../../../../channels/sms/plan.ts';
import type { PlanServices } from '../../../../channels/spec.ts';
import { channelSpecs } from '../../../../channels/specs.ts';
import { createWebhookCarrier } from '../../../../channels/webhook/post.ts';
import { statement } from '../../../../db/sql.ts';
import type { Deps } from '../../../../deps.ts';
import { listAttachmentBytes } from '../../../notifications/notifications/index.ts';
import type { LinkSecrets } from '../../../platform/links/index.ts';
import type { NotificationObjects } from '../../../platform/objects/index.ts';
import {
  createSandboxEmailSenders,
  createSandboxSmsSenders,
  type EmailConnections,
} from '../../../providers/connections/index.ts';
import { trackedHtml } from '../../tracking/index.ts';
import type { DispatchRow } from '../store.ts';

const storeAlternative = statement(
  'dispatch_store_text_alternative',
  'update notification_contents set text_alternative = $2 where notification_id = $1',
);

/** What the email channel needs of other features. */
function createEmailServices(
  { pool, publicUrl, linkSecrets, objects }: PlannerDeps,
  sendersFor: EmailServices['sendersFor'],
  { tracks }: { tracks: boolean },
): EmailServices {
  return {
    sendersFor,
    async trackersFor(senders) {
      if (!tracks) return new Map();
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

export interface PlannerDeps
  extends Pick<PlanServices, 'tasks' | 'webhookTargets'>,
    Pick<Deps, 'pool' | 'clock' | 'outbound' | 'publicUrl'> {
  sandboxStore: SandboxStore;
  linkSecrets: LinkSecrets;
  objects: NotificationObjects;
  emailConnections: EmailConnections;
  smsConnections: SmsConnections;
  chatoneTargets: ChatoneTargets;
  chatTargets: ChatTargets;
}

/** The planner of a notification. */
type PlannerOf = (notification: Pick<DispatchRow, 'environment_kind' | 'channel'>) => ChannelPlanner;

/** The planners of all channels, once for Live and once for Test: those of Test have no carrier except the sandbox. */
export function channelPlanners(
  deps: PlannerDeps,
  options: { tracks: boolean } = { tracks: true },
): PlannerOf {
  const live = plannersWith(liveServices(deps, options));
  const test = plannersWith(testServices(deps, options));
  return ({ environment_kind, channel }) => (endsInSandbox(environment_kind) ? test : live)[channel];
}

function plannersWith(services: PlanServices): Record<Channel, ChannelPlanner> {
  const planners = channels.map((channel) => [channel, channelSpecs[channel].createPlanner(services)]);
  return Object.fromEntries(planners) as Record<Channel, ChannelPlanner>;
}

function liveServices(deps: PlannerDeps, options: { tracks: boolean }): PlanServices {
  const webhook = createWebhookCarrier(deps.outbound, deps.clock);
  return {
    ...deps,
    email: createEmailServices(deps, deps.emailConnections.sendersFor, options),
    carriers: {
      in_app: () => inboxCarrier,
      webhook: () => webhook,
      chatone: deps.chatoneTargets.carrierTo,
      chattwo: chattwoCarriers(deps),
      chatthree: chatthreeCarriers(deps),
    },
  };
}

/** Lookups are those of Live, so a deleted endpoint has no plan in Test either. */
function testServices(deps: PlannerDeps, options: { tracks: boolean }): PlanServices {
  const { pool, clock, tasks, webhookTargets, chatoneTargets, chatTargets } = deps;
  const sandbox = createSandboxCarrier('sandbox', deps.sandboxStore, clock);
  const toSandbox = () => sandbox;
  return {
    tasks,
    webhookTargets,
    chatoneTargets: { targetsOf: chatoneTargets.targetsOf },
    chatTargets: { targetsOf: chatTargets.targetsOf },
    email: createEmailServices(deps, createSandboxEmailSenders({ pool, clock, sandbox }), options),
    smsConnections: { sendersFor: createSandboxSmsSenders({ pool, clock, sandbox }) },
    carriers: {
      in_app: toSandbox,
      webhook: toSandbox,
      chatone: toSandbox,
      chattwo: toSandbox,
      chatthree: toSandbox,
    },
  };
}

/** Plans the notifications that were prepared. */
export type PreparedPlans = PlanFor<DispatchRow>;

/** Prepares the plans of a batch over all channels. */
export async function preparePlans(
  plannerOf: PlannerOf,
  rows: readonly DispatchRow[],
): Promise<PreparedPlans> {
  const batches = new Map<ChannelPlanner, DispatchRow[]>();
  for (const row of rows) {
    const planner = plannerOf(row);
    const batch = batches.get(planner);
    if (batch) batch.push(row);
    else batches.set(planner, [row]);
  }
  const prepared = new Map(
    await Promise.all(
      [...batches].map(async ([planner, batch]) => [planner, await planner.prepare(batch)] as const),
    ),
  );
  return (row, headers) => {
    const planFor = prepared.get(plannerOf(row));
    if (!planFor) throw new Error(`no plans were prepared for ${row.channel}`);
    return planFor(row, headers);
  };
}
