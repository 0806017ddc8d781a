import { createHmac, randomBytes } from 'node:crypto';
import { createBuckets } from './bucket.ts';
import { type Answer, type HttpSimulator, type ReceivedCall, startHttpSimulator } from './http-simulator.ts';

type Json = Record<string, unknown>;

/** A message that was posted. */
interface ChatonePost {
  teamId: string;
  /** The conversation, also for direct messages: D… of the user. */
  channel: string;
  text: string;
  blocks: unknown;
  ts: string;
}

interface ChatoneChannel {
  id: string;
  isPrivate?: boolean;
  isArchived?: boolean;
  members: Set<string>;
}

/** The permissions of a token. */
interface ChatoneToken {
  token: string;
  teamId: string;
  teamName: string;
  botUserId: string;
  appId: string;
  scopes: string[];
  /** The code that every call with it is answered with; null when the token is valid. */
  refusal: string | null;
  expiresAt: number | null;
}

interface ChatoneSimulatorOptions {
  port?: number;
  clientId?: string;
  clientSecret?: string;
  /** Grants tokens that end after so many seconds, with a refresh token. */
  rotateAfterSeconds?: number;
  /** Messages to one channel at once, and then one in so many milliseconds. */
  burst?: number;
  everyMs?: number;
}

export interface ChatoneSimulator extends HttpSimulator {
  /** The setting CARILLON_CHATONE_API_URL. */
  apiUrl: string;
  authorizeUrl: string;
  clientId: string;
  clientSecret: string;
  signingSecret: string;
  posts: ChatonePost[];
  /** The names of the methods called, in order. */
  methods: string[];
  channels: Map<string, ChatoneChannel>;
  users: Set<string>;
  tokens: Map<string, ChatoneToken>;
  addToken(changes?: Partial<ChatoneToken>): ChatoneToken;
  addChannel(id: string, changes?: Partial<ChatoneChannel>): ChatoneChannel;
  /** A code that works once, as after consent in the browser. */
  grantCode(redirectUri: string, changes?: Partial<ChatoneToken>): string;
  /** An event as the service posts it, signed; resolves to the status and body it was answered with. */
  postEvent(url: string, event: unknown, changes?: EventChanges): Promise<{ status: number; body: Json }>;
}

interface EventChanges {
  secret?: string;
  timestampSeconds?: number;
}

const appId = 'A0CARILLON';
const limits = { blocks: 50, text: 40_000, section: 3_000, header: 150 };

