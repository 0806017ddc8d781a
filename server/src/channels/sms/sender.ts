import { parsePhoneNumberFromString } from 'libphonenumber-js/min';

/** Countries whose carriers deliver nothing from an alphanumeric sender. */
const numbersOnly: ReadonlySet<string> = new Set(['US', 'CA']);

/** Alphanumeric sender ids (GSM 03.38 TP-OA), within the limits of every provider here. */
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

/** The sender of a message to this number: the name where names are delivered, else the number. */
export function senderFor(
  { fromNumber, fromSenderId }: SenderChoice,
  to: string,
): string | { problem: string } {
  if (!fromSenderId) return fromNumber ?? { problem: 'The SMS settings have no sender.' };
  const country = parsePhoneNumberFromString(to)?.country;
  if (country === undefined || !numbersOnly.has(country)) return fromSenderId;
  return (
    fromNumber ?? {
      problem: `Numbers in ${country} do not accept alphanumeric senders; set from_number in the SMS settings.`,
    }
  );
}
