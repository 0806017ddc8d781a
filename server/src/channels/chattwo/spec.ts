// chattwo is Microsoft Teams: Adaptive Cards, posted to the webhook URL of a Teams workflow.
import { endpointConnection, endpointRecipient, templatedContent } from '../chat-endpoint.ts';
import { type ChatTargets, createChatEndpointPlanner, type EndpointCarriers } from '../chat-endpoint-plan.ts';
import { type ChannelPlanner, envelopeTo } from '../delivery-plan.ts';
import type { ChattwoMessage } from '../message.ts';
import type { ChannelSpec } from '../spec.ts';
import { cardMessage } from './shape.ts';

export const chattwoSpec: ChannelSpec = {
  recipient: endpointRecipient('chattwo'),
  connection: endpointConnection('chattwo'),
  content: templatedContent,
  createPlanner: createChattwoPlanner,
  preview: ({ card }: ChattwoMessage) => ({ structured: cardMessage(card) }),
  sandbox: { payloadOf: ({ card }: ChattwoMessage) => cardMessage(card) },
  hasSettings: false,
};

function createChattwoPlanner({
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
