import { parseEmailAddress } from './email/address.ts';
import { emailKey } from './email/address-key.ts';
import { parsePhoneNumber } from './sms/phone-number.ts';

/** Returns the normal form of an email address or a phone number, or the problem with it. */
export function parseAddressKey(text: string): { key: string } | { problem: string } {
  if (text.includes('@')) {
    const parsed = parseEmailAddress(text);
    return 'problem' in parsed ? parsed : { key: emailKey(parsed.address) };
  }
  if (!/^[+\d]/.test(text)) return { problem: 'must be an email address or a phone number in E.164 format' };
  const parsed = parsePhoneNumber(text);
  return 'problem' in parsed ? parsed : { key: parsed.number };
}
