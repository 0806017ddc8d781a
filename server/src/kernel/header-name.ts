/** Carries the chain of workflow runs through webhooks and calls; a trigger that brings it back continues the chain. */
export const chainHeader = 'carillon-chain';

/**
 * Headers that tenants cannot set: those of the connection itself (RFC 9110 7.6.1), and those with which proxies identify the
 * caller. A receiver behind a proxy trusts the last group, because only proxies set them.
 */
const ours: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'cf-connecting-ip',
  'client-ip',
  'fastly-client-ip',
  'forwarded',
  'true-client-ip',
  'via',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-original-forwarded-for',
  'x-original-host',
  'x-original-url',
  'x-real-ip',
  'x-rewrite-url',
]);
const ourFamilies = /^(?:proxy|x-forwarded)(?:-|$)/;

/** Returns why a call cannot have a header of this name; null when it can. `reserved` are further names that the caller sets. */
export function headerNameProblem(name: string, reserved: readonly string[] = []): string | null {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return 'is not a valid header';
  // Many receivers read an underscore as a hyphen (CGI).
  const plain = name.toLowerCase().replaceAll('_', '-');
  const isOurs = ours.has(plain) || ourFamilies.test(plain) || reserved.includes(plain);
  return isOurs ? 'is a header that only the service can set' : null;
}
