// chatthree is Discord: text and embeds, posted to the webhook URL of a Discord channel.
import { invalidParameter } from '../../kernel/errors.ts';
import { endpointConnection, endpointRecipient, templatedContent } from '../chat-endpoint.ts';
import { type ChatTargets, createChatEndpointPlanner, type EndpointCarriers } from '../chat-endpoint-plan.ts';
import { type ChannelPlanner, envelopeTo } from '../delivery-plan.ts';
import type { ChatthreeMessage } from '../message.ts';
import type { ChannelSpec } from '../spec.ts';
import { avatarUrlProblem, executionOf, usernameProblem } from './payload.ts';

export const chatthreeSpec: ChannelSpec = {
  recipient: endpointRecipient('chatthree'),
  connection: endpointConnection('chatthree'),
  content: {
    ...templatedContent,
    checkRemaining: (_content, templateData) => checkOverrides(templateData),
  },
  createPlanner: createChatthreePlanner,
  preview: (message: ChatthreeMessage) => ({ text: message.content, structured: executionOf(message) }),
  sandbox: { payloadOf: (message: ChatthreeMessage) => executionOf(message) },
  hasSettings: false,
};

/** These two variables also set the name and picture of the sender. */
const overrides = { username: usernameProblem, avatar_url: avatarUrlProblem };

function checkOverrides(templateData: Record<string, unknown>): void {
  for (const [name, problemOf] of Object.entries(overrides)) {
    const value = templateData[name] ?? '';
    const problem = value === '' ? null : typeof value === 'string' ? problemOf(value) : 'must be text';
    if (problem)
      throw invalidParameter(`template_data.${name}`, `template_data.${name} ${problem} on this channel.`);
  }
}

function createChatthreePlanner({
  carriers: { chatthree: carrierTo },
  chatTargets,
}: {
  carriers: { chatthree: EndpointCarriers };
  chatTargets: Pick<ChatTargets, 'targetsOf'>;
}): ChannelPlanner {
  return createChatEndpointPlanner(
    'chatthree',
    { carrierTo, chatTargets },
    (endpoint, notification, attempt): ChatthreeMessage => ({
      channel: 'chatthree',
      ...envelopeTo(endpoint.key, notification, attempt),
      content: notification.text_body,
      embeds: notification.structured ?? null,
      username: textOf(notification.template_data.username) ?? endpoint.default_username,
      avatarUrl: textOf(notification.template_data.avatar_url) ?? endpoint.default_avatar_url,
    }),
  );
}

/** The type was checked when the notification was accepted. */
function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
