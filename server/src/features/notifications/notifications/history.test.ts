import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/database.ts';
import { query } from '../../../db/sql.ts';
import { idTime, newId } from '../../../kernel/ids.ts';
import { storable } from '../../../kernel/json.ts';
import { encodeHistory, type History, type StoredHistory, withHistories } from './history.ts';
import type { StoredTraceEntry } from './notification-row.ts';
import type { EventEntry } from './schema.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const id = newId();
const after = (ms: number): string => new Date(idTime(id) + ms).toISOString();
const event = (type: string, ms: number, detail: string | null = null, reason: string | null = null) =>
  ({ type, occurred_at: after(ms), detail, suppression_reason: reason }) satisfies EventEntry;
const queued = event('Queued', 0);

const rowOf = (history: string | null, before: Partial<History> = {}, resent_from: string | null = null) => ({
  ...{ id, resent_from, events: before.events ?? [], trace: before.trace ?? [], history },
});
const read = (row: StoredHistory): History => {
  const [{ events, trace } = { events: [], trace: [] }] = withHistories([row]);
  return { events, trace };
};

/** What psql shows of rows. */
async function readable(rows: StoredHistory[]): Promise<History[]> {
  const given = JSON.stringify(rows);
  return query<History & { n: number }>(
    database.pool,
    `select h -> 'events' as events, h -> 'trace' as trace from json_array_elements($1::json) with ordinality as row (r, n),
       lateral (select readable_history((r ->> 'id')::uuid, (r ->> 'resent_from')::uuid, (r -> 'events')::jsonb, (r -> 'trace')::jsonb,
         r ->> 'history') as h offset 0) as read order by n`,
    [given],
  );
}

const text = fc.string({ unit: 'binary', maxLength: 40 }).map((value) => storable(value));
const moment = fc.oneof(
  fc.integer({ min: -86_400_000, max: 40 * 86_400_000 }).map(after),
  fc.constantFrom('1971-01-01T00:00:00.000Z', 'yesterday', '2199-12-31T23:59:59.999Z'),
);
const detail = fc.oneof(
  fc.constant(null),
  text,
  moment.map((at) => `Round 1 of 8 failed; the next is at ${at}`),
  fc
    .tuple(text, text)
    .map(([category, source]) => `The recipient opted out of the category ${category} on sms (${source}).`),
  text.map((window) => `Quiet hours of the recipient (${window}): delayed until ${after(5)}.`),
);
const short = fc.oneof(fc.constantFrom('smtp', 'accepted', 'brake', 'hold', 'redriven'), text);
const attempt = fc
  .record({
    at: moment,
    name: short,
    provider_kind: short,
    verdict: short,
    detail: fc.oneof(fc.constant(null), detail),
    code: fc.oneof(fc.constant(null), short),
    provider_message_id: fc.oneof(fc.constant(null), text, fc.constantFrom(id, `<${id}@x.example>`, id + id)),
    latency_ms: fc.nat(120_000),
  })
  .chain((entry) =>
    fc
      .option(
        fc.record({
          ...{
            method: fc.constant('POST'),
            url: text,
            request_bytes: fc.nat(),
            status: fc.option(fc.nat(599)),
          },
          response_bytes: fc.nat(),
        }),
      )
      .map((exchange) => ({ ...entry, kind: 'attempt' as const, ...(exchange && { exchange }) })),
  );
const traceEntry: fc.Arbitrary<StoredTraceEntry> = fc.oneof(
  fc.record({
    ...{ at: moment, kind: fc.constant('passed' as const) },
    gates: fc.oneof(
      fc.subarray([
        'broadcast',
        'still_wanted',
        'suppression_list',
        'category_preference',
        'quiet_hours',
        'brake',
      ]),
      fc.constantFrom<string[]>(['brake', 'still_wanted'], ['of_a_later_release']),
    ),
  }),
  fc.record({
    at: moment,
    kind: fc.constantFrom('gate' as const, 'decision' as const),
    name: short,
    verdict: short,
    detail,
  }),
  attempt,
);
const eventEntry = fc.record({
  type: fc.constantFrom(
    'Queued',
    'Sending',
    'Sent',
    'Retrying',
    'Bounced',
    'AttemptFailed',
    'OfALaterRelease',
  ),
  occurred_at: moment,
  detail,
  suppression_reason: fc.oneof(fc.constant(null), short),
});
const settlement = fc
  .record({ events: fc.array(eventEntry, { maxLength: 5 }), trace: fc.array(traceEntry, { maxLength: 5 }) })
  .map(({ events, trace }) => {
    // Events repeat what the trace says: so does every settlement.
    const said = trace.flatMap((entry) =>
      entry.kind === 'attempt' ? [`${entry.name}: ${entry.detail}`] : [],
    );
    return { events: [...events, ...said.map((detail) => event('Sent', 7, detail))], trace };
  });

