import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { parseEmailAddress } from '../../channels/email/address.ts';
import { missingParameter, Problem } from '../../kernel/errors.ts';
import type { SendRequest } from './schema.ts';

/** Who a notification goes to, by the rules of its channel. */
export interface ResolvedRecipient {
  /** What it is sent to: an address, a number, a user id, a URL, an endpoint key. */
  address: string;
  name: string | null;
  externalUserId: string | null;
}

const hasControlCharacter = (text: string): boolean => /\p{Cc}/u.test(text);

function invalid(field: string, message: string): Problem {
  return new Problem('recipient_invalid', message, { param: `recipient.${field}` });
}

/** Picks the field by channel and checks it. Fields that the channel does not use are ignored. */
export function resolveRecipient(request: Pick<SendRequest, 'channel' | 'recipient'>): ResolvedRecipient {
  const { channel, recipient } = request;
  for (const field of ['name', 'address', 'external_user_id'] as const) {
    if (hasControlCharacter(recipient[field] ?? ''))
      throw invalid(field, `recipient.${field} must not contain control characters.`);
  }
  const name = recipient.name || null;
  const externalUserId = recipient.external_user_id || null;
  const address = recipient.address || null;

  switch (channel) {
    case 'email':
      return { address: checkEmail(requireAddress(address, externalUserId)), name, externalUserId };
    case 'sms':
      return { address: checkPhone(requireAddress(address, externalUserId)), name, externalUserId };
    case 'in_app': {
      const user = externalUserId ?? address;
      if (!user) throw missingParameter('recipient.external_user_id');
      if (user.length > 255) throw invalid('address', 'The user id must have at most 255 characters.');
      return { address: user, name, externalUserId: user };
    }
    case 'webhook':
      if (recipient.endpoint) {
        throw new Problem('endpoint_not_found', 'There is no webhook endpoint with this id.', {
          param: 'recipient.endpoint',
        });
      }
      if (!address) throw missingParameter('recipient.address');
      return { address: checkUrl(address), name, externalUserId };
    case 'chatone':
    case 'chattwo':
    case 'chatthree':
      return { address: chatTarget(request), name, externalUserId };
  }
}

function requireAddress(address: string | null, externalUserId: string | null): string {
  if (address) return address;
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
  const number = /^\+[1-9]\d{1,14}$/.test(text) ? parsePhoneNumberFromString(text) : undefined;
  if (!number?.isPossible()) {
    throw invalid(
      'address',
      'recipient.address must be a phone number in E.164 form, for example +14155550123.',
    );
  }
  return number.number;
}

function checkUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw invalid('address', 'recipient.address must be an http or https URL.');
  if (url.username || url.password)
    throw invalid('address', 'recipient.address must not carry a user name or password.');
  return text;
}

/** The id or key that a chat send goes to; whether it exists is looked up by the connections feature. */
function chatTarget({ channel, recipient }: Pick<SendRequest, 'channel' | 'recipient'>): string {
  if (channel === 'chatone') {
    const { chatone_user_id: user, chatone_channel_id: room } = recipient;
    if (user && room) {
      throw invalid('chatone_channel_id', 'Give chatone_user_id or chatone_channel_id, not both.');
    }
    const target = user || room;
    if (!target) throw missingParameter('recipient.chatone_user_id');
    return target;
  }
  const field = channel === 'chattwo' ? 'chattwo_endpoint_id' : 'chatthree_endpoint_id';
  const target = recipient.endpoint || recipient[field];
  if (!target) throw missingParameter('recipient.endpoint');
  return target;
}
