import { createHmac } from 'node:crypto';
import { sameBytes } from '../../../../kernel/crypto.ts';
import { formIn, refused } from '../../../callback.ts';
import type { CallbackRequest, CallbackVerdict, ProviderConfig, Receipt, Report } from '../../../contract.ts';
import { optOutOf } from '../../api.ts';
import { knownCodes } from './codes.ts';
import { smsoneConfig } from './manifest.ts';

/** An empty answer in the provider's own language: no reply is sent to the person who wrote. */
const noReply = {
  contentType: 'text/xml',
  body: '<?xml version="1.0" encoding="UTF-8"?><Response></Response>',
};

/** Status callbacks of messages we sent, and messages that people sent to our number. */
export function readCallback(request: CallbackRequest, config: ProviderConfig): CallbackVerdict {
  const { authToken, accountSid } = smsoneConfig(config);
  const form = request.method === 'POST' ? formIn(request) : new URLSearchParams();
  const signature = request.headers['x-twilio-signature'];
  if (!signature) return refused(401, 'The signature is missing.');
  if (!isSigned(authToken, request.url, form, signature)) return refused(401, 'The signature is wrong.');
  if ((form.get('AccountSid') ?? accountSid) !== accountSid)
    return refused(403, 'The callback is for another account.');
  const sid = form.get('MessageSid') ?? form.get('SmsSid');
  if (!sid) return refused(400, 'MessageSid is missing.');
  if (form.has('Body') || form.get('SmsStatus') === 'received')
    return { kind: 'reports', reports: inbound(form, sid), answer: noReply };
  return { kind: 'reports', reports: statusReports(form, sid, request.query.n ?? '') };
}

function inbound(form: URLSearchParams, sid: string): Report[] {
  const address = form.get('From') ?? '';
  const optOut = form.get('OptOutType'); // the provider's own reading of the words, when the account has it enabled
  const wants =
    optOut === 'STOP' ? 'nothing' : optOut === 'START' ? 'again' : optOutOf(form.get('Body') ?? '');
  if (!wants || !address.startsWith('+')) return [];
  const detail = wants === 'nothing' ? 'The recipient replied STOP.' : 'The recipient replied START.';
  return [{ about: 'recipient', address, wants, detail, eventId: `${sid}:${wants}` }];
}

function statusReports(form: URLSearchParams, sid: string, notificationId: string): Report[] {
  const status = form.get('MessageStatus') ?? form.get('SmsStatus') ?? '';
  const code = Number(form.get('ErrorCode') || Number.NaN);
  const receipt = receiptOf(status, code);
  if (!receipt || !notificationId) return [];
  const reports: Report[] = [{ about: 'notification', notificationId, receipt, eventId: `${sid}:${status}` }];
  const address = form.get('To') ?? '';
  if (knownCodes.get(code) === 'unsubscribed' && address.startsWith('+')) {
    reports.push({
      about: 'recipient',
      address,
      wants: 'nothing',
      detail: 'The recipient replied STOP earlier (21610).',
      eventId: `${sid}:${status}:unsubscribed`,
    });
  }
  return reports;
}

/** Returns null while the message is still being delivered. */
function receiptOf(status: string, code: number): Receipt | null {
  const named = Number.isNaN(code) ? '' : ` (${code})`;
  switch (status) {
    case 'delivered':
    case 'read':
      return { type: 'Delivered', detail: 'Twilio (smsone): delivered to the handset.' };
    case 'undelivered':
    case 'failed':
    case 'canceled':
      return {
        type: 'Bounced',
        detail: `Twilio (smsone): ${status}${named}.`,
        soft: knownCodes.get(code) !== 'unreachable',
      };
    default:
      return null;
  }
}

/** The provider's signature: HMAC-SHA1 of the URL it called and every form field, sorted by name, keyed by the auth token. */
export function signatureOf(authToken: string, url: string, form: URLSearchParams): string {
  return signer(authToken, form)(url);
}

/** Reads the fields once, for all candidates of the URL. */
function signer(authToken: string, form: URLSearchParams): (url: string) => string {
  const fields = signedFields(form);
  return (url) =>
    createHmac('sha1', authToken)
      .update(url + fields)
      .digest('base64');
}

function signedFields(form: URLSearchParams): string {
  const values = new Map<string, Set<string>>();
  for (const [name, value] of form) values.set(name, (values.get(name) ?? new Set()).add(value));
  return sortedByBytes(values.keys())
    .flatMap((name) => sortedByBytes(values.get(name) ?? []).map((value) => name + value))
    .join('');
}

function sortedByBytes(texts: Iterable<string>): string[] {
  return [...texts]
    .map((text) => Buffer.from(text))
    .sort(Buffer.compare)
    .map(String);
}

/**
 * The provider signs the URL as it was configured, but is inconsistent about a port that the scheme implies: both forms are
 * tried.
 */
function isSigned(authToken: string, url: string, form: URLSearchParams, signature: string): boolean {
  const given = Buffer.from(signature, 'base64');
  const sign = signer(authToken, form);
  return [url, otherPortForm(url)].some((candidate) =>
    sameBytes(given, Buffer.from(sign(candidate), 'base64')),
  );
}

function otherPortForm(url: string): string {
  const [, start = '', host = '', port, rest = ''] =
    /^(https?:\/\/)([^/:?]+|\[[^\]]+\])(:\d+)?(.*)$/s.exec(url) ?? [];
  if (!start) return url;
  const implied = start === 'https://' ? ':443' : ':80';
  if (port === undefined) return start + host + implied + rest;
  return port === implied ? start + host + rest : url;
}
