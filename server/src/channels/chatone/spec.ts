// chatone is Slack: blocks, posted by the bot of a workspace to a channel or to a user.
import { missingParameter, Problem } from '../../kernel/errors.ts';
import { templatedContent } from '../chat-endpoint.ts';
import type { ChatoneMessage } from '../message.ts';
import {
  type ChannelSpec,
  checkSameTarget,
  invalidRecipient,
  type RecipientInput,
  storedAddress,
} from '../spec.ts';
import { postOf } from './payload.ts';
import { createChatonePlanner } from './plan.ts';

export const chatoneSpec: ChannelSpec = {
  recipient: {
    targetOf(recipient, user) {
      const given = givenTarget(recipient);
      return {
        address: given ?? storedAddress(user?.chatone_user_id, recipient),
        isOwnAddress: given !== null && isUserId(given),
      };
    },
    needsStoredAddress: ({ address, chatone_user_id: user, chatone_channel_id: room }) =>
      !address && !user && !room,
    addressesPerson: true,
  },
  connection: {
    find: (directory, environmentId, { endpoint }) =>
      directory.findInstallation(environmentId, endpoint || null),
    missing: ({ endpoint }) =>
      new Problem(
        'installation_not_found',
        endpoint
          ? 'There is no Slack (chatone) installation with this id or team.'
          : 'The environment has no Slack (chatone) installation.',
        { param: endpoint ? 'recipient.endpoint' : null },
      ),
  },
  content: templatedContent,
  createPlanner: createChatonePlanner,
  preview: (message: ChatoneMessage) => ({ text: message.text, structured: postOf(message) }),
  sandbox: { payloadOf: (message: ChatoneMessage) => postOf(message) },
  hasSettings: false,
};

/** Returns null when the request names no target except `external_user_id`. */
function givenTarget(recipient: RecipientInput): string | null {
  const { chatone_user_id: user, chatone_channel_id: room, address } = recipient;
  if (user && room)
    throw invalidRecipient('chatone_channel_id', 'Set chatone_user_id or chatone_channel_id, not both.');
  if (user && !isUserId(user))
    throw invalidRecipient('chatone_user_id', 'The id of a Slack (chatone) user looks like U024BE7LH.');
  if (room && !isConversationId(room))
    throw invalidRecipient('chatone_channel_id', 'The id of a Slack (chatone) channel looks like C024BE91L.');
  const target = user || room;
  if (target) {
    checkSameTarget(recipient, user ? 'chatone_user_id' : 'chatone_channel_id', target);
    return target;
  }
  if (address && !isUserId(address) && !isConversationId(address))
    throw invalidRecipient(
      'address',
      'recipient.address must be the id of a Slack (chatone) channel or user, such as C024BE91L or U024BE7LH.',
    );
  if (!address && !recipient.external_user_id)
    throw missingParameter('recipient.chatone_user_id', 'recipient.external_user_id');
  return address || null;
}

/** User ids start with U or, in large organizations, with W. */
export function isUserId(text: string): boolean {
  return /^[UW][A-Za-z0-9]+$/.test(text);
}

/** Conversation ids: channels (C…), private channels of the older kind (G…), and direct messages (D…). */
export function isConversationId(text: string): boolean {
  return /^[CGD][A-Za-z0-9]+$/.test(text);
}
