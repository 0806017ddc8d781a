import { createHash, createHmac } from 'node:crypto';
import type { Clock } from '../../../../kernel/clock.ts';
import { sameBytes } from '../../../../kernel/crypto.ts';
import { formIn, refused } from '../../../callback.ts';
import type { CallbackRequest, CallbackVerdict, ProviderConfig, Receipt, Report } from '../../../contract.ts';
import { jsonObject } from '../../../json.ts';
import { optOutOf } from '../../api.ts';
import { isGone } from './codes.ts';
import { smstwoConfig } from './manifest.ts';

/**
 * The provider repeats an unacknowledged receipt for a day. Repeated receipts change nothing, so age alone does little harm.
 */
const maxAgeSeconds = 25 * 3_600;
const maxAheadSeconds = 5 * 60;

/** Delivery receipts and messages that people sent to our number; JSON, a form or a query, as the account is set. */
export function readCallback(
  request: CallbackRequest,
  config: ProviderConfig,
  { clock }: { clock: Clock },
): CallbackVerdict {
  const { apiKey, signatureSecret } = smstwoConfig(config);
  const params = paramsOf(request);
  if (!params) return refused(400, 'The body cannot be read.');
  if (signatureSecret !== null) {
    const problem = signatureProblem(params, signatureSecret, clock() / 1000);
    if (problem) return refused(401, problem);
  }
  if ((params['api-key'] ?? apiKey) !== apiKey) return refused(403, 'The callback is for another account.');
  const messageId = params.messageId ?? params['message-id'];
  // When its URL is saved the provider makes an empty call to check that the URL answers.
  if (!messageId) return { kind: 'reports', reports: [] };
  return { kind: 'reports', reports: params.status ? receipts(params) : inbound(params, messageId) };
}

function paramsOf(request: CallbackRequest): Params | null {
  const { method, query, headers, body } = request;
  if (method === 'GET') return texts(query);
  const type = headers['content-type'] ?? '';
  if (!type.includes('json')) return Object.fromEntries(formIn(request));
  const json = jsonObject(body.toString('utf8'));
  return json && texts(json);
}

function texts(values: object): Params {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : [],
    ),
  );
}

function signatureProblem(params: Params, secret: string, nowSeconds: number): string | null {
  if (!params.sig) return 'The signature is missing.';
  if (!isSigned(params, secret)) return 'The signature is wrong.';
  const ahead = Number(params.timestamp) - nowSeconds;
  if (!(ahead <= maxAheadSeconds && ahead >= -maxAgeSeconds)) return 'The signature is too old.';
  return null;
}

function receipts(params: Params): Report[] {
  const notificationId = params['client-ref'];
  const receipt = receiptOf(params);
  if (!notificationId || !receipt) return [];
  // Each part of a long message has a receipt of its own; together they are one event.
  return [{ about: 'notification', notificationId, receipt, eventId: `${notificationId}:${params.status}` }];
}

/** Returns null while the message is still being delivered. */
function receiptOf({ status, 'err-code': code = '' }: Params): Receipt | null {
  switch (status) {
    case 'delivered':
      return { type: 'Delivered', detail: 'Vonage (smstwo): delivered to the handset.' };
    case 'expired':
    case 'failed':
    case 'rejected':
      return {
        type: 'Bounced',
        detail: `Vonage (smstwo): ${status}${/^\d{1,3}$/.test(code) ? ` (error ${code})` : ''}.`,
        soft: !isGone(code),
      };
    default:
      return null;
  }
}

function inbound({ msisdn = '', text = '' }: Params, messageId: string): Report[] {
  const wants = optOutOf(text);
  if (!wants || !/^\d{7,15}$/.test(msisdn)) return [];
  const detail = wants === 'nothing' ? 'The recipient replied STOP.' : 'The recipient replied START.';
  return [{ about: 'recipient', address: `+${msisdn}`, wants, detail, eventId: `${messageId}:${wants}` }];
}

type Params = Record<string, string>;

/** The signed text: every parameter except the signature, sorted, with the separators taken out of the values. */
export function signedText(params: Params): string {
  return Object.keys(params)
    .filter((name) => name !== 'sig')
    .sort()
    .map((name) => `&${name}=${(params[name] ?? '').replace(/[&=]/g, '_')}`)
    .join('');
}

/** The account chooses the method; the length of the signature limits the candidates. */
const methods: Record<number, ((text: string, secret: string) => Buffer)[]> = {
  32: [
    (text, secret) => createHmac('md5', secret).update(text).digest(),
    (text, secret) =>
      createHash('md5')
        .update(text + secret)
        .digest(),
  ],
  40: [(text, secret) => createHmac('sha1', secret).update(text).digest()],
  64: [(text, secret) => createHmac('sha256', secret).update(text).digest()],
  128: [(text, secret) => createHmac('sha512', secret).update(text).digest()],
};

export function isSigned(params: Params, secret: string): boolean {
  const signature = params.sig ?? '';
  if (!/^[0-9a-f]+$/i.test(signature)) return false;
  const given = Buffer.from(signature, 'hex');
  const text = signedText(params);
  return (methods[signature.length] ?? []).some((sign) => sameBytes(sign(text, secret), given));
}
