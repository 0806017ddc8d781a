import type { Channel } from '../../channels/contract.ts';
import type { Deps } from '../../deps.ts';
import type { EmailConnections } from '../connections/index.ts';
import { createEmailRoads } from './email-road.ts';
import { createInAppRoads } from './in-app-road.ts';
import type { ChannelRoads } from './road.ts';
import { createWebhookRoads } from './webhook-road.ts';

/** Table: channel → how its notifications are sent. */
export function allRoads(
  deps: Pick<Deps, 'pool' | 'clock' | 'keyring' | 'outbound' | 'config' | 'publicUrl'>,
  connections: EmailConnections,
): Record<Channel, ChannelRoads> {
  return {
    email: createEmailRoads(deps.pool, connections),
    in_app: createInAppRoads(deps),
    webhook: createWebhookRoads(deps),
    sms: notConfigured('sms'),
    chatone: notConfigured('chatone'),
    chattwo: notConfigured('chattwo'),
    chatthree: notConfigured('chatthree'),
  };
}

function notConfigured(channel: Channel): ChannelRoads {
  const none = {
    reason: 'provider_not_configured',
    problem: `No provider is configured for the channel ${channel}.`,
  };
  return { prepare: () => () => none };
}
