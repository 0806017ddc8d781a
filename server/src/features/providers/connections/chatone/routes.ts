import { Type } from 'typebox';
import type { ChatoneApi } from '../../../../channels/chatone/index.ts';
import type { Deps } from '../../../../deps.ts';
import { type Route, route } from '../../../../http/route.ts';
import { IdParams } from '../../../../http/schema.ts';
import { sessionTokenOf } from '../../../../http/session-cookie.ts';
import { Problem } from '../../../../kernel/errors.ts';
import { TestSent } from '../endpoints/schema.ts';
import { createEventReader } from './events.ts';
import { createOAuthFlow } from './oauth.ts';
import {
  CallbackQuery,
  Installation,
  InstallationChange,
  InstallationPage,
  InstallationQuery,
  InstallQuery,
  NewInstallation,
  TestTargets,
} from './schema.ts';
import type { InstallationService } from './service.ts';

const tag = 'Slack (chatone)';

export function chatoneRoutes(
  deps: Pick<Deps, 'pool' | 'keyring' | 'clock' | 'config' | 'authenticator' | 'publicUrl' | 'log'> & {
    chatoneApi: ChatoneApi;
    chatoneInstallations: InstallationService;
  },
): Route[] {
  return [
    ...installationRoutes(deps.chatoneInstallations),
    ...oauthRoutes(createOAuthFlow(deps), deps.publicUrl),
    eventsRoute(createEventReader(deps)),
  ];
}

function installationRoutes(installations: InstallationService): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/chatone/installations',
      operation: 'createChatoneInstallation',
      tag,
      summary: 'Install a Slack workspace by its bot token',
      description:
        'The token is checked with Slack within 5 seconds. An existing installation of the workspace keeps its id and gets the new token (200). In Test, a token that begins with `xoxb-sandbox` creates a sandbox installation, and Slack is never called.',
      access: 'channels:write',
      body: NewInstallation,
      responses: { 201: Installation, 200: Installation },
      async handler({ principal, requestId, body }) {
        const { installation, isNew } = await installations.installByToken(
          { principal, requestId },
          body.bot_token,
        );
        return { status: isNew ? 201 : 200, body: installation };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/chatone/installations',
      operation: 'listChatoneInstallations',
      tag,
      summary: 'List the Slack installations, newest first',
      access: 'channels:read',
      query: InstallationQuery,
      responses: { 200: InstallationPage },
      async handler({ principal, query }) {
        return { status: 200, body: await installations.list(principal, query) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/chatone/installations/:id',
      operation: 'getChatoneInstallation',
      tag,
      summary: 'Get a Slack installation',
      access: 'channels:read',
      params: IdParams,
      responses: { 200: Installation },
      async handler({ principal, params }) {
        return { status: 200, body: await installations.get(principal, params.id) };
      },
    }),
    route({
      method: 'PUT',
      path: '/v1/chatone/installations/:id',
      operation: 'updateChatoneInstallation',
      tag,
      summary: 'Set whether the Slack bot joins public channels automatically',
      access: 'channels:write',
      params: IdParams,
      body: InstallationChange,
      responses: { 200: Installation },
      async handler({ principal, requestId, params, body }) {
        const { auto_join_public_channels: autoJoin } = body;
        return {
          status: 200,
          body: await installations.setAutoJoin({ principal, requestId }, params.id, autoJoin),
        };
      },
    }),
    route({
      method: 'DELETE',
      path: '/v1/chatone/installations/:id',
      operation: 'deleteChatoneInstallation',
      tag,
      summary: 'Delete a Slack installation and revoke its token',
      description:
        'The installation is deleted even if Slack cannot be reached to revoke the token; the audit log shows whether Slack confirmed. A token that another installation uses is not revoked. Queued notifications fail with `installation_not_found`.',
      access: 'channels:write',
      params: IdParams,
      responses: { 204: null },
      async handler({ principal, requestId, params }) {
        await installations.delete({ principal, requestId }, params.id);
        return { status: 204 };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/chatone/installations/:id/send-test',
      operation: 'sendTestToChatoneInstallation',
      tag,
      summary: 'Send a test message to Slack',
      description:
        'Requires at least one target. With both, the direct message and the post are sent, and the id of the direct message is returned. Returns 409 `endpoint_disabled` for a Live installation that is `gone`, which is no longer called.',
      access: 'channels:write',
      params: IdParams,
      body: TestTargets,
      responses: { 202: TestSent },
      errors: ['plan_limit_reached', 'endpoint_disabled'],
      async handler({ principal, params, body }) {
        const id = await installations.sendTest(principal, params.id, body);
        return { status: 202, body: { notification_id: id } };
      },
    }),
  ];
}

function oauthRoutes(flow: ReturnType<typeof createOAuthFlow>, publicUrl: Deps['publicUrl']): Route[] {
  return [
    route({
      method: 'GET',
      path: '/oauth/chatone/install',
      operation: 'startChatoneInstall',
      tag,
      summary: 'Start the Slack installation',
      description:
        'For a browser with a dashboard session: redirects to Slack. The callback must follow within 10 minutes.',
      access: 'session',
      query: InstallQuery,
      responses: { 302: null },
      errors: ['insufficient_scope', 'resource_not_found'],
      async handler({ query, raw }) {
        const session = sessionTokenOf(raw.headers.cookie, publicUrl());
        if (!session) throw new Problem('missing_credentials', 'Sign in to the dashboard first.');
        return redirect(await flow.start(session, query.env_id));
      },
    }),
    route({
      method: 'GET',
      path: '/oauth/chatone/callback',
      operation: 'finishChatoneInstall',
      tag,
      summary: 'Complete the Slack installation',
      description:
        'Slack redirects the browser to this URL. Redirects to the dashboard with `?installed=1&team=` or `?error=<code>`.',
      access: 'public',
      query: CallbackQuery,
      responses: { 302: null },
      async handler({ query, raw, requestId }) {
        return redirect(await flow.finish(sessionTokenOf(raw.headers.cookie, publicUrl()), query, requestId));
      },
    }),
  ];
}

/** The URL holds the state, which must not leak to another site as a referrer. */
function redirect(location: string) {
  return { status: 302, headers: { location, 'referrer-policy': 'no-referrer' } };
}

/** An event about revoked tokens names every user that had one. */
const eventsBodyLimit = 65_536;

function eventsRoute(readEvent: ReturnType<typeof createEventReader>): Route {
  return route({
    method: 'POST',
    path: '/hooks/chatone/events',
    operation: 'receiveChatoneEvent',
    tag,
    summary: 'Receive events of the Slack app',
    description:
      'The Request URL of the app. Signed with CARILLON_CHATONE_SIGNING_SECRET; `app_uninstalled` and `tokens_revoked` make an installation `gone`.',
    access: 'public',
    rawBody: true,
    bodyLimit: eventsBodyLimit,
    responses: { 200: Type.Object({ challenge: Type.Optional(Type.String()) }) },
    errors: ['invalid_credentials'],
    handler: ({ raw, requestId }) =>
      readEvent({
        headers: raw.headers,
        body: Buffer.isBuffer(raw.body) ? raw.body : Buffer.alloc(0),
        requestId,
      }),
  });
}