describe('the history of a notification', () => {
  it('is read as it was written, also by people with psql, whatever was appended to what', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(settlement, { maxLength: 4 }), settlement, async (appended, before) => {
        const history = appended
          .map((added) => encodeHistory(id, added))
          .filter((added) => added !== null)
          .join(',');
        const shared = appended
          .map((added) => encodeHistory(null, added))
          .filter((added) => added !== null)
          .join(',');
        const rows = [rowOf(history || null), rowOf(shared || null), rowOf(history || null, before)];
        const expected = [[], [], [before]].map((first) => {
          const all = [...first, ...appended];
          const events = all.flatMap((part) => part.events);
          const isComplete = events.some(({ type }) => type === 'Queued');
          return {
            events: isComplete ? events : [queued, ...events],
            trace: all.flatMap((part) => part.trace),
          };
        });
        expect(rows.map(read)).toEqual(expected);
        expect(await readable(rows)).toEqual(expected);
      }),
      { numRuns: 100 },
    );
  });

  it('takes no bytes until something happens, and about 110 for a delivery', () => {
    expect(encodeHistory(id, { events: [], trace: [] })).toBeNull();
    expect(read(rowOf(null))).toEqual({ events: [queued], trace: [] });
    const reply = '250 2.0.0 Ok: queued as 4RkJ1x2Wz9z9vPk';
    const delivered = encodeHistory(id, {
      events: [event('Sending', 12), event('Sent', 19, `smtp: ${reply}`), event('Delivered', 1_450)],
      trace: [
        {
          at: after(12),
          kind: 'passed',
          gates: ['still_wanted', 'suppression_list', 'category_preference', 'quiet_hours'],
        },
        {
          ...{
            at: after(13),
            kind: 'attempt',
            name: 'smtp',
            provider_kind: 'smtp',
            verdict: 'accepted',
            detail: reply,
          },
          ...{ code: '250', provider_message_id: `<${id}@example.com>`, latency_ms: 6 },
        },
      ],
    });
    expect(delivered).toBe(
      `["p",12,30],["a",13,6,"smtp",0,"${reply}","250",["<","@example.com>"]],[1,12],[2,19,0],[8,1450]`,
    );
  });

  it('begins with the resend that made the notification', () => {
    const original = newId();
    expect(read(rowOf(null, {}, original)).events).toEqual([
      { ...queued, detail: `Resent from ${original}` },
    ]);
  });

  it('shows entries of a later release as far as they are known, and keeps them', async () => {
    const later = `["z",12,"new"],[99,12,"new event"],["g",13,"new_gate","defer",[77,"a",14]],[1,15,[0,"1"]]`;
    const expected = {
      events: [
        queued,
        { ...event('Unknown', 12), detail: 'new event' },
        { ...event('Sending', 15), detail: expect.stringContaining('Round 1 of ') },
      ],
      trace: [{ at: after(13), kind: 'gate', name: 'new_gate', verdict: 'defer', detail: expect.anything() }],
    };
    expect(read(rowOf(later))).toEqual(expected);
    expect((await readable([rowOf(later)]))[0]?.events.slice(0, 2)).toEqual(expected.events.slice(0, 2));
  });

  it('stores what PostgreSQL cannot read as JSON with a replacement character', async () => {
    const history = encodeHistory(id, { events: [event('Failed', 5, 'cut \ud83d, \0, 😀')], trace: [] });
    const [shown] = await readable([rowOf(history)]);
    expect(shown?.events[1]?.detail).toBe('cut \ufffd, \ufffd, 😀');
    expect(read(rowOf(history)).events[1]?.detail).toBe('cut \ufffd, \ufffd, 😀');
  });

  it('holds 200 attempts', async () => {
    const trace = Array.from(
      { length: 200 },
      (_, index): StoredTraceEntry => ({
        ...{
          at: after(index),
          kind: 'attempt',
          name: 'ses',
          provider_kind: 'ses',
          verdict: 'retry',
          detail: `Try ${index}`,
        },
        ...{ code: '503', provider_message_id: null, latency_ms: index },
      }),
    );
    const history = encodeHistory(id, { events: [], trace });
    expect(read(rowOf(history)).trace).toEqual(trace);
    expect((await readable([rowOf(history)]))[0]?.trace).toEqual(trace);
  });
});
