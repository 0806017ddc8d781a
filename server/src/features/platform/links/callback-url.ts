import type { LinkSecret, LinkSecrets } from './secrets.ts';
import { bytesOfId, idOfBytes, makeToken, readToken } from './token.ts';

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
