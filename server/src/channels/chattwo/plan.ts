import type { Clock } from '../../kernel/clock.ts';
import { type ChatTargets, createChatEndpointPlanner } from '../chat-endpoint-plan.ts';
import type { Carrier } from '../contract.ts';
import { type ChannelPlanner, envelopeTo } from '../delivery-plan.ts';
import type { Outbound } from '../http.ts';
import type { ChattwoMessage } from '../message.ts';
import { createChattwoCarrier } from './carrier.ts';

/** In Live the Teams workflow behind an endpoint, in Test the sandbox. */
export function createChattwoPlanner(services: {
  clock: Clock;
  outbound: Outbound;
  sandbox: Carrier;
  chatTargets: ChatTargets;
}): ChannelPlanner {
  const { clock, outbound, chatTargets } = services;
  return createChatEndpointPlanner('chattwo', services, {
    live(endpoint, url) {
      const name = `chattwo:${endpoint.key}`;
      const carrier = createChattwoCarrier({ clock, outbound, name, rateLimitKey: endpoint.id, url });
      return chatTargets.health.observe(carrier, endpoint);
    },
    messageTo: (endpoint, notification, attempt): ChattwoMessage => ({
      channel: 'chattwo',
      ...envelopeTo(endpoint.key, notification, attempt),
      card: notification.structured,
    }),
  });
}
