import { emailKey } from '../../../channels/address-key.ts';
import { parseEmailAddress } from '../../../channels/email/address.ts';
import { type Eraser, wholeSlice } from '../users/index.ts';
import { deleteDecisions } from './cells-store.ts';

/** The preferences of a person are few rows: one slice. */
export const preferenceEraser: Eraser = {
  async erase(tx, { environmentId, externalUserId, aliases }) {
    const keys = new Set([externalUserId, ...aliases].map(userKeyOf));
    await deleteDecisions(tx, environmentId, [...keys]);
    return wholeSlice;
  },
};

/**
 * The owner of a preference: the external_user_id, or else the address. Spellings of one email address are one person, so that
 * an opt-out as Ada@Example.com holds for ada@example.com; any other id is compared exactly.
 */
export function userKeyOf(user: string): string {
  if (!user.includes('@')) return user;
  const parsed = parseEmailAddress(user);
  return 'problem' in parsed ? user : emailKey(parsed.address);
}
