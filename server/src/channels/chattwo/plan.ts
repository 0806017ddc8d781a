import { type ChatTargets, createChatEndpointPlanner, type EndpointCarriers } from '../chat-endpoint-plan.ts';
import { type ChannelPlanner, envelopeTo } from '../delivery-plan.ts';
import type { ChattwoMessage } from '../message.ts';

export function createChattwoPlanner({
  carriers: { chattwo: carrierTo },
  chatTargets,
}: {
  carriers: { chattwo: EndpointCarriers };
  chatTargets: Pick<ChatTargets, 'targetsOf'>;
}): ChannelPlanner {
  return createChatEndpointPlanner(
    'chattwo',
    { carrierTo, chatTargets },
    (endpoint, notification, attempt): ChattwoMessage => ({
      channel: 'chattwo',
      ...envelopeTo(endpoint.key, notification, attempt),
      card: notification.structured,
    }),
  );
}
