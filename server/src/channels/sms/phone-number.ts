import { parsePhoneNumberFromString } from 'libphonenumber-js/min';

export function parsePhoneNumber(text: string): { number: string } | { problem: string } {
  const parsed = /^\+[1-9]\d{1,14}$/.test(text) ? parsePhoneNumberFromString(text) : undefined;
  if (!parsed?.isPossible())
    return { problem: 'must be a phone number in E.164 format, for example +14155550123' };
  return { number: parsed.number };
}
