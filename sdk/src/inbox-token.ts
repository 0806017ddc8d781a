import { invalid } from './errors.ts';
import { checkedSecret } from './transport.ts';

export interface MintInboxTokenOptions {
  /** `csi_…`, as `inboxTokens.rotateKey` showed it. A secret: never in a page. */
  signing_key: string;
  environment_id: string;
  /** The user, as in `recipient.external_user_id`. */
  external_user_id: string;
  /** Default: `inbox`. */
  scope?: 'inbox' | 'prefs' | 'inbox prefs' | undefined;
  /** 60 to 86,400; by default 900. */
  ttl_seconds?: number | undefined;
  /** Unix milliseconds; by default now. */
  now_ms?: number | undefined;
}

/** Makes an end-user token without a call to the service; the same as `inboxTokens.create` gives. */
export async function mintInboxToken(
  options: MintInboxTokenOptions,
): Promise<{ token: string; expires_at: string }> {
  const { environment_id, external_user_id, scope = 'inbox', ttl_seconds = 900 } = options;
  const signingKey = checkedSecret(options.signing_key, 'signing_key');
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(environment_id)) {
    throw invalid('environment_id must be a UUID.', 'environment_id');
  }
  if (!/^\P{Cc}{1,255}$/su.test(external_user_id)) {
    throw invalid(
      'external_user_id must have 1 to 255 characters without control characters.',
      'external_user_id',
    );
  }
  if (!Number.isInteger(ttl_seconds) || ttl_seconds < 60 || ttl_seconds > 86_400) {
    throw invalid('ttl_seconds must be 60 to 86400.', 'ttl_seconds');
  }
  const iat = Math.floor((options.now_ms ?? Date.now()) / 1000);
  const exp = iat + ttl_seconds;
  const claims = { iss: environment_id, sub: external_user_id, scope, iat, exp };
  const content = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
  return {
    token: `${content}.${await signature(signingKey, content)}`,
    expires_at: new Date(exp * 1000).toISOString(),
  };
}

const utf8 = new TextEncoder();

function part(value: unknown): string {
  return base64url(utf8.encode(JSON.stringify(value)));
}

async function signature(signingKey: string, content: string): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', utf8.encode(signingKey), algorithm, false, ['sign']);
  return base64url(new Uint8Array(await crypto.subtle.sign('HMAC', key, utf8.encode(content))));
}

function base64url(bytes: Uint8Array): string {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