/** chatone (the Slack Web API) on a real socket. Answers 200 to nearly everything, and says in the body what it thinks of it. */
export async function startChatoneSimulator(
  options: ChatoneSimulatorOptions = {},
): Promise<ChatoneSimulator> {
  const codes = new Map<string, { redirectUri: string; changes: Partial<ChatoneToken> }>();
  const refreshTokens = new Map<string, string>();
  const bucketOf = createBuckets(options.burst ?? 5, options.everyMs ?? 1_000);
  let clock = 0;

  const ok = (body: Json, headers: Record<string, string> = {}): Answer => ({
    status: 200,
    headers,
    body: { ok: true, ...body },
  });
  const refuse = (error: string, further: Json = {}): Answer => ({
    status: 200,
    body: { ok: false, error, ...further },
  });

  /** The page on which people agree; here they always do. */
  function authorize({ query }: ReceivedCall): Answer {
    const [redirectUri, state] = [query.get('redirect_uri') ?? '', query.get('state') ?? ''];
    if (query.get('client_id') !== simulator.clientId || !query.get('scope') || !URL.canParse(redirectUri))
      return { status: 400, body: 'invalid_client_id or bad_redirect_uri' };
    const back = new URL(redirectUri);
    back.search = new URLSearchParams({ code: simulator.grantCode(redirectUri), state }).toString();
    return { status: 302, headers: { location: back.href } };
  }

  function handle(request: ReceivedCall): Answer {
    if (request.method === 'GET' && request.path === '/oauth/v2/authorize') return authorize(request);
    const method = /^\/api\/([\w.]+)$/.exec(request.path)?.[1] ?? '';
    simulator.methods.push(method);
    if (method === 'oauth.v2.access') return access(request);
    const own = methods[method];
    if (!own) return refuse('unknown_method');
    const given = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (!given) return refuse('not_authed');
    const token = simulator.tokens.get(given);
    if (!token) return refuse('invalid_auth');
    if (token.refusal) return refuse(token.refusal);
    if (token.expiresAt !== null && token.expiresAt <= Date.now()) return refuse('token_expired');
    if (request.headers['content-type'] !== 'application/json; charset=utf-8')
      return refuse('invalid_post_type');
    const args = parse(request.text);
    if (!args) return refuse('invalid_json');
    if (own.scope && !token.scopes.includes(own.scope))
      return refuse('missing_scope', { needed: own.scope, provided: token.scopes.join(',') });
    return own.run(args, token);
  }

  const methods: Record<string, { scope: string | null; run(args: Json, token: ChatoneToken): Answer }> = {
    'auth.test': {
      scope: null,
      run: (_args, token) =>
        ok(
          {
            url: 'https://example.slack.com/',
            team: token.teamName,
            user: 'carillon',
            team_id: token.teamId,
            user_id: token.botUserId,
            bot_id: `B${token.botUserId.slice(1)}`,
            app_id: token.appId,
          },
          { 'x-oauth-scopes': token.scopes.join(',') },
        ),
    },
    'auth.revoke': {
      scope: null,
      run(_args, token) {
        token.refusal = 'token_revoked';
        return ok({ revoked: true });
      },
    },
    'conversations.open': {
      scope: 'im:write',
      run({ users }) {
        const user = String(users ?? '');
        if (!user) return refuse('users_list_not_supplied');
        return simulator.users.has(user) ? ok({ channel: { id: directOf(user) } }) : refuse('user_not_found');
      },
    },
    'conversations.join': {
      scope: 'channels:join',
      run({ channel }, token) {
        const found = simulator.channels.get(String(channel));
        if (!found || (found.isPrivate && !found.members.has(token.botUserId)))
          return refuse('channel_not_found');
        if (found.isArchived) return refuse('is_archived');
        if (found.isPrivate) return refuse('method_not_supported_for_channel_type');
        const already = found.members.has(token.botUserId);
        found.members.add(token.botUserId);
        return ok({
          channel: { id: found.id, is_member: true },
          ...(already ? { warning: 'already_in_channel' } : {}),
        });
      },
    },
    'chat.postMessage': { scope: 'chat:write', run: post },
  };

  function post(args: Json, token: ChatoneToken): Answer {
    const target = typeof args.channel === 'string' ? args.channel : '';
    const problem = contentProblem(args);
    if (problem) return refuse(problem);
    const room = placeOf(target, token);
    if ('error' in room) return refuse(room.error);
    const waitMs = bucketOf(`${token.teamId} ${room.id}`).take(Date.now());
    if (waitMs > 0) {
      return {
        status: 429,
        headers: { 'retry-after': String(Math.ceil(waitMs / 1000)) },
        body: { ok: false, error: 'ratelimited' },
      };
    }
    clock += 1;
    const ts = `${1_700_000_000 + clock}.${String(clock).padStart(6, '0')}`;
    simulator.posts.push({
      teamId: token.teamId,
      channel: room.id,
      text: String(args.text ?? ''),
      blocks: args.blocks,
      ts,
    });
    return ok({ channel: room.id, ts, message: { text: args.text, blocks: args.blocks } });
  }

  function placeOf(target: string, token: ChatoneToken): { id: string } | { error: string } {
    if (/^[UW]/.test(target))
      return simulator.users.has(target) ? { id: directOf(target) } : { error: 'channel_not_found' };
    const found = simulator.channels.get(target);
    if (!found) return { error: 'channel_not_found' };
    const isMember = found.members.has(token.botUserId);
    if (found.isPrivate && !isMember) return { error: 'channel_not_found' };
    if (found.isArchived) return { error: 'is_archived' };
    return isMember || token.scopes.includes('chat:write.public') ? found : { error: 'not_in_channel' };
  }

  function access(request: ReceivedCall): Answer {
    if (request.headers['content-type'] !== 'application/x-www-form-urlencoded')
      return refuse('invalid_post_type');
    const form = new URLSearchParams(request.text);
    const basic = Buffer.from(`${simulator.clientId}:${simulator.clientSecret}`).toString('base64');
    if (request.headers.authorization !== `Basic ${basic}`) return refuse('bad_client_secret');
    if (form.get('grant_type') === 'refresh_token') {
      const given = form.get('refresh_token') ?? '';
      const token = simulator.tokens.get(refreshTokens.get(given) ?? '');
      refreshTokens.delete(given);
      if (!token) return refuse('invalid_refresh_token');
      token.refusal = 'token_expired';
      return granted({ ...token, refusal: null });
    }
    const grant = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    if (!grant) return refuse('invalid_code');
    if (grant.redirectUri !== form.get('redirect_uri')) return refuse('bad_redirect_uri');
    return granted(grant.changes);
  }

  function granted(changes: Partial<ChatoneToken>): Answer {
    const seconds = options.rotateAfterSeconds;
    const value = `${seconds ? 'xoxe.' : ''}xoxb-${randomBytes(12).toString('hex')}`;
    const token = simulator.addToken({
      ...changes,
      token: value,
      expiresAt: seconds ? Date.now() + seconds * 1000 : null,
    });
    const refreshToken = `xoxe-1-${randomBytes(12).toString('hex')}`;
    refreshTokens.set(refreshToken, value);
    return ok({
      access_token: value,
      token_type: 'bot',
      scope: token.scopes.join(','),
      bot_user_id: token.botUserId,
      app_id: token.appId,
      team: { id: token.teamId, name: token.teamName },
      enterprise: null,
      is_enterprise_install: false,
      authed_user: { id: 'U0INSTALLER' },
      ...(seconds ? { expires_in: seconds, refresh_token: refreshToken } : {}),
    });
  }

  const base = await startHttpSimulator({ ...(options.port ? { port: options.port } : {}), handle });
  const simulator: ChatoneSimulator = Object.assign(base, {
    apiUrl: `${base.url}/api`,
    authorizeUrl: `${base.url}/oauth/v2/authorize`,
    clientId: options.clientId ?? '123.456',
    clientSecret: options.clientSecret ?? 'chatone-client-secret',
    signingSecret: 'chatone-signing-secret',
    posts: [],
    methods: [],
    channels: new Map<string, ChatoneChannel>(),
    users: new Set(['U0ADA']),
    tokens: new Map<string, ChatoneToken>(),
    addToken(changes: Partial<ChatoneToken> = {}) {
      const token: ChatoneToken = {
        token: `xoxb-${randomBytes(12).toString('hex')}`,
        teamId: 'T0TEAM',
        teamName: 'Team',
        botUserId: 'U0BOT',
        appId,
        scopes: ['chat:write', 'channels:join', 'im:write'],
        refusal: null,
        expiresAt: null,
        ...changes,
      };
      simulator.tokens.set(token.token, token);
      return token;
    },
    addChannel(id: string, changes: Partial<ChatoneChannel> = {}) {
      const channel = { id, members: new Set(['U0BOT']), ...changes };
      simulator.channels.set(id, channel);
      return channel;
    },
    grantCode(redirectUri: string, changes: Partial<ChatoneToken> = {}) {
      const code = randomBytes(12).toString('hex');
      codes.set(code, { redirectUri, changes });
      return code;
    },
    async postEvent(url: string, event: unknown, changes: EventChanges = {}) {
      const text = JSON.stringify(event);
      const timestamp = String(changes.timestampSeconds ?? Math.floor(Date.now() / 1000));
      const secret = changes.secret ?? simulator.signingSecret;
      const signature = createHmac('sha256', secret).update(`v0:${timestamp}:${text}`).digest('hex');
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-slack-request-timestamp': timestamp,
          'x-slack-signature': `v0=${signature}`,
        },
        body: text,
      });
      return { status: response.status, body: (await response.json()) as Json };
    },
  });
  return simulator;
}

const directOf = (user: string): string => `D${user.slice(1)}`;

function parse(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Json) : null;
  } catch {
    return null;
  }
}

function contentProblem({ text, blocks }: Json): string | null {
  if (blocks === undefined) return text ? null : 'no_text';
  if (!Array.isArray(blocks)) return 'invalid_blocks_format';
  if (typeof text !== 'string' || text === '') return 'no_text';
  if (text.length > limits.text) return 'msg_too_long';
  if (blocks.length === 0 || blocks.length > limits.blocks) return 'invalid_blocks';
  return blocks.every(isBlock) ? null : 'invalid_blocks';
}

function isBlock(block: unknown): boolean {
  const { type, text } = (block ?? {}) as { type?: unknown; text?: { text?: unknown } };
  if (typeof type !== 'string') return false;
  const words = text?.text;
  if (type === 'header') return typeof words === 'string' && words.length <= limits.header;
  return (
    type !== 'section' || words === undefined || (typeof words === 'string' && words.length <= limits.section)
  );
}
