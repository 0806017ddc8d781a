import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { waitUntil } from '../../../../test/harness/app.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/database.ts';
import type { Carrier, Message, Outcome } from '../../../channels/contract.ts';
import type { Sql } from '../../../db/sql.ts';
import { newId } from '../../../kernel/ids.ts';
import { createLog } from '../../../kernel/log.ts';
import { findEndpoint, insertEndpoint } from '../connections/endpoints/store.ts';
import { type ConnectionRevision, createConnectionHealth } from './connection-health.ts';

let database: TestDatabase;
let environmentId: string;
let subject: ConnectionRevision;
beforeAll(async () => {
  database = await createTestDatabase();
  environmentId = newId();
  const organizationId = newId();
  await database.pool.query(`insert into organizations (id, name, plan) values ($1, 'x', 'free')`, [
    organizationId,
  ]);
  await database.pool.query(
    `insert into environments (id, organization_id, kind, name) values ($1, $2, 'live', 'x')`,
    [environmentId, organizationId],
  );
});
afterAll(() => database.drop());
beforeEach(async () => {
  subject = { id: newId(), revision: 1, status: 'active', last_failure_reason: null };
  await insertEndpoint(database.pool, {
    ...{ ...subject, environment_id: environmentId, channel: 'chatthree', key: subject.id, label: 'x' },
    ...{ url_sealed: 'x', url_prefix: 'x', flavour: null, default_username: null, default_avatar_url: null },
    ...{ last_success_at: null, last_failure_at: null },
  });
});

const stored = async () => {
  const row = await findEndpoint(database.pool, environmentId, 'chatthree', subject.id);
  if (!row) throw new Error('it is gone');
  return row;
};

const accepted: Outcome = { kind: 'accepted', providerMessageId: null, detail: 'Posted.' };
const refused: Outcome = { kind: 'rejected', detail: 'too large', code: '413' };
const broken: Outcome = { kind: 'broken', detail: 'no entry', code: '403' };
const deleted: Outcome = { kind: 'broken', detail: 'no such webhook', code: '10015' };

/** Whatever it is to say, and how often the health was written. */
function watched(of: ConnectionRevision = subject) {
  let next: Outcome = accepted;
  let writes = 0;
  const counting: Sql = {
    query(config) {
      if (config.name === 'connections_mark_chat_endpoints') writes += 1;
      return database.pool.query(config);
    },
  };
  const carrier: Carrier = {
    name: 'x',
    kind: 'x',
    idempotent: false,
    send: async () => next,
  };
  const book = createConnectionHealth(
    { pool: counting, clock: Date.now, log: createLog('silent') },
    'chat_endpoints',
    (code) => code === '10015',
  );
  const polite = book.observe(carrier, of);
  return {
    writes: () => writes,
    carrier: polite,
    send(outcome: Outcome) {
      next = outcome;
      return polite.send({} as Message, AbortSignal.timeout(5_000));
    },
  };
}

test('a success and a failure are both remembered, and what they say about the connection', async () => {
  expect(await watched().send(accepted)).toBe(accepted);
  expect(await stored()).toMatchObject({ status: 'active', last_failure_at: null });
  expect((await stored()).last_success_at).toBeInstanceOf(Date);
  await watched().send(refused);
  expect(await stored()).toMatchObject({ status: 'active', last_failure_reason: 'too large' });
  await watched().send(broken);
  expect(await stored()).toMatchObject({ status: 'broken', last_failure_reason: 'no entry' });
  await watched().send(accepted);
  expect(await stored()).toMatchObject({ status: 'active', last_failure_reason: 'no entry' });
});

test('a busy connection is written once a second, and in the end with what happened last', async () => {
  const one = watched();
  const startedAt = Date.now();
  for (let number = 0; number < 300; number += 1) await one.send(number % 2 ? accepted : broken);
  await one.send(refused);
  const seconds = (Date.now() - startedAt) / 1000;
  expect(one.writes()).toBeLessThanOrEqual(Math.floor(seconds) + 1);
  const row = await waitUntil(async () => {
    const seen = await stored();
    return seen.last_failure_reason === 'too large' ? seen : new Error(JSON.stringify(seen));
  }, 20_000);
  expect(row.status).toBe('active');
});

test('being asked to go slower says nothing about health', async () => {
  const one = watched();
  await one.send({ kind: 'throttled', detail: 'slow', code: '429', retryAfterMs: 1 });
  expect(one.writes()).toBe(0);
});

test('what is gone says why', async () => {
  await watched().send(deleted);
  const { status, last_failure_reason } = await stored();
  expect(status).toBe('gone');
  expect(watched({ ...subject, status, last_failure_reason }).carrier.gone).toBe('no such webhook');
  expect(watched().carrier.gone).toBeUndefined();
});

test('what is learned about old credentials says nothing about the new', async () => {
  await database.pool.query('update chat_endpoints set revision = 2 where id = $1', [subject.id]);
  await watched().send(deleted);
  expect(await stored()).toMatchObject({ status: 'active', last_failure_at: null });
});

test('a database that is away costs the note, not the outcome', async () => {
  const book = createConnectionHealth(
    {
      pool: { query: () => Promise.reject(new Error('away')) },
      clock: Date.now,
      log: createLog('silent'),
    },
    'chat_endpoints',
    () => false,
  );
  const carrier = book.observe(
    { name: 'x', kind: 'x', idempotent: false, send: async () => accepted },
    subject,
  );
  expect(await carrier.send({} as Message, AbortSignal.timeout(5_000))).toBe(accepted);
});
