import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { jwtVerify } from 'jose';
import { isRecord } from '../../src/kernel/json.ts';
import { type Answer, objectOf, type ReceivedCall } from './http-simulator.ts';
import { type Http2Simulator, startHttp2Simulator } from './http2-simulator.ts';

/** A message that Google accepted. */
interface FcmPush {
  token: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any part of the request and asserts on it
  message: any;
}

export interface FcmSimulator extends Http2Simulator {
  projectId: string;
  /** The key file of the service account. */
  serviceAccount: Record<string, string>;
  received: FcmPush[];
  onPush: ((push: FcmPush) => void) | null;
  /** Tokens of devices without the app. */
  gone: Set<string>;
  /** The number of access tokens that were issued. */
  issued(): number;
  /** Every access token so far is refused from now on. */
  expireTokens(): void;
}

/** An error in the form of Google's APIs. */
export function fcmError(code: number, status: string, errorCode?: string): Answer {
  const details = errorCode
    ? [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode }]
    : [];
  return { status: code, body: { error: { code, message: `It is ${status}.`, status, details } } };
}

/** Firebase Cloud Messaging with the token endpoint of the service account, which is called over HTTP/1.1. */
export async function startFcmSimulator(
  options: { port?: number; controlPort?: number } = {},
): Promise<FcmSimulator> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const clientEmail = 'push@simulated-project.iam.gserviceaccount.com';
  const valid = new Set<string>();
  let issued = 0;

  async function issueToken({ path, text }: ReceivedCall): Promise<Answer> {
    if (path !== '/token') return { status: 404 };
    const form = new URLSearchParams(text);
    const refuse = (why: string): Answer => ({
      status: 400,
      body: { error: 'invalid_grant', error_description: why },
    });
    if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer')
      return refuse('Bad grant type.');
    try {
      const { payload } = await jwtVerify(form.get('assertion') ?? '', publicKey, {
        algorithms: ['RS256'],
        issuer: clientEmail,
        audience: simulator.serviceAccount.token_uri ?? '',
        maxTokenAge: '1h',
      });
      if (payload.scope !== 'https://www.googleapis.com/auth/firebase.messaging') return refuse('Bad scope.');
    } catch {
      return refuse('Invalid JWT Signature.');
    }
    issued += 1;
    const token = `ya29.${randomBytes(24).toString('hex')}`;
    valid.add(token);
    return { status: 200, body: { access_token: token, expires_in: 3_599, token_type: 'Bearer' } };
  }

  function handle({ method, path, headers, text }: ReceivedCall): Answer {
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
    if (!token || !valid.has(token)) return fcmError(401, 'UNAUTHENTICATED');
    if (method !== 'POST' || path !== `/v1/projects/${simulator.projectId}/messages:send`)
      return fcmError(404, 'NOT_FOUND');
    const request = objectOf(text);
    const message = isRecord(request?.message) ? request.message : null;
    if (!request || !message || !isValid(message)) return fcmError(400, 'INVALID_ARGUMENT');
    const device = String(message.token);
    if (device.length < 20) return fcmError(400, 'INVALID_ARGUMENT', 'INVALID_ARGUMENT');
    if (simulator.gone.has(device)) return fcmError(404, 'NOT_FOUND', 'UNREGISTERED');
    if (request.validate_only !== true) {
      simulator.received.push({ token: device, message });
      simulator.onPush?.({ token: device, message });
    }
    return {
      status: 200,
      body: { name: `projects/${simulator.projectId}/messages/${simulator.received.length}` },
    };
  }

  const http2 = await startHttp2Simulator({
    ...options,
    handle,
    handleHttp1: issueToken,
    controls: {
      received: () => simulator.received,
      gone: ({ token }) => void simulator.gone.add(String(token)),
      expire: () => valid.clear(),
    },
  });
  const simulator: FcmSimulator = Object.assign(http2, {
    projectId: 'simulated-project',
    serviceAccount: {
      type: 'service_account',
      project_id: 'simulated-project',
      private_key_id: '0123456789abcdef',
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      client_email: clientEmail,
      token_uri: `${http2.control.url}/token`,
    },
    received: [],
    onPush: null,
    gone: new Set<string>(),
    issued: () => issued,
    expireTokens: () => valid.clear(),
  });
  return simulator;
}

/** The types of the fields, which Google checks one by one. */
function isValid(message: Record<string, unknown>): boolean {
  const { token, data, notification, android, apns, webpush } = message;
  if (typeof token !== 'string') return false;
  const headers = [apns, webpush].map((each) => (isRecord(each) ? each.headers : undefined));
  if (![data, ...headers].every(isTextMap)) return false;
  if (isRecord(android)) {
    if (!['NORMAL', 'HIGH'].includes(String(android.priority))) return false;
    if (!/^\d+(\.\d+)?s$/.test(String(android.ttl))) return false;
  }
  return Buffer.byteLength(JSON.stringify({ data, notification })) <= 4_096;
}

function isTextMap(value: unknown): boolean {
  return (
    value === undefined || (isRecord(value) && Object.values(value).every((each) => typeof each === 'string'))
  );
}
