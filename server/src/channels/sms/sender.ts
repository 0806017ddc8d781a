import { parsePhoneNumberFromString } from 'libphonenumber-js/min';

/** Where carriers deliver nothing that comes from a name instead of a number. */
const numbersOnly: ReadonlySet<string> = new Set(['US', 'CA']);

/** Alphanumeric sender ids (GSM 03.38 TP-OA): what every provider here takes. */
export function senderIdProblem(senderId: string, allowSpaces: boolean): string | null {
  const allowed = allowSpaces ? /^[A-Za-z0-9 ]{1,11}$/ : /^[A-Za-z0-9]{1,11}$/;
  if (!allowed.test(senderId) || senderId.trim() !== senderId)
    return `must be 1 to 11 letters (A–Z, without accents) and digits${allowSpaces ? ', with spaces between' : ''}`;
  return /[A-Za-z]/.test(senderId) ? null : 'must contain a letter; a number goes into from_number';
}

export interface SenderChoice {
  fromNumber: string | null;
  fromSenderId: string | null;
}

/** Who a message to this number comes from: the name where names are delivered, else the number. */
export function senderFor(
  { fromNumber, fromSenderId }: SenderChoice,
  to: string,
): string | { problem: string } {
  if (!fromSenderId) return fromNumber ?? { problem: 'The SMS settings name no sender.' };
  const country = parsePhoneNumberFromString(to)?.country;
  if (country === undefined || !numbersOnly.has(country)) return fromSenderId;
  return (
    fromNumber ?? {
      problem: `Numbers in ${country} take no messages from an alphanumeric sender; set from_number in the SMS settings.`,
    }
  );
}
