import { domainToASCII, domainToUnicode } from 'node:url';
import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { parseEmailAddress } from './email/address.ts';

/**
 * When are two addresses the same? What somebody refused, under one spelling, must hold for all of them. The part before the
 * @ may formally be case-sensitive (RFC 5321), but no mailbox provider of any size makes that difference, and a hard bounce of
 * Ada@ that ada@ escapes helps nobody. Plus-tags are kept: `ada+news@` is an address that its owner made on purpose.
 */
export function emailKey(address: string): string {
  // The common case, without the cost of normalisation and the IDNA mapping.
  if (!/[^\x20-\x7e]/.test(address)) return address.toLowerCase();
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1);
  return `${address.slice(0, at).normalize('NFC').toLowerCase()}@${domainToASCII(domain) || domain.toLowerCase()}`;
}

/**
 * How an email address may stand where the spelling of its sender was kept: an internationalised domain in either form, accents
 * as one character or as two. Not upper and lower case: whoever searches must ignore it.
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
    return { problem: 'must be a phone number in E.164 form, for example +14155550123' };
  return { number: parsed.number };
}

/** The normal form of an email address or a phone number; or what is wrong with it. */
export function parseAddressKey(text: string): { key: string } | { problem: string } {
  if (text.includes('@')) {
    const parsed = parseEmailAddress(text);
    return 'problem' in parsed ? parsed : { key: emailKey(parsed.address) };
  }
  if (!/^[+\d]/.test(text)) return { problem: 'must be an email address or a phone number in E.164 form' };
  const parsed = parsePhoneNumber(text);
  return 'problem' in parsed ? parsed : { key: parsed.number };
}
