import { importPKCS8, SignJWT } from 'jose';
import type { Clock } from '../../../kernel/clock.ts';
import { shownText } from '../../exchange.ts';
import { type Outbound, type OutboundAnswer, parseRetryAfter } from '../../http.ts';
import { jsonObject, textIn } from '../../json.ts';
import { callTimeoutMs, failedCall, maxAnswerBytes, type PushOutcome } from './contract.ts';

/** The parts of Google's key file that are needed. */
export interface ServiceAccount {
  projectId: string;
  clientEmail: string;
  /** PKCS #8 in PEM. */
  privateKey: string;
  /** Exchanges a signed assertion for an access token. */
  tokenUri: string;
}

export interface AccessToken {
  text: string;
  expiresAt: number;
}

/** No access token can be had; the outcome of the push says why. */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused';
  readonly outcome: PushOutcome;
  constructor(outcome: PushOutcome) {
    super(outcome.detail);
    this.outcome = outcome;
  }
}

interface AccessTokens {
  /** Throws TokenRefused. */
  current(): Promise<AccessToken>;
  /** Replaces a token that was refused, once for all calls that used it. */
  renewed(refused: AccessToken): Promise<AccessToken>;
}

const scope = 'https://www.googleapis.com/auth/firebase.messaging';
const assertionSeconds = 3_600;
const renewBeforeMs = 5 * 60_000;
const defaultSeconds = 3_600;

/** Access tokens of a service account (RFC 7523). Calls that need one at the same time share one request. */
export function createAccessTokens(
  { clientEmail, privateKey, tokenUri }: ServiceAccount,
  { outbound, clock }: { outbound: Outbound; clock: Clock },
): AccessTokens {
  let token: AccessToken | null = null;
  let pending: Promise<AccessToken> | null = null;

  async function assertion(): Promise<string> {
    const now = Math.floor(clock() / 1000);
    try {
      return await new SignJWT({ scope })
        .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
        .setIssuer(clientEmail)
        .setAudience(tokenUri)
        .setIssuedAt(now)
        .setExpirationTime(now + assertionSeconds)
        .sign(await importPKCS8(privateKey, 'RS256'));
    } catch {
      throw new TokenRefused({
        kind: 'broken',
        detail: 'The private key of the service account cannot sign.',
        code: 'private_key',
      });
    }
  }

  async function fetchToken(): Promise<AccessToken> {
    const jwt = await assertion();
    const answer = await outbound.request({
      method: 'POST',
      url: tokenUri,
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        assertion: jwt,
      }).toString(),
      timeoutMs: callTimeoutMs,
      maxBytes: maxAnswerBytes,
    });
    if (answer.kind === 'failure') throw new TokenRefused(failedCall(answer));
    const json = jsonObject(answer.body.toString('utf8'));
    const text = textIn(json, 'access_token');
    if (answer.status !== 200 || text === null) throw new TokenRefused(refusal(answer, jwt, clock()));
    const seconds = typeof json?.expires_in === 'number' ? json.expires_in : defaultSeconds;
    token = { text, expiresAt: clock() + seconds * 1000 };
    return token;
  }

  function renew(): Promise<AccessToken> {
    pending ??= fetchToken().finally(() => {
      pending = null;
    });
    return pending;
  }

  return {
    current: async () => (token && clock() < token.expiresAt - renewBeforeMs ? token : renew()),
    renewed: async (refused) => (token && token !== refused ? token : renew()),
  };
}

function refusal({ status, headers, body }: OutboundAnswer, jwt: string, now: number): PushOutcome {
  const json = jsonObject(body.toString('utf8'));
  const why = shownText(textIn(json, 'error_description') ?? textIn(json, 'error') ?? '', [jwt]);
  const detail = `Google issues no access token: ${status}${why ? ` ${why}` : ''}`;
  const code = shownText(textIn(json, 'error') ?? String(status), [jwt]);
  const passes = status === 429 || status >= 500;
  return {
    kind: passes ? 'retry' : 'broken',
    detail,
    code,
    ...(passes ? { retryAfterMs: parseRetryAfter(headers['retry-after'], now) } : {}),
  };
}
