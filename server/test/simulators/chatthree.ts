import { randomBytes } from 'node:crypto';
import { createBuckets } from './bucket.ts';
import { type Answer, type HttpSimulator, type ReceivedCall, startHttpSimulator } from './http-simulator.ts';

type Json = Record<string, unknown>;

interface ChatthreePost {
  webhook: string;
  body: Json;
}

interface ChatthreeWebhook {
  id: string;
  token: string;
  url: string;
  isDeleted: boolean;
}

interface ChatthreeSimulatorOptions {
  port?: number;
  /** Calls of one webhook at once, and then one in so many milliseconds. */
  burst?: number;
  everyMs?: number;
}

export interface ChatthreeSimulator extends HttpSimulator {
  posts: ChatthreePost[];
  addWebhook(): ChatthreeWebhook;
  /** The setting CARILLON_CHATTHREE_URL_PATTERNS. */
  patterns: string;
}

const path = /^\/api\/(?:v\d+\/)?webhooks\/(\d+)\/([\w-]+)$/;

/** chatthree (Discord webhooks) on a real socket. */
export async function startChatthreeSimulator(
  options: ChatthreeSimulatorOptions = {},
): Promise<ChatthreeSimulator> {
  const webhooks = new Map<string, ChatthreeWebhook>();
  const burst = options.burst ?? 5;
  const everyMs = options.everyMs ?? 400;
  const bucketOf = createBuckets(burst, everyMs);
  let snowflake = 1_100_000_000_000_000_000n;
  const nextId = (): string => String(++snowflake);

  const refuse = (status: number, code: number, message: string, further: Json = {}): Answer => ({
    status,
    body: { code, message, ...further },
  });

  function handle(request: ReceivedCall): Answer {
    // The gateway in front of the real service turns away clients that do not name themselves in its form.
    if (!/^DiscordBot \(https?:\/\/\S+, [\d.]+\)/.test(request.headers['user-agent'] ?? ''))
      return refuse(403, 40333, 'internal network error');
    const [, id, token] = path.exec(request.path) ?? [];
    const webhook = webhooks.get(id ?? '');
    if (!webhook || webhook.isDeleted) return refuse(404, 10015, 'Unknown Webhook');
    if (webhook.token !== token) return refuse(401, 50027, 'Invalid Webhook Token');
    if (request.method === 'GET') return { status: 200, body: { id, type: 1, name: 'Captain', token } };
    if (request.method !== 'POST') return refuse(405, 0, '405: Method Not Allowed');
    const waitMs = bucketOf(webhook.id).take(Date.now());
    if (waitMs > 0) {
      return {
        status: 429,
        headers: { 'retry-after': String(Math.ceil(waitMs / 1000)), 'x-ratelimit-scope': 'user' },
        body: { message: 'You are being rate limited.', retry_after: waitMs / 1000, global: false },
      };
    }
    if (!request.headers['content-type']?.startsWith('application/json'))
      return refuse(400, 50035, 'Invalid Form Body');
    return execute(request, webhook);
  }

  function execute(request: ReceivedCall, webhook: ChatthreeWebhook): Answer {
    let body: Json;
    try {
      body = JSON.parse(request.text) as Json;
    } catch {
      return refuse(400, 50109, 'The request body contains invalid JSON.');
    }
    if (!body.content && !(body.embeds as unknown[] | undefined)?.length)
      return refuse(400, 50006, 'Cannot send an empty message');
    const problem = formProblem(body);
    if (problem) {
      const errors = problem.path.reduceRight<Json>((inner, name) => ({ [name]: inner }), {
        _errors: [{ code: 'BASE_TYPE_BAD_LENGTH', message: problem.message }],
      });
      return refuse(400, 50035, 'Invalid Form Body', { errors });
    }
    simulator.posts.push({ webhook: webhook.id, body });
    const headers = {
      'x-ratelimit-limit': String(burst),
      'x-ratelimit-remaining': String(bucketOf(webhook.id).left()),
      'x-ratelimit-reset-after': String(everyMs / 1000),
      'x-ratelimit-bucket': webhook.id,
    };
    if (request.query.get('wait') !== 'true') return { status: 204, headers };
    return {
      status: 200,
      headers,
      body: { id: nextId(), channel_id: '42', webhook_id: webhook.id, ...body },
    };
  }

  const base = await startHttpSimulator({ ...(options.port ? { port: options.port } : {}), handle });
  const simulator: ChatthreeSimulator = Object.assign(base, {
    posts: [],
    patterns: `${base.url.replaceAll('.', '\\.')}/api/webhooks/\\d+/[\\w-]+`,
    addWebhook() {
      const id = nextId();
      const token = randomBytes(48).toString('base64url');
      const webhook = { id, token, url: `${base.url}/api/webhooks/${id}/${token}`, isDeleted: false };
      webhooks.set(id, webhook);
      return webhook;
    },
  });
  return simulator;
}

interface FormProblem {
  path: string[];
  message: string;
}

function formProblem(body: Json): FormProblem | null {
  const { content, username, avatar_url: avatar, embeds = [] } = body;
  if (typeof content === 'string' && content.length > 2_000) return tooLong(['content'], 2_000);
  if (username !== undefined && (typeof username !== 'string' || !username || username.length > 80))
    return tooLong(['username'], 80);
  if (typeof username === 'string' && /clyde|discord/i.test(username))
    return { path: ['username'], message: 'Username cannot contain "discord"' };
  if (avatar !== undefined && !URL.canParse(String(avatar)))
    return { path: ['avatar_url'], message: 'Not a well formed URL.' };
  if (!Array.isArray(embeds) || embeds.length > 10) return tooLong(['embeds'], 10);
  for (const [index, embed] of (embeds as Json[]).entries()) {
    const at = ['embeds', String(index)];
    if (String(embed.title ?? '').length > 256) return tooLong([...at, 'title'], 256);
    if (String(embed.description ?? '').length > 4_096) return tooLong([...at, 'description'], 4_096);
    if (Array.isArray(embed.fields) && embed.fields.length > 25) return tooLong([...at, 'fields'], 25);
  }
  return null;
}

function tooLong(path: string[], max: number): FormProblem {
  return { path, message: `Must be ${max} or fewer in length.` };
}
