import { createHmac } from 'node:crypto';
import { sameBytes } from '../../../../kernel/crypto.ts';

/** The provider's signature: HMAC-SHA1 of the URL it called and every form field, sorted by name, keyed by the auth token. */
export function signatureOf(authToken: string, url: string, form: URLSearchParams): string {
  return signer(authToken, form)(url);
}

/** Reads the fields once, for all candidates of the URL. */
function signer(authToken: string, form: URLSearchParams): (url: string) => string {
  const fields = signedFields(form);
  return (url) =>
    createHmac('sha1', authToken)
      .update(url + fields)
      .digest('base64');
}

function signedFields(form: URLSearchParams): string {
  const values = new Map<string, Set<string>>();
  for (const [name, value] of form) values.set(name, (values.get(name) ?? new Set()).add(value));
  return sortedByBytes(values.keys())
    .flatMap((name) => sortedByBytes(values.get(name) ?? []).map((value) => name + value))
    .join('');
}

function sortedByBytes(texts: Iterable<string>): string[] {
  return [...texts]
    .map((text) => Buffer.from(text))
    .sort(Buffer.compare)
    .map(String);
}

/**
 * The provider signs the URL as it was configured, but is inconsistent about a port that the scheme implies: both forms are
 * tried.
 */
export function isSigned(authToken: string, url: string, form: URLSearchParams, signature: string): boolean {
  const given = Buffer.from(signature, 'base64');
  const sign = signer(authToken, form);
  return [url, otherPortForm(url)].some((candidate) =>
    sameBytes(given, Buffer.from(sign(candidate), 'base64')),
  );
}

function otherPortForm(url: string): string {
  const [, start = '', host = '', port, rest = ''] =
    /^(https?:\/\/)([^/:?]+|\[[^\]]+\])(:\d+)?(.*)$/s.exec(url) ?? [];
  if (!start) return url;
  const implied = start === 'https://' ? ':443' : ':80';
  if (port === undefined) return start + host + implied + rest;
  return port === implied ? start + host + rest : url;
}
