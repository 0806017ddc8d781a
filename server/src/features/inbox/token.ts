import { decodeJwt, errors, jwtVerify, SignJWT } from 'jose';
import { type RecipientScope, recipientScopes } from '../../http/principal.ts';
import { Problem } from '../../kernel/errors.ts';
import { isUuid } from '../../kernel/ids.ts';

/**
 * End-user tokens: JWTs that an application signs, or lets us sign, for one of its users. All checks of a token are here; the
 * valid keys are passed in.
 */
export const tokenLimits = {
  minSeconds: 60,
  maxSeconds: 86_400,
  defaultSeconds: 900,
  skewSeconds: 60,
  /** How long a signing key verifies tokens after it was replaced. */
  overlapSeconds: 86_400,
} as const;
export const userIdLimit = 255;

interface TokenClaims {
  externalUserId: string;
  scopes: ReadonlySet<RecipientScope>;
  expiresAtMs: number;
}

const algorithm = 'HS256';
/** The key is the text as it was shown, including the prefix: without decoding, there is no ambiguity in decoding. */
const keyBytes = (signingKey: string): Uint8Array => new TextEncoder().encode(signingKey);

export async function mintToken(
  signingKey: string,
  claims: { environmentId: string; externalUserId: string; scope: string; ttlSeconds: number },
  nowMs: number,
): Promise<{ token: string; expiresAt: Date }> {
  const issuedAt = Math.floor(nowMs / 1000);
  const expiresAt = issuedAt + claims.ttlSeconds;
  const token = await new SignJWT({ scope: claims.scope })
    .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
    .setIssuer(claims.environmentId)
    .setSubject(claims.externalUserId)
    .setIssuedAt(issuedAt)
    .setExpirationTime(expiresAt)
    .sign(keyBytes(signingKey));
  return { token, expiresAt: new Date(expiresAt * 1000) };
}

/** The environment that a token claims to be from, used only to select the keys to verify with. */
export function claimedEnvironment(token: string): string {
  let issuer: unknown;
  try {
    issuer = decodeJwt(token).iss;
  } catch {
    throw refusal('is not a JWT');
  }
  if (typeof issuer !== 'string' || !isUuid(issuer)) throw refusal('has no environment as `iss`');
  return issuer.toLowerCase();
}

/** Returns null when none of the keys signed it. Throws a Problem when one did and a claim is invalid. */
export async function verifyToken(
  token: string,
  signingKeys: readonly string[],
  nowMs: number,
): Promise<TokenClaims | null> {
  for (const signingKey of signingKeys) {
    const payload = await payloadSignedBy(token, signingKey, nowMs);
    if (payload) return checkedClaims(payload, nowMs);
  }
  return null;
}

async function payloadSignedBy(
  token: string,
  signingKey: string,
  nowMs: number,
): Promise<Record<string, unknown> | null> {
  try {
    const { payload } = await jwtVerify(token, keyBytes(signingKey), {
      algorithms: [algorithm],
      currentDate: new Date(nowMs),
    });
    return payload;
  } catch (error) {
    if (error instanceof errors.JWSSignatureVerificationFailed) return null;
    if (error instanceof errors.JWTExpired) {
      throw new Problem('expired_credentials', 'This token has expired.');
    }
    if (error instanceof errors.JOSEAlgNotAllowed) throw refusal(`must be signed with ${algorithm}`);
    if (error instanceof errors.JOSEError) throw refusal('is not a valid JWT');
    throw error;
  }
}

function checkedClaims(payload: Record<string, unknown>, nowMs: number): TokenClaims {
  const { sub, scope, iat, exp } = payload;
  if (typeof sub !== 'string' || sub.length === 0 || sub.length > userIdLimit || /\p{Cc}/u.test(sub)) {
    throw refusal(`must have the user as \`sub\`, with 1 to ${userIdLimit} characters`);
  }
  if (typeof iat !== 'number' || typeof exp !== 'number') throw refusal('must have `iat` and `exp`');
  if (iat > nowMs / 1000 + tokenLimits.skewSeconds) throw refusal('was issued in the future');
  const { minSeconds, maxSeconds } = tokenLimits;
  if (exp - iat < minSeconds || exp - iat > maxSeconds) {
    throw refusal(`must be valid for ${minSeconds} seconds to ${maxSeconds / 3600} hours`);
  }
  return { externalUserId: sub, scopes: scopesOf(scope), expiresAtMs: exp * 1000 };
}

function scopesOf(scope: unknown): ReadonlySet<RecipientScope> {
  const words = typeof scope === 'string' ? scope.split(' ') : [];
  const known = recipientScopes.filter((name) => words.includes(name));
  if (known.length === 0 || known.length !== words.length) {
    throw refusal('must have `inbox`, `prefs` or `inbox prefs` as `scope`');
  }
  return new Set(known);
}

export function refusal(why: string): Problem {
  return new Problem('invalid_credentials', `The end-user token ${why}.`);
}
