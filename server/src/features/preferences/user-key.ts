import { emailKey } from '../../channels/address-key.ts';
import { parseEmailAddress } from '../../channels/email/address.ts';

/**
 * Whom a preference belongs to: the external_user_id, else the address. Spellings of one email address are one person, so
 * that opting out as Ada@Example.com holds for ada@example.com; any other id is taken to the letter.
 */
export function userKeyOf(user: string): string {
  if (!user.includes('@')) return user;
  const parsed = parseEmailAddress(user);
  return 'problem' in parsed ? user : emailKey(parsed.address);
}
