import { createHmac } from 'node:crypto';
import { sameBytes, sha256, sha256Hex } from '../../kernel/crypto.ts';
import { formIn, receiptDetail, refused } from '../callback.ts';
import type { CallbackRequest, CallbackVerdict, ProviderConfig, Receipt, Report } from '../contract.ts';
import { shownText } from '../exchange.ts';
import { jsonIn } from '../json.ts';
import type { callbackStatuses } from './fields.ts';
import { textAt, valueAt } from './pointer.ts';
import { mapOf, textOf } from './settings.ts';

/** Reads an item that reports no status: on SMS, it may be a reply. */
export type ReplyReader = (item: unknown, config: ProviderConfig, eventId: string) => Report[];

const maxItems = 2_000;
const maxEventId = 200;

export function readHttpCallback(
  request: CallbackRequest,
  config: ProviderConfig,
  readReply: ReplyReader = () => [],
): CallbackVerdict {
  const problem = authProblem(request, config);
  if (problem) return refused(401, problem);
  const document = documentOf(request);
  if (document === undefined) return refused(400, 'the body is neither JSON nor a form');
  const pointer = textOf(config, 'callback_items_pointer');
  const items = [pointer === null ? document : valueAt(document, pointer)].flat();
  if (items.length > maxItems) return refused(400, `more than ${maxItems} events`);
  // A service that repeats nothing of the message calls a URL that names the notification.
  const reading = { config, named: request.query.n ?? null, statuses: statusesOf(config), readReply };
  return { kind: 'reports', reports: items.flatMap((item) => reportsOf(item, reading)) };
}

/** What all items of a callback are read with. */
interface Reading {
  config: ProviderConfig;
  named: string | null;
  /** The words of the settings by status, in lower case. */
  statuses: Map<string, string>;
  readReply: ReplyReader;
}

/** The first of several spellings counts. */
function statusesOf(config: ProviderConfig): Map<string, string> {
  const entries = Object.entries(mapOf(config, 'callback_statuses')).reverse();
  return new Map(entries.map(([name, word]) => [name.toLowerCase(), word]));
}

/** The token in the URL was verified before; the settings may ask for more. */
function authProblem({ method, headers, body }: CallbackRequest, config: ProviderConfig): string | null {
  const auth = textOf(config, 'callback_auth');
  if (auth === 'url') return null;
  if (auth === 'hmac_sha256' && method === 'GET') return 'a GET has no body to sign';
  const secret = textOf(config, 'callback_secret');
  const name = textOf(config, 'callback_header');
  if (auth === null || secret === null || name === null) return 'callback_auth is not set up';
  const given = headers[name.toLowerCase()] ?? '';
  // Hashes have equal length for every input, so the comparison reveals nothing.
  const isRight =
    auth === 'header' ? sameBytes(sha256(given), sha256(secret)) : isSigned(given, secret, body);
  return isRight ? null : 'the secret or the signature is missing or wrong';
}

/** The HMAC of the body in hexadecimal or base64, also after a prefix such as `sha256=`. */
function isSigned(given: string, secret: string, body: Buffer): boolean {
  const wanted = createHmac('sha256', secret).update(body).digest();
  const bare = given.replace(/^(?:sha256|v1)[=,:]/i, '').trim();
  const encoding = /^[0-9a-f]{64}$/i.test(bare) ? 'hex' : 'base64';
  return sameBytes(Buffer.from(bare, encoding), wanted);
}

/** JSON, a form or a query. Undefined when it is none of them. */
function documentOf(request: CallbackRequest): unknown {
  const { method, query, headers, body } = request;
  if (method === 'GET') return query;
  if ((headers['content-type'] ?? '').includes('application/x-www-form-urlencoded'))
    return Object.fromEntries(formIn(request));
  return jsonIn(body.toString('utf8'));
}

function reportsOf(item: unknown, { config, named, statuses, readReply }: Reading): Report[] {
  const at = (field: string): string | null => textAt(item, textOf(config, field));
  const status = at('callback_status_pointer');
  const notificationId = at('callback_id_pointer') ?? named;
  const event =
    at('callback_event_pointer') ??
    sha256Hex(JSON.stringify([notificationId, at('callback_time_pointer'), item]));
  const receipt = status === null ? null : receiptOf(statuses, status, at);
  if (!receipt) return readReply(item, config, event.slice(0, maxEventId));
  if (notificationId === null) return [];
  const eventId = `${event.slice(0, maxEventId)}:${receipt.type}`;
  return [{ about: 'notification', notificationId, receipt, eventId }];
}

const types: Record<(typeof callbackStatuses)[number], Pick<Receipt, 'type' | 'soft'>> = {
  delivered: { type: 'Delivered' },
  delayed: { type: 'DeliveryDelayed' },
  bounced: { type: 'Bounced', soft: false },
  soft_bounced: { type: 'Bounced', soft: true },
  complained: { type: 'Complained' },
  opened: { type: 'Opened' },
  clicked: { type: 'Clicked' },
};

/** Returns null for a status that the settings do not list. */
function receiptOf(
  statuses: Reading['statuses'],
  status: string,
  at: (field: string) => string | null,
): Receipt | null {
  const word = statuses.get(status.toLowerCase());
  if (word === undefined) return null;
  const detail = shownText(at('callback_detail_pointer') ?? status, []);
  return {
    ...types[word as keyof typeof types],
    ...receiptDetail('http', detail, timeOf(at('callback_time_pointer'))),
  };
}

/** ISO 8601, or Unix time in seconds or milliseconds; NaN when it is neither. */
function timeOf(given: string | null): number {
  if (given === null) return Number.NaN;
  if (!/^\d+(\.\d+)?$/.test(given)) return Date.parse(given);
  const number = Number(given);
  return number > 100_000_000_000 ? number : number * 1000;
}
