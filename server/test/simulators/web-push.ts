import { createECDH, createPublicKey, type ECDH, randomBytes } from 'node:crypto';
import { decrypt } from 'http_ece';
import { jwtVerify } from 'jose';
import { type Answer, type HttpSimulator, type ReceivedCall, startHttpSimulator } from './http-simulator.ts';

/** A message that reached its browser, decrypted by another implementation than ours. */
interface WebPush {
  endpoint: string;
  headers: Record<string, string | undefined>;
  bytes: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any part of the request and asserts on it
  payload: any;
}

/** What PushManager.subscribe() resolves to, as JSON. */
interface WebPushSubscription {
  endpoint: string;
  keys: { p256dh: string; auth: string };
}

export interface WebPushSimulator extends HttpSimulator {
  host: string;
  received: WebPush[];
  /** A new subscription of a browser. */
  subscribe(): WebPushSubscription;
  unsubscribe(endpoint: string): void;
}

/** The push service of a browser and the browser itself: checks the request, decrypts the message. */
export async function startWebPushSimulator(
  options: { port?: number; onPush?: (push: WebPush) => void } = {},
): Promise<WebPushSimulator> {
  const browsers = new Map<string, { key: ECDH; auth: string }>();

  async function handle({ method, path, headers, body }: ReceivedCall): Promise<Answer> {
    if (method === 'POST' && path === '/subscriptions') return { status: 201, body: simulator.subscribe() };
    const browser = browsers.get(path);
    if (method !== 'POST' || !path.startsWith('/send/')) return { status: 404 };
    if (!(await isSigned(headers.authorization))) return { status: 403, body: 'crypto-key refused' };
    if (!browser) return { status: 410 };
    if (!/^\d+$/.test(headers.ttl ?? '')) return { status: 400, body: 'TTL is required' };
    if (!['very-low', 'low', 'normal', 'high', undefined].includes(headers.urgency)) return { status: 400 };
    if (headers.topic !== undefined && !/^[A-Za-z0-9_-]{1,32}$/.test(headers.topic)) return { status: 400 };
    if (headers['content-encoding'] !== 'aes128gcm') return { status: 415 };
    if (body.length > 4_096) return { status: 413 };
    const text = decrypt(body, { version: 'aes128gcm', privateKey: browser.key, authSecret: browser.auth });
    const push = {
      endpoint: simulator.url + path,
      headers,
      bytes: body.length,
      payload: JSON.parse(text.toString('utf8')),
    };
    simulator.received.push(push);
    options.onPush?.(push);
    return {
      status: 201,
      headers: { location: `${simulator.url}/message/${randomBytes(6).toString('hex')}` },
    };
  }

  /** RFC 8292: signed by the key that it names, for this origin, for a day at most, with a contact. */
  async function isSigned(authorization = ''): Promise<boolean> {
    const [, token = '', k = ''] = /^vapid t=([^,]+), ?k=(\S+)$/.exec(authorization) ?? [];
    const point = Buffer.from(k, 'base64url');
    try {
      const key = createPublicKey({
        format: 'jwk',
        key: {
          kty: 'EC',
          crv: 'P-256',
          x: point.subarray(1, 33).toString('base64url'),
          y: point.subarray(33).toString('base64url'),
        },
      });
      const { payload } = await jwtVerify(token, key, { algorithms: ['ES256'], audience: simulator.url });
      const isShort = (payload.exp ?? Number.POSITIVE_INFINITY) <= Date.now() / 1000 + 86_400;
      return isShort && /^(mailto:|https:)/.test(payload.sub ?? '');
    } catch {
      return false;
    }
  }

  const http = await startHttpSimulator({
    ...(options.port === undefined ? {} : { port: options.port }),
    handle,
    controls: {
      received: () => simulator.received,
      subscribe: () => simulator.subscribe(),
      unsubscribe: ({ endpoint }) => simulator.unsubscribe(String(endpoint)),
    },
  });
  const simulator: WebPushSimulator = Object.assign(http, {
    host: '127.0.0.1',
    received: [],
    subscribe() {
      const key = createECDH('prime256v1');
      const p256dh = key.generateKeys().toString('base64url');
      const auth = randomBytes(16).toString('base64url');
      const path = `/send/${randomBytes(20).toString('base64url')}`;
      browsers.set(path, { key, auth });
      return { endpoint: http.url + path, keys: { p256dh, auth } };
    },
    unsubscribe: (endpoint: string) => void browsers.delete(new URL(endpoint).pathname),
  });
  return simulator;
}
