// chattwo is Microsoft Teams: Adaptive Cards, posted to the webhook URL of a Teams workflow.
import { endpointConnection, endpointRecipient, templatedContent } from '../chat-endpoint.ts';
import type { ChattwoMessage } from '../message.ts';
import type { ChannelSpec } from '../spec.ts';
import { createChattwoPlanner } from './plan.ts';
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
