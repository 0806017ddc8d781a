import {
  type ChatoneApi,
  describeAnswer,
  isConversationId,
  isUserId,
} from '../../../../channels/chatone/index.ts';
import { type Sql, transaction } from '../../../../db/sql.ts';
import type { Deps } from '../../../../deps.ts';
import type { Caller, Principal } from '../../../../http/principal.ts';
import { sha256 } from '../../../../kernel/crypto.ts';
import { invalidParameter, notFound, Problem } from '../../../../kernel/errors.ts';
import { newId } from '../../../../kernel/ids.ts';
import { type Page, pageOf, pageRequest } from '../../../../kernel/page.ts';
import type { NotificationService } from '../../../notifications/notifications/index.ts';
import { recordAudit } from '../../../platform/audit/index.ts';
import { connectionHealthView } from '../../provider-health/index.ts';
import { wakeWaiting } from '../waiting.ts';
import type { Installation, TestTargets } from './schema.ts';
import * as store from './store.ts';
import { type GrantedToken, sealedToken, tokenContext } from './tokens.ts';

/** A workspace as the service names it, with the token it granted. */
export interface Workspace {
  teamId: string;
  teamName: string;
  botUserId: string;
  appId: string | null;
  scopes: string[];
  grant: GrantedToken;
  isSandbox: boolean;
}

export interface InstallationService {
  /** A team that is already installed gets the new token and keeps its id; `isNew` is false then. */
  install(caller: Caller, workspace: Workspace): Promise<{ installation: Installation; isNew: boolean }>;
  installByToken(caller: Caller, token: string): Promise<{ installation: Installation; isNew: boolean }>;
  list(principal: Principal, query: { cursor?: string; limit?: number }): Promise<Page<Installation>>;
  get(principal: Principal, id: string): Promise<Installation>;
  setAutoJoin(caller: Caller, id: string, autoJoin: boolean): Promise<Installation>;
  delete(caller: Caller, id: string): Promise<void>;
  /** Returns the id of the direct message, if there is one, else of the post. */
  sendTest(principal: Principal, id: string, targets: TestTargets): Promise<string>;
}

const checkTimeoutMs = 5_000;

interface InstallationDeps extends Pick<Deps, 'pool' | 'queue' | 'keyring' | 'clock'> {
  chatoneApi: ChatoneApi;
  notifications: Pick<NotificationService, 'sendTest'>;
}

export function createInstallationService(deps: InstallationDeps): InstallationService {
  const { pool } = deps;

  async function get({ environmentId }: Principal, id: string): Promise<store.InstallationRow> {
    const row = await store.findInstallation(pool, environmentId, id);
    if (!row) throw notFound('Slack (chatone) installation');
    return row;
  }

  return {
    install: (caller, workspace) => install(deps, caller, workspace),

    async installByToken(caller, token) {
      const isSandbox = caller.principal.environmentKind === 'test' && token.startsWith('xoxb-sandbox');
      return install(
        deps,
        caller,
        isSandbox ? sandboxWorkspace(token) : await workspaceOf(deps.chatoneApi, token),
      );
    },

    async list({ environmentId }, given) {
      const list = `chatone_installations:${environmentId}`;
      const page = pageRequest(list, given);
      const rows = await store.listInstallations(pool, environmentId, page);
      const { data, next_cursor } = pageOf(list, rows, page.limit);
      return { data: data.map(viewOf), next_cursor };
    },

    async get(principal, id) {
      return viewOf(await get(principal, id));
    },

    async setAutoJoin(caller, id, autoJoin) {
      return transaction(pool, async (tx) => {
        const before = await store.lockInstallation(tx, caller.principal.environmentId, id);
        if (!before) throw notFound('Slack (chatone) installation');
        const after = { ...before, auto_join_public_channels: autoJoin };
        await store.updateAutoJoin(tx, id, autoJoin);
        await audit(tx, caller, 'updated', before, after);
        return viewOf(after);
      });
    },

    /**
     * The token is revoked first, and the installation is deleted regardless of the result: an unreachable service must not
     * keep it alive. The audit log records whether the service confirmed.
     */
    async delete(caller, id) {
      const row = await get(caller.principal, id);
      const revoked = await revoke(deps, row);
      await transaction(pool, async (tx) => {
        const before = await store.lockInstallation(tx, caller.principal.environmentId, id);
        if (!before) return;
        await store.deleteInstallation(tx, before.id);
        await audit(tx, caller, 'deleted', before, null, { token_revoked: revoked });
      });
    },

    async sendTest(principal, id, targets) {
      return sendTest(deps.notifications, principal, await get(principal, id), targets);
    },
  };
}

async function audit(
  tx: Sql,
  caller: Caller,
  change: string,
  before: store.InstallationRow | null,
  after: store.InstallationRow | null,
  further: object = {},
): Promise<void> {
  await recordAudit(tx, caller, {
    action: `chatone_installation.${change}`,
    target: `chatone_installation:${(after ?? before)?.id}`,
    before: before && viewOf(before),
    after: after ? viewOf(after) : further,
  });
}

