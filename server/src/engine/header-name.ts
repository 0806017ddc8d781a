/** What the call itself is made of, and the key by which a repetition is known: no author can know their values. */
const ours: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'idempotency-key',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
]);

/** Why a fetch step cannot have a header of this name; null when it can. */
export function headerNameProblem(name: string): string | null {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return 'is not a valid header';
  return ours.has(name.toLowerCase()) ? 'is a header that only the service can set' : null;
}
