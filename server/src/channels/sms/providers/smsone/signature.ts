import { createHmac } from 'node:crypto';
import { sameBytes } from '../../../../kernel/crypto.ts';

/** The provider's signature: HMAC-SHA1 of the URL it called and every form field, sorted by name, keyed by the auth token. */
export function signatureOf(authToken: string, url: string, form: URLSearchParams): string {
  const names = [...new Set(form.keys())].sort(byBytes);
  const fields = names.map((name) =>
    [...new Set(form.getAll(name))]
      .sort(byBytes)
      .map((value) => name + value)
      .join(''),
  );
  return createHmac('sha1', authToken)
    .update(url + fields.join(''))
    .digest('base64');
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/**
 * The provider signs the URL as it was configured, but is inconsistent about a port that the scheme implies: both forms are
 * tried.
 */
export function isSigned(authToken: string, url: string, form: URLSearchParams, signature: string): boolean {
  const given = Buffer.from(signature, 'base64');
  return [url, otherPortForm(url)].some((candidate) =>
    sameBytes(given, Buffer.from(signatureOf(authToken, candidate, form), 'base64')),
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
