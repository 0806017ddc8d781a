import type { Channel } from '../../channels/contract.ts';
import type { Deps } from '../../deps.ts';
import type { TaskRunner } from '../../kernel/threads/task.ts';
import type { EmailConnections } from '../connections/index.ts';
import { createChatoneRoads } from './chatone-road.ts';
import { createChatthreeRoads } from './chatthree-road.ts';
import { createChattwoRoads } from './chattwo-road.ts';
import { createEmailRoads } from './email-road.ts';
import { createInAppRoads } from './in-app-road.ts';
import type { ChannelRoads } from './road.ts';
import { createSmsRoads } from './sms-road.ts';
import { createWebhookRoads } from './webhook-road.ts';

/** Table: channel → how its notifications are sent. */
export function allRoads(
  deps: Pick<Deps, 'pool' | 'clock' | 'log' | 'keyring' | 'outbound' | 'config' | 'publicUrl'> & {
    tasks: TaskRunner;
  },
  connections: EmailConnections,
): Record<Channel, ChannelRoads> {
  return {
    email: createEmailRoads(deps, connections),
    in_app: createInAppRoads(deps),
    webhook: createWebhookRoads(deps),
    sms: createSmsRoads(deps),
    chatone: createChatoneRoads(deps),
    chattwo: createChattwoRoads(deps),
    chatthree: createChatthreeRoads(deps),
  };
}
