import { parsePhoneNumber } from '../../channels/address-key.ts';
import { isConversationId, isUserId } from '../../channels/chatone/index.ts';
import { parseEmailAddress } from '../../channels/email/address.ts';
import { parseTarget } from '../../channels/net.ts';
import { missingParameter, Problem } from '../../kernel/errors.ts';
import { chatEndpointOf, type KnownUser, type RecipientField } from './lookups.ts';
import type { SendRequest } from './schema.ts';

/** The recipient of a notification, resolved by the rules of its channel. */
export interface ResolvedRecipient {
  /** The target: an address, a number, a user id, a URL, an endpoint key. */
  address: string;
  name: string | null;
  externalUserId: string | null;
  /** The request named both a user and their own address: the pair is stored. */
  isPair: boolean;
}

const hasControlCharacter = (text: string): boolean => /\p{Cc}/u.test(text);

function invalid(field: string, message: string): Problem {
  return new Problem('recipient_invalid', message, { param: `recipient.${field}` });
}

/** Picks the field by channel and checks it. Fields that the channel does not use are ignored. */
export function resolveRecipient(
  request: Pick<SendRequest, 'channel' | 'recipient'>,
  user: KnownUser | null = null,
): ResolvedRecipient {
  const { channel, recipient } = request;
  for (const field of ['name', 'address', 'external_user_id'] as const) {
    if (hasControlCharacter(recipient[field] ?? ''))
      throw invalid(field, `recipient.${field} must not contain control characters.`);
  }
  const externalUserId = recipient.external_user_id || null;
  const address = recipient.address || null;
  const name = recipient.name || (address ? null : (user?.name ?? null));
  const person = { name, externalUserId, isPair: Boolean(externalUserId && address) };

  switch (channel) {
    case 'email':
      return { address: checkEmail(address ?? storedAddress(user?.email, externalUserId)), ...person };
    case 'sms':
      return { address: checkPhone(address ?? storedAddress(user?.phone, externalUserId)), ...person };
    case 'in_app': {
      const id = externalUserId ?? address;
      if (!id) throw missingParameter('recipient.external_user_id');
      if (id.length > 255) throw invalid('address', 'The user id must have at most 255 characters.');
      return { address: id, name, externalUserId: id, isPair: false };
    }
    case 'webhook':
      // The existence of the endpoint is checked in checkRequest.
      if (recipient.endpoint) return { address: recipient.endpoint.toLowerCase(), ...person, isPair: false };
      if (!address) throw missingParameter('recipient.address');
      return { address: checkUrl(address), ...person, isPair: false };
    case 'chatone': {
      const given = chatoneTarget(request);
      const target = given ?? storedAddress(user?.chatone_user_id, externalUserId);
      return { address: target, ...person, isPair: Boolean(externalUserId && given && isUserId(given)) };
    }
    case 'chattwo':
    case 'chatthree':
      return { address: endpointOf(channel, request), ...person, isPair: false };
  }
}

function storedAddress(stored: string | null | undefined, externalUserId: string | null): string {
  if (stored) return stored;
  if (externalUserId) {
    throw new Problem(
      'recipient_unresolvable',
      'No address is stored for this external_user_id on this channel.',
      {
        param: 'recipient.external_user_id',
      },
    );
  }
  throw missingParameter('recipient.address');
}

function checkEmail(text: string): string {
  const parsed = parseEmailAddress(text);
  if ('problem' in parsed) throw invalid('address', `recipient.address ${parsed.problem}.`);
  return parsed.address;
}

function checkPhone(text: string): string {
  const parsed = parsePhoneNumber(text);
  if ('problem' in parsed) throw invalid('address', `recipient.address ${parsed.problem}.`);
  return parsed.number;
}

function checkUrl(text: string): string {
  // The sender decides which addresses are allowed, not this check: in Test nothing is called at all.
  const target = parseTarget(text, 'all');
  if ('problem' in target) throw invalid('address', `recipient.address ${target.problem}.`);
  return text;
}

type Request = Pick<SendRequest, 'recipient'>;

/** `address` is checked like the typed fields, and must not contradict them. */
function checkAddress({ recipient }: Request, field: RecipientField, target: string): void {
  if (recipient.address && recipient.address !== target)
    throw invalid(
      'address',
      `recipient.address and recipient.${field} name different targets; give one of them.`,
    );
}

/** Returns null when the request names no target except `external_user_id`. */
function chatoneTarget(request: Request): string | null {
  const { chatone_user_id: user, chatone_channel_id: room, address } = request.recipient;
  if (user && room) {
    throw invalid('chatone_channel_id', 'Give chatone_user_id or chatone_channel_id, not both.');
  }
  if (user && !isUserId(user))
    throw invalid('chatone_user_id', 'The id of a Slack (chatone) user looks like U024BE7LH.');
  if (room && !isConversationId(room))
    throw invalid('chatone_channel_id', 'The id of a Slack (chatone) channel looks like C024BE91L.');
  const target = user || room;
  if (target) {
    checkAddress(request, user ? 'chatone_user_id' : 'chatone_channel_id', target);
    return target;
  }
  if (address && !isUserId(address) && !isConversationId(address))
    throw invalid(
      'address',
      'recipient.address must be the id of a Slack (chatone) channel or user, such as C024BE91L or U024BE7LH.',
    );
  if (!address && !request.recipient.external_user_id) throw missingParameter('recipient.chatone_user_id');
  return address || null;
}

/** The key or id of the endpoint; its existence is checked in checkRequest. */
function endpointOf(channel: 'chattwo' | 'chatthree', request: Request): string {
  const named = chatEndpointOf(channel, request.recipient);
  if (!named) throw missingParameter('recipient.endpoint');
  checkAddress(request, named.field, named.name);
  return named.name;
}
