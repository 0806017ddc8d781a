import { createHmac } from 'node:crypto';
import { sameBytes } from '../../kernel/crypto.ts';

const windowSeconds = 300;

/** Returns null when the service signed this request within the last five minutes, else a sentence with the reason. */
export function signatureProblem(
  secret: string,
  headers: { timestamp: string | undefined; signature: string | undefined },
  body: Buffer,
  nowMs: number,
): string | null {
  const { timestamp, signature } = headers;
  if (!timestamp || !signature) return 'The request is not signed.';
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(nowMs / 1000 - Number(timestamp)) > windowSeconds)
    return 'The signature is older than five minutes.';
  const expected = createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex');
  if (!sameBytes(Buffer.from(`v0=${expected}`), Buffer.from(signature)))
    return 'The signature does not match.';
  return null;
}
