import { createHmac, randomBytes } from 'node:crypto';

/** Standard Webhooks 1.0.0 (standardwebhooks.com), symmetric signatures. Any of its libraries verifies these signatures. */
const prefix = 'whsec_';

export function newSigningSecret(): string {
  return prefix + randomBytes(32).toString('base64');
}

interface SignedHeaders {
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
}

/** One signature for each secret, newest first: during a rotation the receiver may know either. */
export function signedHeaders(
  secrets: readonly string[],
  id: string,
  nowMs: number,
  body: string,
): SignedHeaders {
  const timestamp = String(Math.floor(nowMs / 1000));
  const content = `${id}.${timestamp}.${body}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => `v1,${signature(secret, content)}`).join(' '),
  };
}

function signature(secret: string, content: string): string {
  const key = Buffer.from(secret.slice(prefix.length), 'base64');
  return createHmac('sha256', key).update(content).digest('base64');
}
