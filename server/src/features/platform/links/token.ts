import { createHmac } from 'node:crypto';
import { sameBytes } from '../../../kernel/crypto.ts';
import { handleBytes, type LinkSecret, type LinkSecrets } from './secrets.ts';

/** The purpose of a link: a token of one purpose is invalid for another. */
type Purpose = 'callback' | 'open' | 'click';

const version = 1;
const tagBytes = 16;
const headBytes = 1 + handleBytes;

/**
 * `version · handle · tag · payload`, where the tag authenticates everything. The payload is readable by every holder of the
 * link, and cannot be altered; the same payload always gives the same token.
 */
export function makeToken(secret: LinkSecret, purpose: Purpose, payload: Buffer): string {
  const head = Buffer.concat([Buffer.of(version), secret.handle]);
  return Buffer.concat([head, tagOf(secret, purpose, head, payload), payload]).toString('base64url');
}

/** Returns null unless the token is exactly one that we made. */
export async function readToken(
  secrets: LinkSecrets,
  purpose: Purpose,
  token: string,
): Promise<{ environmentId: string; payload: Buffer } | null> {
  const bytes = Buffer.from(token, 'base64url');
  // Several texts decode to the same bytes; only the canonical encoding is a token.
  if (bytes.length <= headBytes + tagBytes || bytes[0] !== version || bytes.toString('base64url') !== token)
    return null;
  const head = bytes.subarray(0, headBytes);
  const payload = bytes.subarray(headBytes + tagBytes);
  const secret = await secrets.find(head.subarray(1));
  if (!secret) return null;
  const isOurs = sameBytes(
    bytes.subarray(headBytes, headBytes + tagBytes),
    tagOf(secret, purpose, head, payload),
  );
  return isOurs ? { environmentId: secret.environmentId, payload } : null;
}

function tagOf({ secret }: LinkSecret, purpose: Purpose, head: Buffer, payload: Buffer): Buffer {
  return createHmac('sha256', secret)
    .update(`carillon link ${purpose}\0`)
    .update(head)
    .update(payload)
    .digest()
    .subarray(0, tagBytes);
}

/** Links contain ids as their 16 bytes. */
export function bytesOfId(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

export function idOfBytes(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/**
 * The URL that a provider reports to. The URL cannot be guessed and stays the same as long as the provider is configured; it
 * needs no row of its own, and identifies the provider before any of the report is trusted.
 */
export function callbackUrl(publicUrl: string, secret: LinkSecret, kind: string, providerId: string): string {
  return `${publicUrl}/hooks/${kind}/${makeToken(secret, 'callback', bytesOfId(providerId))}`;
}

/** The callback URL of one provider, when the secret of its environment is not loaded. */
export async function callbackUrlFor(
  secrets: LinkSecrets,
  publicUrl: string,
  provider: { environmentId: string; kind: string; id: string },
): Promise<string | null> {
  const secret = (await secrets.secretsFor([provider.environmentId])).get(provider.environmentId);
  return secret ? callbackUrl(publicUrl, secret, provider.kind, provider.id) : null;
}

export async function readCallbackToken(
  secrets: LinkSecrets,
  token: string,
): Promise<{ environmentId: string; providerId: string } | null> {
  const read = await readToken(secrets, 'callback', token);
  if (read?.payload.length !== 16) return null;
  return { environmentId: read.environmentId, providerId: idOfBytes(read.payload) };
}
