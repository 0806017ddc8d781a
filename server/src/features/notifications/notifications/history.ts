import type { Exchange } from '../../../channels/exchange.ts';
import { idTime } from '../../../kernel/ids.ts';
import { storableJson } from '../../../kernel/json.ts';
import { isoTime } from '../../../kernel/time-zone.ts';
import type { NotificationRow, StoredTraceEntry } from './notification-row.ts';
import type { EventEntry } from './schema.ts';

/**
 * The events and the trace of a notification as they are stored: JSON arrays, joined by commas, in the column `history` (ADR 35).
 * Whatever happens appends to it; `readable_history` of the database reads the same form.
 *
 *     [type, time, detail, suppression reason]                                        an event; `type` is a number
 *     ["p", time, gates]                                                              gates that passed
 *     ["g", time, name, verdict, detail]  ["d", …]                                    a gate, a decision
 *     ["a", time, latency, name, verdict, detail, code, message id, kind, exchange]   an attempt
 *     ["e", event]  ["t", entry]                                                      kinds that are not in this list, as they are
 *
 * A time is in milliseconds after the time in the id, or since 1970 from `absoluteFrom` on. A message id that contains the id of the
 * notification is the list of the parts around it. Nulls at the end are left out.
 * `Queued` at the time in the id is not stored.
 */
type Entry = unknown[];

type Time = number | string;

/** A text, the number of a sentence with its variables, or how many entries of the trace before has the same text. */
type Detail = string | number | [sentence: number, ...variables: Time[]] | null;

/** The place of a type is stored: new ones go to the end. */
const eventTypes = [
  'Queued',
  'Sending',
  'Sent',
  'Retrying',
  'Failed',
  'Suppressed',
  'Held',
  'Released',
  'Delivered',
  'Bounced',
  'Complained',
  'DeliveryDelayed',
  'Opened',
  'Clicked',
  'FailedOver',
  'AttemptFailed',
];

/** Each is a bit, so new ones go to the end; a passed list in another order is stored by names. */
const passedGates = [
  'broadcast',
  'still_wanted',
  'suppression_list',
  'category_preference',
  'quiet_hours',
  'brake',
];

/** Details that occur often. The place of a sentence is stored: new ones go to the end, and none changes. */
const sentences = [
  'Round {} of {} failed; the next is at {}',
  'Throttled; the next attempt is at {}',
  'Scheduled for {}.',
  'The address has been on the suppression list since {} ({}).',
  'The recipient opted out of the category {} on {} ({}).',
  'The category {} is off on {} unless the recipient opts in.',
  'Quiet hours of the recipient ({}): delayed until {}.',
  'Gave up after {} rounds; last: {}',
  'Waited {} s for throttled providers; checked {} times.',
].map((text) => {
  const parts = text.split('{}');
  const pattern = parts.map((part) => part.replace(/[.()]/g, '\\$&')).join('(.+?)');
  return { parts, start: parts[0] ?? '', pattern: new RegExp(`^${pattern}$`, 's') };
});

const absoluteFrom = 1e11; // 1973: no notification has that distance from its acceptance

export type History = Pick<NotificationRow, 'events' | 'trace'>;

/** A notification as it is stored. `events` and `trace` have what releases before the compact form wrote. */
export type StoredHistory = History &
  Pick<NotificationRow, 'id' | 'resent_from'> & { history: string | null };

/** The history of `n` with a text appended; null appends nothing. */
export const appendedHistorySql = (text: string): string => `concat_ws(',', n.history, ${text}::text)`;

/** The trace of `n` as JSON. */
export const traceSql = `(readable_history(n.id, n.resent_from, '[]', n.trace, n.history) -> 'trace')`;

/** Returns the rows with all of their events and trace. */
export function withHistories<Row extends StoredHistory>(rows: Row[]): Row[] {
  return rows.map((row) => ({ ...row, ...decodeHistory(row), history: null }));
}

/**
 * The text to append to the history of a notification; null when there is nothing to append. Without an id the times are
 * absolute, so that one text serves many notifications.
 */
