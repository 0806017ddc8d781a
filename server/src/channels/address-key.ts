import { domainToASCII, domainToUnicode } from 'node:url';
import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { parseEmailAddress } from './email/address.ts';

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

/** Plain ASCII: the key is the address in lower case. */
export const isPlainAddress = (address: string): boolean => !/[^\x20-\x7e]/.test(address);

/**
 * Two spellings of one address have the same key, so a refusal under one spelling holds for all of them. The part before the @
 * may formally be case-sensitive (RFC 5321), but no large mailbox provider makes that difference, and a hard bounce of Ada@
 * must also suppress ada@. Plus-tags are kept: `ada+news@` is an address that its owner made on purpose.
 */
export function emailKey(address: string): string {
  // The common case skips the cost of normalization and the IDNA mapping.
  if (isPlainAddress(address)) return address.toLowerCase();
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1);
  return `${address.slice(0, at).normalize('NFC').toLowerCase()}@${domainToASCII(domain) || domain.toLowerCase()}`;
}

/**
 * The spellings under which an email address may be stored where the sender's spelling was kept: an internationalized domain in
 * either form, accents as one character or as two. Upper and lower case are not covered: the search must be case-insensitive.
 */
export function emailSpellings(address: string): string[] {
  const forms = (text: string): string[] => [text.normalize('NFC'), text.normalize('NFD')];
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1);
  const domains = [domain, domainToASCII(domain), ...forms(domainToUnicode(domain))];
  const spellings = forms(address.slice(0, at)).flatMap((local) => domains.map((form) => `${local}@${form}`));
  return [...new Set(spellings)];
}

export function parsePhoneNumber(text: string): { number: string } | { problem: string } {
  const parsed = /^\+[1-9]\d{1,14}$/.test(text) ? parsePhoneNumberFromString(text) : undefined;
  if (!parsed?.isPossible())
    return { problem: 'must be a phone number in E.164 format, for example +14155550123' };
  return { number: parsed.number };
}
