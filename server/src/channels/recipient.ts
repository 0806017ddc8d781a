import { missingParameter, Problem } from '../kernel/errors.ts';
import type { RecipientField, RecipientInput } from './spec.ts';

/** What the recipient rules of several channels share. */

export function invalidRecipient(field: RecipientField, message: string): Problem {
  return new Problem('recipient_invalid', message, { param: `recipient.${field}` });
}

/** The address that is stored with the user that the request names. */
export function storedAddress(stored: string | null | undefined, recipient: RecipientInput): string {
  if (stored) return stored;
  if (!recipient.external_user_id) throw missingParameter('recipient.address', 'recipient.external_user_id');
  throw new Problem(
    'recipient_unresolvable',
    'No address is stored for this external_user_id on this channel.',
    {
      param: 'recipient.external_user_id',
    },
  );
}

/** `address` is checked like the typed fields, and must not contradict them. */
export function checkSameTarget(recipient: RecipientInput, field: RecipientField, target: string): void {
  if (recipient.address && recipient.address !== target)
    throw invalidRecipient(
      'address',
      `recipient.address and recipient.${field} are different targets; set one of them.`,
    );
}
