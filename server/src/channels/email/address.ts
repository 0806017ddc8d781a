import { domainToASCII, domainToUnicode } from 'node:url';

/**
 * A bare email address (RFC 5321 dot-atom, RFC 6531 UTF-8): no display name, brackets, comments, quoted local part or address
 * literal. The last two are valid, but several providers refuse them, and nobody's mailbox has one. An address that passes cannot
 * break out of a header or an SMTP command. The spelling is kept, except for the domain, which is lowercased.
 */
type ParsedAddress = { address: string } | { problem: string };

/** The path of an SMTP command has at most 256 octets, with its angle brackets (RFC 5321, 4.5.3.1.3). */
const maxPathLength = 254;
const maxLocalOctets = 64;
const maxDomainLength = 255;
/** Reply-To is a header and never a path: only the limits of the two parts hold. */
const maxReplyToLength = maxLocalOctets + 1 + maxDomainLength;

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const asciiDomain = new RegExp(`^(?:${label}\\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$`);
// Outside ASCII anything visible is allowed: no controls, separators, surrogates, unassigned code points or replacement
// characters (U+FFFD).
const atom = "(?:[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]|(?![\\p{C}\\p{Z}\\ufffd])[^\\x00-\\x7f])+";
const dotAtom = new RegExp(`^${atom}(?:\\.${atom})*$`, 'u');

export const parseEmailAddress = (text: string): ParsedAddress => parseAddress(text, maxPathLength);

export const parseReplyTo = (text: string): ParsedAddress => parseAddress(text, maxReplyToLength);

function parseAddress(text: string, maxLength: number): ParsedAddress {
  if (text !== text.trim()) return { problem: 'must not have spaces before or after it' };
  if (text.length > maxLength) return { problem: `must have at most ${maxLength} characters` };
  const at = text.lastIndexOf('@');
  if (at < 1 || at === text.length - 1)
    return { problem: 'must be a bare email address such as ada@example.com' };
  const local = text.slice(0, at);
  const domain = text.slice(at + 1).toLowerCase();
  if (/^".*"$/s.test(local))
    return { problem: 'must not have quotes before the @: mail providers refuse such addresses' };
  if (!dotAtom.test(local))
    return { problem: 'must be a bare email address; the part before the @ is not valid' };
  if (Buffer.byteLength(local) > maxLocalOctets) {
    return { problem: `must have at most ${maxLocalOctets} bytes before the @` };
  }
  const problem = domainProblem(domain);
  return problem === null ? { address: `${local}@${domain}` } : { problem };
}

function domainProblem(domain: string): string | null {
  if (/^\[.*\]$/s.test(domain)) return 'must have a domain after the @, not an IP address in brackets';
  if (domain.length > maxDomainLength) return `must have at most ${maxDomainLength} characters after the @`;
  if (!domain.includes('.')) return 'must have a full domain after the @';
  // Plain ASCII domains are the common case and skip the cost of the IDNA mapping.
  if (!domain.includes('xn--') && asciiDomain.test(domain)) return null;
  if (!/^[\p{L}\p{M}\p{N}.-]+$/u.test(domain)) return 'must have a valid domain after the @';
  const ascii = domainToASCII(domain);
  const labels = domainToUnicode(ascii).split('.');
  // Newer versions of Node leave labels that cannot be decoded unchanged.
  const isDecoded = !labels.some((label) => label.startsWith('xn--'));
  if (ascii.length > maxDomainLength || !asciiDomain.test(ascii) || !isDecoded)
    return 'must have a valid domain after the @';
  return labels.some(mixesAlphabets) ? 'must not mix alphabets within the domain' : null;
}

/** Latin beside look-alike alphabets in one label: registries do not allow it, only impostors use it. */
function mixesAlphabets(text: string): boolean {
  return (
    /\p{Script=Latin}/u.test(text) && /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}]/u.test(text)
  );
}

/** The address as it is sent: the domain in its ASCII form. A local part outside ASCII stays (it needs SMTPUTF8). */
export function envelopeAddress(address: string): string {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, at)}@${domainOf(address)}`;
}

/** The domain of an address, in ASCII. */
export function domainOf(address: string): string {
  const domain = address.slice(address.lastIndexOf('@') + 1);
  return domainToASCII(domain) || domain;
}

/** The addresses of an email, by their names in the API. */
interface Addresses {
  from: { address: string };
  to: { address: string };
  replyTo: string | null;
}
export type AddressField = 'from' | 'to' | 'reply_to';

/** The addresses with characters outside ASCII before the @: they can only be sent where SMTPUTF8 is supported (RFC 6531). */
export function utf8Addresses({ from, to, replyTo }: Addresses): AddressField[] {
  const fields = [
    ['from', from.address],
    ['to', to.address],
    ['reply_to', replyTo ?? ''],
  ] as const;
  return fields.flatMap(([field, address]) =>
    /\P{ASCII}/u.test(address.slice(0, address.lastIndexOf('@'))) ? [field] : [],
  );
}

const maxNameLength = 200;

/** Returns the problem with a display name (`from_name`); null when there is none. */
export function displayNameProblem(name: string): string | null {
  // A character outside the Basic Multilingual Plane has a length of two, and the limit is in characters.
  if (name.length > maxNameLength * 2 || [...name].length > maxNameLength)
    return `must have at most ${maxNameLength} characters`;
  if (/[<>\p{Cc}\u2028\u2029]/u.test(name)) return 'must not contain <, > or control characters';
  return null;
}
