import { generateKeyPairSync } from 'node:crypto';
import { jwtVerify } from 'jose';
import type { Answer, ReceivedCall } from './http-simulator.ts';
import { type Http2Simulator, startHttp2Simulator } from './http2-simulator.ts';

/** A push that Apple accepted. */
interface ApnsPush {
  token: string;
  headers: Record<string, string | undefined>;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any part of the request and asserts on it
  payload: any;
}

export interface ApnsSimulator extends Http2Simulator {
  teamId: string;
  keyId: string;
  bundleId: string;
  /** The .p8 file. */
  privateKey: string;
  received: ApnsPush[];
  onPush: ((push: ApnsPush) => void) | null;
  /** Tokens of devices without the app. */
  gone: Set<string>;
  /** The number of provider tokens that were used. */
  providerTokens: Set<string>;
  /** Provider tokens that were issued before this time (Unix seconds) count as expired. */
  issuedAfter: number;
}

const refused = (status: number, reason: string): Answer => ({ status, body: { reason } });

/** The Apple Push Notification service, with everything that it checks of a request. */
export async function startApnsSimulator(
  options: { port?: number; controlPort?: number; clock?: () => number } = {},
): Promise<ApnsSimulator> {
  const { clock = Date.now, ...ports } = options;
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

  async function handle({ method, path, headers, text }: ReceivedCall): Promise<Answer> {
    if (method !== 'POST') return refused(405, 'MethodNotAllowed');
    const token = /^\/3\/device\/([0-9a-f]{64,200})$/.exec(path)?.[1];
    if (!token) return refused(404, 'BadPath');
    const problem = await providerProblem(headers.authorization);
    if (problem) return refused(403, problem);
    if (headers['apns-topic'] !== simulator.bundleId) return refused(400, 'DeviceTokenNotForTopic');
    if (!['alert', 'background'].includes(headers['apns-push-type'] ?? ''))
      return refused(400, 'InvalidPushType');
    if (!['1', '5', '10'].includes(headers['apns-priority'] ?? '')) return refused(400, 'BadPriority');
    if (headers['apns-push-type'] === 'background' && headers['apns-priority'] !== '5')
      return refused(400, 'BadPriority');
    if (!/^\d+$/.test(headers['apns-expiration'] ?? '')) return refused(400, 'BadExpirationDate');
    if (Buffer.byteLength(headers['apns-collapse-id'] ?? '') > 64) return refused(400, 'BadCollapseId');
    if (Buffer.byteLength(text) > 4_096) return refused(413, 'PayloadTooLarge');
    if (/^0+$/.test(token)) return refused(400, 'BadDeviceToken');
    if (simulator.gone.has(token))
      return { status: 410, body: { reason: 'Unregistered', timestamp: clock() } };
    const push = { token, headers, payload: JSON.parse(text) };
    simulator.received.push(push);
    simulator.onPush?.(push);
    return { status: 200 };
  }

  async function providerProblem(authorization = ''): Promise<string | null> {
    const token = /^bearer (.+)$/.exec(authorization)?.[1];
    if (!token) return 'MissingProviderToken';
    try {
      const { payload, protectedHeader } = await jwtVerify(token, publicKey, { algorithms: ['ES256'] });
      if (protectedHeader.kid !== simulator.keyId || payload.iss !== simulator.teamId)
        return 'InvalidProviderToken';
      const now = clock() / 1000;
      const issuedAt = payload.iat ?? 0;
      if (issuedAt > now + 60 || issuedAt < now - 3_600 || issuedAt < simulator.issuedAfter)
        return 'ExpiredProviderToken';
    } catch {
      return 'InvalidProviderToken';
    }
    simulator.providerTokens.add(token);
    return null;
  }

  const http2 = await startHttp2Simulator({
    ...ports,
    handle,
    controls: {
      received: () => simulator.received,
      gone: ({ token }) => void simulator.gone.add(String(token)),
      expire: () => {
        simulator.issuedAfter = Math.floor(clock() / 1000);
      },
    },
  });
  const simulator: ApnsSimulator = Object.assign(http2, {
    teamId: 'TEAM123456',
    keyId: 'KEY1234567',
    bundleId: 'com.example.app',
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    received: [],
    onPush: null,
    gone: new Set<string>(),
    providerTokens: new Set<string>(),
    issuedAfter: 0,
  });
  return simulator;
}
