import type { Clock } from '../../kernel/clock.ts';
import { type ChatTargets, createChatEndpointPlanner } from '../chat-endpoint-plan.ts';
import type { Carrier } from '../contract.ts';
import { type ChannelPlanner, envelopeTo } from '../delivery-plan.ts';
import type { Outbound } from '../http.ts';
import type { ChatthreeMessage } from '../message.ts';
import { createRateGuard, withRateGuard } from '../rate-guard.ts';
import { createChatthreeCarrier } from './carrier.ts';

/** In Live the Discord webhook behind an endpoint, in Test the sandbox. */
export function createChatthreePlanner(services: {
  clock: Clock;
  outbound: Outbound;
  publicUrl: () => string;
  sandbox: Carrier;
  chatTargets: ChatTargets;
}): ChannelPlanner {
  const { clock, outbound, publicUrl, chatTargets } = services;
  const rateGuard = createRateGuard(null);
  return createChatEndpointPlanner('chatthree', services, {
    live(endpoint, url) {
      const carrier = createChatthreeCarrier({
        clock,
        outbound,
        publicUrl,
        name: `chatthree:${endpoint.key}`,
        rateLimitKey: endpoint.id,
        url,
        onEnough: (ms) => rateGuard.rest(endpoint.id, clock() + ms),
      });
      return withRateGuard(chatTargets.health.observe(carrier, endpoint), rateGuard, clock);
    },
    messageTo: (endpoint, notification, attempt): ChatthreeMessage => ({
      channel: 'chatthree',
      ...envelopeTo(endpoint.key, notification, attempt),
      content: notification.text_body,
      embeds: notification.structured ?? null,
      username: textOf(notification.template_data.username) ?? endpoint.default_username,
      avatarUrl: textOf(notification.template_data.avatar_url) ?? endpoint.default_avatar_url,
    }),
  });
}

/** The type was checked when the notification was accepted. */
function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