export function encodeHistory(id: string | null, { events, trace }: History): string | null {
  if (events.length + trace.length === 0) return null;
  const start = id === null ? null : idTime(id);
  const texts: string[] = [];
  const entries = [
    ...trace.map((entry) => encodeTraceEntry(entry, id, start, texts)),
    ...events.map((event) => encodeEvent(event, start, texts)),
  ];
  return storableJson(entries).slice(1, -1);
}

function decodeHistory({ id, resent_from, history, ...before }: StoredHistory): History {
  const start = idTime(id);
  const events = [...before.events];
  const trace = [...before.trace];
  const texts: string[] = [];
  for (const entry of JSON.parse(`[${history ?? ''}]`) as Entry[]) {
    if (typeof entry[0] === 'number' || entry[0] === 'e') {
      events.push(decodeEvent(entry, start, texts));
    } else {
      const decoded = decodeTraceEntry(entry, id, start);
      if (!decoded) continue; // a kind of a later release
      trace.push(decoded);
      const text = textOf(decoded);
      if (text !== null) texts.push(text);
    }
  }
  if (!events.some(({ type }) => type === 'Queued'))
    events.unshift({
      type: 'Queued',
      occurred_at: isoTime(start),
      detail: resent_from === null ? null : `Resent from ${resent_from}`,
      suppression_reason: null,
    });
  return { events, trace };
}

function encodeEvent(event: EventEntry, start: number | null, texts: readonly string[]): Entry {
  const type = eventTypes.indexOf(event.type);
  if (type < 0) return ['e', event];
  const { occurred_at, detail, suppression_reason } = event;
  return trimmed([
    type,
    encodeTime(occurred_at, start),
    encodeDetail(detail, start, texts),
    suppression_reason,
  ]);
}

function decodeEvent(entry: Entry, start: number, texts: readonly string[]): EventEntry {
  if (entry[0] === 'e') return entry[1] as EventEntry;
  const [type, time, detail = null, reason = null] = entry as [number, Time, Detail?, (string | null)?];
  return {
    type: eventTypes[type] ?? 'Unknown', // of a later release
    occurred_at: decodeTime(time, start),
    detail: decodeDetail(detail, start, texts),
    suppression_reason: reason,
  };
}

/** Adds the text of the entry to `texts`, for the details of what follows. */
function encodeTraceEntry(
  entry: StoredTraceEntry,
  id: string | null,
  start: number | null,
  texts: string[],
): Entry {
  const time = encodeTime(entry.at, start);
  const text = textOf(entry);
  if (text !== null) texts.push(text);
  switch (entry.kind) {
    case 'passed':
      return ['p', time, encodeGates(entry.gates)];
    case 'gate':
    case 'decision': {
      const detail = encodeDetail(entry.detail, start, []);
      return trimmed([entry.kind === 'gate' ? 'g' : 'd', time, entry.name, entry.verdict, detail]);
    }
    case 'attempt': {
      const { latency_ms, name, verdict, code, provider_message_id, provider_kind, exchange } = entry;
      const kind = provider_kind === name ? null : provider_kind;
      const call = exchange && [
        ...[exchange.method, exchange.url, exchange.request_bytes],
        ...[exchange.status, exchange.response_bytes],
      ];
      const detail = encodeDetail(entry.detail, start, []);
      return trimmed([
        ...['a', time, latency_ms, name, verdict === 'accepted' ? 0 : verdict, detail],
        ...[code, encodeMessageId(provider_message_id, id), kind, call ?? null],
      ]);
    }
    default:
      return ['t', entry];
  }
}

/** Returns null for a kind that only a later release knows. */
function decodeTraceEntry(entry: Entry, id: string, start: number): StoredTraceEntry | null {
  const [kind, time] = entry as [string, Time];
  switch (kind) {
    case 'p':
      return {
        at: decodeTime(time, start),
        kind: 'passed',
        gates: decodeGates(entry[2] as number | string[]),
      };
    case 'g':
    case 'd': {
      const [, , name, verdict, detail = null] = entry as [string, Time, string, string, Detail?];
      return {
        at: decodeTime(time, start),
        kind: kind === 'g' ? 'gate' : 'decision',
        ...{ name, verdict, detail: decodeDetail(detail, start, []) },
      };
    }
    case 'a':
      return decodeAttempt(entry as AttemptEntry, id, start);
    case 't':
      return entry[1] as StoredTraceEntry;
    default:
      return null;
  }
}