async function install(
  { pool, queue, keyring, clock }: InstallationDeps,
  caller: Caller,
  workspace: Workspace,
): Promise<{ installation: Installation; isNew: boolean }> {
  const { environmentId, userId } = caller.principal;
  const installed = await transaction(pool, async (tx) => {
    const before = await store.lockInstallationOfTeam(tx, environmentId, workspace.teamId);
    const id = before?.id ?? newId(clock());
    const row: store.InstallationRow = {
      id,
      environment_id: environmentId,
      team_id: workspace.teamId,
      team_name: workspace.teamName,
      bot_user_id: workspace.botUserId,
      app_id: workspace.appId,
      scopes: workspace.scopes,
      auto_join_public_channels: before?.auto_join_public_channels ?? false,
      is_sandbox: workspace.isSandbox,
      ...sealedToken(keyring, id, workspace.grant, clock()),
      installed_at: new Date(clock()),
      installed_by_user_id: userId,
      revision: (before?.revision ?? 0) + 1,
      status: 'active',
      last_success_at: before?.last_success_at ?? null,
      last_failure_at: before?.last_failure_at ?? null,
      last_failure_reason: before?.last_failure_reason ?? null,
    };
    if (before) await store.updateInstallation(tx, row);
    else await store.insertInstallation(tx, row);
    await audit(tx, caller, before ? 'renewed' : 'created', before, row);
    if (before) await wakeWaiting(tx, queue, environmentId, row);
    return { installation: viewOf(row), isNew: !before };
  });
  queue.ring('wake');
  return installed;
}

/** Returns the workspace that the service names as the owner of the token. */
async function workspaceOf(chatoneApi: ChatoneApi, token: string): Promise<Workspace> {
  const answer = await chatoneApi.call('auth.test', { token, timeoutMs: checkTimeoutMs });
  if (answer.kind === 'error')
    throw invalidParameter('bot_token', `Slack rejects bot_token: ${answer.code}.`);
  if (answer.kind !== 'ok') {
    throw new Problem(
      'temporarily_unavailable',
      `The token could not be checked. ${describeAnswer(answer)}`,
      {
        headers: { 'retry-after': '5' },
      },
    );
  }
  const { team_id: teamId, team: teamName, user_id: botUserId, app_id: appId, bot_id: botId } = answer.body;
  if (typeof teamId !== 'string' || typeof botUserId !== 'string' || typeof botId !== 'string')
    throw invalidParameter('bot_token', 'bot_token is not a bot token.');
  return {
    teamId,
    teamName: typeof teamName === 'string' ? teamName : teamId,
    botUserId,
    appId: typeof appId === 'string' ? appId : null,
    scopes: answer.scopes,
    grant: { token, refreshToken: null, expiresInSeconds: null },
    isSandbox: false,
  };
}

/**
 * Returns true when the service confirms that the token is revoked. A token that other installations use, or a sandbox one,
 * is kept.
 */
async function revoke(
  { pool, keyring, chatoneApi }: InstallationDeps,
  row: store.InstallationRow,
): Promise<boolean> {
  if (row.is_sandbox || (await store.isTokenShared(pool, row))) return false;
  let token: string;
  try {
    token = keyring.open(row.token_sealed, tokenContext(row.id));
  } catch {
    return false; // the encryption key is lost, and the token with it
  }
  const answer = await chatoneApi.call('auth.revoke', { token, timeoutMs: checkTimeoutMs });
  return answer.kind === 'ok' || (answer.kind === 'error' && deadTokens.has(answer.code));
}

async function sendTest(
  notifications: InstallationDeps['notifications'],
  principal: Principal,
  row: store.InstallationRow,
  { chatone_user_id: user, chatone_channel_id: room }: TestTargets,
): Promise<string> {
  if (!user && !room)
    throw new Problem('parameter_missing', 'Set chatone_user_id, chatone_channel_id, or both.', {
      param: 'chatone_user_id',
    });
  checkTarget('chatone_user_id', user, isUserId);
  checkTarget('chatone_channel_id', room, isConversationId);
  if (row.status === 'gone' && principal.environmentKind === 'live')
    throw new Problem(
      'endpoint_disabled',
      `This Slack (chatone) installation is gone, so it is no longer called (${row.last_failure_reason}). Install the app again.`,
    );
  const send = (address: string) =>
    notifications.sendTest(principal, {
      channel: 'chatone',
      connectionId: row.id,
      address,
      text: null,
      structured: testBlocks,
    });
  const direct = user ? await send(user) : null;
  const posted = room ? await send(room) : null;
  const sent = direct ?? posted;
  if (!sent) throw new Error('a test names a user or a channel');
  return sent.id;
}

const deadTokens: ReadonlySet<string> = new Set(['token_revoked', 'account_inactive', 'invalid_auth']);

const testBlocks = [
  {
    type: 'section',
    text: { type: 'mrkdwn', text: '*Hello from Carillon.* A test message: this installation works.' },
  },
];

function checkTarget(
  param: string,
  value: string | null | undefined,
  isOne: (text: string) => boolean,
): void {
  if (value && !isOne(value)) throw invalidParameter(param, `${param} is not a valid id.`);
}

/** The workspace is derived from the token: different tokens give different workspaces, the same token always the same one. */
function sandboxWorkspace(token: string): Workspace {
  const mark = sha256(token).toString('hex').slice(0, 9).toUpperCase();
  return {
    teamId: `T${mark}`,
    teamName: 'Sandbox',
    botUserId: `U${mark}`,
    appId: null,
    scopes: ['chat:write', 'channels:join'],
    grant: { token, refreshToken: null, expiresInSeconds: null },
    isSandbox: true,
  };
}

function viewOf(row: store.InstallationRow): Installation {
  return {
    id: row.id,
    team_id: row.team_id,
    team_name: row.team_name,
    bot_user_id: row.bot_user_id,
    app_id: row.app_id,
    scopes: row.scopes,
    auto_join_public_channels: row.auto_join_public_channels,
    installed_at: row.installed_at.toISOString(),
    installed_by_user_id: row.installed_by_user_id,
    ...connectionHealthView(row),
  };
}
