import { invalidRecipient } from '../../../channels/spec.ts';
import { channelSpecs } from '../../../channels/specs.ts';
import type { KnownUser } from './lookups.ts';
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

/** The channel picks the field and checks it. Fields that it does not use are ignored. */
export function resolveRecipient(
  { channel, recipient }: Pick<SendRequest, 'channel' | 'recipient'>,
  user: KnownUser | null = null,
): ResolvedRecipient {
  for (const field of ['name', 'address', 'external_user_id'] as const) {
    if (hasControlCharacter(recipient[field] ?? ''))
      throw invalidRecipient(field, `recipient.${field} must not contain control characters.`);
  }
  const rule = channelSpecs[channel].recipient;
  const { address, isOwnAddress } = rule.targetOf(recipient, user);
  const externalUserId = rule.addressIsUserId ? address : recipient.external_user_id || null;
  return {
    address,
    name: recipient.name || (recipient.address && !rule.addressIsUserId ? null : (user?.name ?? null)),
    externalUserId,
    isPair: externalUserId !== null && isOwnAddress,
  };
}
