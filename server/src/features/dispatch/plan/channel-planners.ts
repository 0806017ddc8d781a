import type { Channel } from '../../../channels/contract.ts';
import type { SandboxStore } from '../../../channels/sandbox/index.ts';
import type { Deps } from '../../../deps.ts';
import type { TaskRunner } from '../../../kernel/threads/task.ts';
import type {
  ChatoneTargets,
  ChatTargets,
  EmailConnections,
  SmsConnections,
} from '../../connections/index.ts';
import type { LinkSecrets } from '../../links/index.ts';
import type { WebhookTargets } from '../../webhooks/index.ts';
import { createChatonePlanner } from './chatone.ts';
import { createChatthreePlanner } from './chatthree.ts';
import { createChattwoPlanner } from './chattwo.ts';
import type { ChannelPlanner } from './delivery-plan.ts';
import { createEmailPlanner } from './email.ts';
import { createInAppPlanner } from './in-app.ts';
import { createSmsPlanner } from './sms.ts';
import { createWebhookPlanner } from './webhook.ts';

export interface PlannerDeps extends Pick<Deps, 'pool' | 'clock' | 'outbound' | 'publicUrl'> {
  tasks: TaskRunner;
  sandboxStore: SandboxStore;
  linkSecrets: LinkSecrets;
  emailConnections: EmailConnections;
  smsConnections: SmsConnections;
  webhookTargets: WebhookTargets;
  chatoneTargets: ChatoneTargets;
  chatTargets: ChatTargets;
}

/** The planner of each channel. */
export function channelPlanners(deps: PlannerDeps): Record<Channel, ChannelPlanner> {
  return {
    email: createEmailPlanner(deps),
    in_app: createInAppPlanner(deps),
    webhook: createWebhookPlanner(deps),
    sms: createSmsPlanner(deps),
    chatone: createChatonePlanner(deps),
    chattwo: createChattwoPlanner(deps),
    chatthree: createChatthreePlanner(deps),
  };
}