type AttemptEntry = [
  kind: 'a',
  time: Time,
  latencyMs: number,
  name: string,
  verdict: string | 0,
  detail?: Detail,
  code?: string | null,
  messageId?: string | string[] | null,
  providerKind?: string | null,
  exchange?: [
    method: string,
    url: string,
    requestBytes: number,
    status: number | null,
    responseBytes: number,
  ],
];

function decodeAttempt(entry: AttemptEntry, id: string, start: number): StoredTraceEntry {
  const [, time, latency_ms, name, verdict, detail = null, code = null, messageId = null] = entry;
  const [, , , , , , , , kind = null, call = null] = entry;
  const attempt = {
    at: decodeTime(time, start),
    kind: 'attempt' as const,
    name,
    provider_kind: kind ?? name,
    verdict: verdict === 0 ? 'accepted' : verdict,
    detail: decodeDetail(detail, start, []),
    code,
    provider_message_id: Array.isArray(messageId) ? messageId.join(id) : messageId,
    latency_ms,
  };
  if (call === null) return attempt;
  const [method, url, request_bytes, status, response_bytes] = call;
  const exchange: Exchange = { method, url, request_bytes, status, response_bytes };
  return { ...attempt, exchange };
}

function encodeMessageId(messageId: string | null, id: string | null): string | string[] | null {
  return id !== null && messageId?.includes(id) ? messageId.split(id) : messageId;
}

/** What an event about the entry says; null when it says nothing. */
function textOf(entry: StoredTraceEntry): string | null {
  switch (entry.kind) {
    case 'attempt':
      return `${entry.name}: ${entry.detail ?? ''}`;
    case 'gate':
    case 'decision':
      return entry.detail;
    default:
      return null;
  }
}

function encodeGates(gates: readonly string[]): number | readonly string[] {
  let bits = 0;
  let last = -1;
  for (const name of gates) {
    const place = passedGates.indexOf(name);
    if (place <= last) return gates;
    bits |= 1 << place;
    last = place;
  }
  return bits;
}

function decodeGates(stored: number | string[]): string[] {
  return typeof stored === 'number' ? passedGates.filter((_, place) => stored & (1 << place)) : stored;
}

const isoLength = '1970-01-01T00:00:00.000Z'.length;

function encodeTime(at: string, start: number | null): Time {
  const ms = at.length === isoLength && at.endsWith('Z') ? Date.parse(at) : Number.NaN;
  const isStorable = ms >= absoluteFrom;
  if (!isStorable) return at;
  const offset = start === null ? ms : ms - start;
  return Math.abs(offset) < absoluteFrom ? offset : ms;
}

function decodeTime(time: Time, start: number): string {
  if (typeof time === 'string') return time;
  return isoTime(Math.abs(time) < absoluteFrom ? start + time : time);
}

function encodeDetail(detail: string | null, start: number | null, texts: readonly string[]): Detail {
  if (detail === null) return null;
  const same = texts.lastIndexOf(detail);
  if (same >= 0) return texts.length - 1 - same;
  for (const [place, { start: beginning, pattern }] of sentences.entries()) {
    if (!detail.startsWith(beginning)) continue;
    const [, ...variables] = pattern.exec(detail) ?? [];
    if (variables.length > 0) return [place, ...variables.map((text) => encodeTime(text, start))];
  }
  return detail;
}

function decodeDetail(detail: Detail, start: number, texts: readonly string[]): string | null {
  if (detail === null || typeof detail === 'string') return detail;
  if (typeof detail === 'number') return texts.at(-1 - detail) ?? null;
  const [place, ...variables] = detail;
  const parts = sentences[place]?.parts;
  if (!parts) return variables.map((variable) => decodeTime(variable, start)).join(' '); // of a later release
  return parts
    .map((part, index) => (index === 0 ? part : decodeTime(variables[index - 1] ?? '', start) + part))
    .join('');
}

function trimmed(entry: Entry): Entry {
  let end = entry.length;
  while (end > 0 && entry[end - 1] === null) end -= 1;
  return entry.slice(0, end);
}
