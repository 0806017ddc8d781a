import { type ChatTargets, createChatEndpointPlanner, type EndpointCarriers } from '../chat-endpoint-plan.ts';
import { type ChannelPlanner, envelopeTo } from '../delivery-plan.ts';
import type { ChatthreeMessage } from '../message.ts';

export function createChatthreePlanner({
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
