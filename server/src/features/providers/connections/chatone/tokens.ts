import {
  type ChatoneApi,
  createChatoneCarrier,
  describeAnswer,
  isGone,
} from '../../../../channels/chatone/index.ts';
import type { ChatoneTargets } from '../../../../channels/chatone/plan.ts';
import type { Outcome } from '../../../../channels/contract.ts';
import { createRateGuard, withRateGuard } from '../../../../channels/rate-guard.ts';
import { untilDatabaseAnswers } from '../../../../db/sql.ts';
import type { Deps } from '../../../../deps.ts';
import { type Keyring, sha256 } from '../../../../kernel/crypto.ts';
import { createConnectionHealth } from '../../provider-health/index.ts';
import {
  claimTokenRefresh,
  type InstallationRow,
  listInstallationsById,
  markTokenRefreshed,
} from './store.ts';

/** A token as the service granted it. */
export interface GrantedToken {
  token: string;
  refreshToken: string | null;
  expiresInSeconds: number | null;
}

/** A granted token as it is stored. */
export function sealedToken(keyring: Keyring, id: string, grant: GrantedToken, now: number) {
  return {
    token_sealed: keyring.seal(grant.token, tokenContext(id)),
    token_hash: sha256(grant.token),
    refresh_sealed: grant.refreshToken === null ? null : keyring.seal(grant.refreshToken, refreshContext(id)),
    token_expires_at: grant.expiresInSeconds === null ? null : new Date(now + grant.expiresInSeconds * 1000),
  };
}

export const tokenContext = (id: string): string => `chatone_installation:${id}:token`;
export const refreshContext = (id: string): string => `chatone_installation:${id}:refresh_token`;

/** Expiring tokens are renewed this long before they expire. */
const aheadMs = 3_600_000;
const refreshTimeoutMs = 10_000;

interface TokenKeeper {
  /** Returns the current token. `stale` is the token that the service has just rejected as expired. */
  tokenOf(row: InstallationRow, stale: string | null): Promise<string | { outcome: Outcome }>;
}

/** Renews tokens when the app has token rotation on; all others are valid until they are revoked. */
export function createTokenKeeper(
  deps: Pick<Deps, 'pool' | 'keyring' | 'clock' | 'config' | 'log'> & { chatoneApi: ChatoneApi },
): TokenKeeper {
  const { pool, keyring, clock, config, log, chatoneApi } = deps;
  const open = (row: InstallationRow): string => keyring.open(row.token_sealed, tokenContext(row.id));

  /**
   * Returns the installation with its next token, `refused` when there will be none, null when this process cannot get one now.
   */
  async function refresh(row: InstallationRow): Promise<InstallationRow | 'refused' | null> {
    const { CARILLON_CHATONE_CLIENT_ID: id, CARILLON_CHATONE_CLIENT_SECRET: secret } = config;
    if (!id || !secret) return null;
    const claimed = await untilDatabaseAnswers(() => claimTokenRefresh(pool, row));
    if (!claimed?.refresh_sealed) return null;
    const answer = await chatoneApi.call('oauth.v2.access', {
      client: { id, secret },
      args: {
        grant_type: 'refresh_token',
        refresh_token: keyring.open(claimed.refresh_sealed, refreshContext(row.id)),
      },
      timeoutMs: refreshTimeoutMs,
    });
    const grant = answer.kind === 'ok' ? grantOf(answer.body) : null;
    if (!grant) {
      const reason = answer.kind === 'ok' ? 'the response has no token' : describeAnswer(answer);
      log.warn({ installation_id: row.id, reason }, 'failed to renew a Slack (chatone) token');
      return answer.kind === 'error' ? 'refused' : null;
    }
    const renewed = { ...claimed, ...sealedToken(keyring, row.id, grant, clock()) };
    // A refresh token works once: the token it returned must not be lost, so the write is retried.
    await untilDatabaseAnswers(() => markTokenRefreshed(pool, renewed));
    return renewed;
  }

  return {
    async tokenOf(row, stale) {
      const ends = row.token_expires_at?.getTime() ?? null;
      let token: string;
      try {
        token = open(row);
      } catch (error) {
        log.error({ err: error, installation_id: row.id }, 'failed to decrypt a Slack (chatone) token');
        return { outcome: unreadable };
      }
      if (ends === null && stale !== null) return { outcome: expired };
      const now = clock();
      if (ends === null || (stale === null && now < ends - aheadMs)) return token;
      const renewed = await refresh(row);
      if (renewed && renewed !== 'refused') return open(renewed);
      if (stale === null && now < ends) return token;
      // Another process may have renewed it first.
      const [latest] = await untilDatabaseAnswers(() => listInstallationsById(pool, [row.id]));
      if (latest && latest.revision !== row.revision) return open(latest);
      return { outcome: renewed === 'refused' ? expired : renewalFailed };
    },
  };
}

const unreadable: Outcome = {
  kind: 'broken',
  detail: 'The token can no longer be decrypted; install the app again.',
  code: 'token_unreadable',
};
const expired: Outcome = {
  kind: 'broken',
  detail: 'token_expired: The token has expired and cannot be renewed; install the app again.',
  code: 'token_expired',
};
const renewalFailed: Outcome = {
  kind: 'retry',
  detail: 'token_expired: The token could not be renewed.',
  code: 'token_expired',
};

/** Returns null when the answer has no bot token. */
export function grantOf(body: Record<string, unknown>): GrantedToken | null {
  const { access_token: token, refresh_token: refreshToken, expires_in: expiresIn } = body;
  if (typeof token !== 'string' || !token.includes('xoxb-')) return null;
  return {
    token,
    refreshToken: typeof refreshToken === 'string' ? refreshToken : null,
    expiresInSeconds: typeof expiresIn === 'number' && expiresIn > 0 ? expiresIn : null,
  };
}

/** The limit is about one message a second for a conversation; short bursts are tolerated. */
const limit = { burst: 5, everyMs: 1_000 };

export function createChatoneTargets(
  deps: Pick<Deps, 'pool' | 'keyring' | 'clock' | 'log' | 'config'> & { chatoneApi: ChatoneApi },
): ChatoneTargets {
  const health = createConnectionHealth(deps, 'chatone_installations', isGone);
  const keeper = createTokenKeeper(deps);
  const rateGuard = createRateGuard(limit);
  return {
    async targetsOf(addressees) {
      const ids = [...new Set(addressees.flatMap(({ connection_id: id }) => id ?? []))];
      const rows = ids.length === 0 ? [] : await listInstallationsById(deps.pool, ids);
      const found = new Map(rows.map((row) => [row.id, row]));
      return ({ environment_id, connection_id }) => {
        const row = connection_id === null ? undefined : found.get(connection_id);
        return row && row.environment_id === environment_id ? row : null;
      };
    },
    carrierTo(installation: InstallationRow, conversation) {
      const carrier = createChatoneCarrier({
        api: deps.chatoneApi,
        name: `chatone:${installation.team_id}`,
        rateLimitKey: `${installation.id}:${conversation}`,
        autoJoin: installation.auto_join_public_channels,
        token: (stale) => keeper.tokenOf(installation, stale),
      });
      return withRateGuard(health.observe(carrier, installation), rateGuard, deps.clock);
    },
  };
}
