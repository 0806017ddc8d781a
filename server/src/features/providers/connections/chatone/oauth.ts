import { type ChatoneApi, scopesOf } from '../../../../channels/chatone/index.ts';
import type { Deps } from '../../../../deps.ts';
import { sha256 } from '../../../../kernel/crypto.ts';
import { Problem } from '../../../../kernel/errors.ts';
import { newId } from '../../../../kernel/ids.ts';
import type { CallbackQuery } from './schema.ts';
import type { InstallationService, Workspace } from './service.ts';
import { insertOAuthState, takeOAuthState } from './store.ts';
import { grantOf } from './tokens.ts';

interface OAuthFlow {
  /** Returns the URL of the service where the workspace grants access. */
  start(session: string, environmentId: string): Promise<string>;
  /** Returns the dashboard URL for the browser on its return, with the result in the query. */
  finish(session: string | null, query: CallbackQuery, requestId: string): Promise<string>;
}

/**
 * The scopes allow posting (to a user id as well, which opens the direct message) and joining public channels. Nothing else is
 * called.
 */
const scopes = ['chat:write', 'chat:write.public', 'channels:join'];

const stateMs = 10 * 60_000;
const stateContext = 'chatone_oauth_state';
const callbackPath = '/oauth/chatone/callback';
const dashboardPath = '/connections/chatone';

/** The state is sealed, so that it can be neither read nor forged; it is bound to the session that began, and works once. */
interface State {
  id: string;
  environmentId: string;
  session: string;
}

type FlowDeps = Pick<
  Deps,
  'pool' | 'keyring' | 'clock' | 'config' | 'authenticator' | 'publicUrl' | 'log'
> & { chatoneApi: ChatoneApi; chatoneInstallations: Pick<InstallationService, 'install'> };

export function createOAuthFlow(deps: FlowDeps): OAuthFlow {
  const { pool, keyring, clock, config, authenticator, publicUrl, log } = deps;
  const redirectUri = () => publicUrl() + callbackPath;
  const fingerprint = (session: string) => sha256(session).toString('base64url');
  const dashboard = (result: Record<string, string>) =>
    `${publicUrl()}${dashboardPath}?${new URLSearchParams(result)}`;

  /**
   * Returns the person with the right to set up channels in this environment. Both ends check it: the right may be revoked in
   * between.
   */
  async function authorize(session: string, environmentId: string) {
    const principal = await authenticator.bySession(session, environmentId);
    if (!principal.scopes.has('channels:write'))
      throw new Problem('insufficient_scope', 'This operation requires the scope channels:write.');
    return principal;
  }

  function readState(text: string | undefined): State | null {
    try {
      return JSON.parse(keyring.open(text ?? '', stateContext)) as State;
    } catch {
      return null;
    }
  }

  async function exchange(code: string): Promise<Workspace | string> {
    const { CARILLON_CHATONE_CLIENT_ID: id, CARILLON_CHATONE_CLIENT_SECRET: secret } = config;
    if (!id || !secret) return 'chatone_not_configured';
    const answer = await deps.chatoneApi.call('oauth.v2.access', {
      client: { id, secret },
      args: { code, redirect_uri: redirectUri(), grant_type: 'authorization_code' },
    });
    if (answer.kind === 'error') return answer.code;
    return answer.kind === 'ok' ? workspaceOf(answer.body) : 'service_unavailable';
  }

  return {
    async start(session, environmentId) {
      const principal = await authorize(session, environmentId);
      const { CARILLON_CHATONE_CLIENT_ID: clientId, CARILLON_CHATONE_CLIENT_SECRET: secret } = config;
      if (!clientId || !secret) return dashboard({ error: 'chatone_not_configured' });
      const state: State = {
        id: newId(),
        environmentId: principal.environmentId,
        session: fingerprint(session),
      };
      await insertOAuthState(pool, state.id, new Date(clock() + stateMs));
      const url = new URL(config.CARILLON_CHATONE_AUTHORIZE_URL);
      url.search = new URLSearchParams({
        client_id: clientId,
        scope: scopes.join(','),
        redirect_uri: redirectUri(),
        state: keyring.seal(JSON.stringify(state), stateContext),
      }).toString();
      return url.href;
    },

    async finish(session, query, requestId) {
      const state = readState(query.state);
      if (!state || !(await takeOAuthState(pool, state.id))) return dashboard({ error: 'invalid_state' });
      if (!session || fingerprint(session) !== state.session) return dashboard({ error: 'session_mismatch' });
      if (query.error) return dashboard({ error: knownWord(query.error) });
      if (!query.code) return dashboard({ error: 'missing_code' });
      let principal: Awaited<ReturnType<typeof authorize>>;
      try {
        principal = await authorize(session, state.environmentId);
      } catch (error) {
        if (error instanceof Problem) return dashboard({ error: error.code });
        throw error;
      }
      const workspace = await exchange(query.code);
      if (typeof workspace === 'string') {
        log.warn({ request_id: requestId, reason: workspace }, 'Slack (chatone) installation failed');
        return dashboard({ error: workspace });
      }
      await deps.chatoneInstallations.install({ principal, requestId }, workspace);
      return dashboard({ installed: '1', team: workspace.teamId });
    },
  };
}

function knownWord(error: string): string {
  return /^\w{1,60}$/.test(error) ? error : 'refused';
}

/** Returns the workspace, or an error code when there is none. */
function workspaceOf(body: Record<string, unknown>): Workspace | string {
  const team = (body.team ?? null) as { id?: unknown; name?: unknown } | null;
  const grant = grantOf(body);
  if (body.is_enterprise_install === true || typeof team?.id !== 'string') return 'org_install_not_supported';
  if (!grant || typeof body.bot_user_id !== 'string') return 'no_bot_token';
  return {
    teamId: team.id,
    teamName: typeof team.name === 'string' ? team.name : team.id,
    botUserId: body.bot_user_id,
    appId: typeof body.app_id === 'string' ? body.app_id : null,
    scopes: scopesOf(body.scope),
    grant,
    isSandbox: false,
  };
}
