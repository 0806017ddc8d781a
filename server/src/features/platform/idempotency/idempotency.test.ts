import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../../../../test/harness/app.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/database.ts';
import { rowsRead } from '../../../../test/harness/rows-read.ts';
import { migrate } from '../../../db/migrate.ts';
import { type Pool, query, type Sql, statement, transaction } from '../../../db/sql.ts';
import { newId } from '../../../kernel/ids.ts';
import {
  claimKey,
  deleteExpiredKeys,
  findEarlierHolder,
  findKeyHolder,
  insertKeysSql,
  isKnownKey,
  type KeyClaim,
  listKnownKeys,
  nameOfKey,
  tidyIdempotencyKeys,
} from './index.ts';

const hashOf = (body: string): string => createHash('sha256').update(body).digest('hex');
const [mine, other] = [newId(), newId()];

const claimOf = (given: Partial<KeyClaim> = {}): KeyClaim => ({
  environmentId: mine,
  operation: 'notification',
  key: `key-${newId()}`,
  bodyHash: hashOf('body'),
  resourceId: newId(),
  ...given,
});
/** The same request once more, which would make a resource of its own. */
const again = (claim: KeyClaim, given: Partial<KeyClaim> = {}): KeyClaim => ({
  ...claim,
  resourceId: newId(),
  ...given,
});

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  ({ pool } = database);
});
afterAll(() => database.drop());

const insertNew = statement(
  'test_idempotency_insert_new',
  insertKeysSql(
    'json_to_recordset($1::json) as claims (environment_id uuid, operation text, key text, body_hash text, resource_id uuid)',
  ),
);
const columnsOf = ({ environmentId, operation, key, bodyHash, resourceId }: KeyClaim) => ({
  ...{ environment_id: environmentId, operation, key, body_hash: bodyHash, resource_id: resourceId },
});
const insertExpectedNew = (sql: Sql, ...claims: KeyClaim[]) =>
  insertNew(sql, [JSON.stringify(claims.map(columnsOf))]);

async function isOneWaiting(sql: Sql): Promise<boolean> {
  const waiting = await query(
    sql,
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return waiting.length > 0;
}

describe('a key', () => {
  test('belongs to its environment and operation, wherever one ends and the next begins', async () => {
    const claim = claimOf({ key: 'order 1' });
    expect(await claimKey(pool, claim)).toBe(true);
    for (const given of [
      { environmentId: other },
      { operation: 'trigger:orders' },
      { operation: 'notification order', key: '1' },
      { operation: '', key: 'notification\norder 1' },
      { key: 'Order 1' },
      { key: 'order 1 ' },
    ])
      expect(await claimKey(pool, again(claim, given))).toBe(true);
    expect(await claimKey(pool, again(claim))).toBe(false);
    expect(await findKeyHolder(pool, claim)).toBe(claim.resourceId);
    expect(await findKeyHolder(pool, { ...claim, environmentId: newId() })).toBeNull();
  });

  test('takes what is beyond ASCII, and any length', async () => {
    for (const key of ['ключ-🔑', `<${'x'.repeat(2_000)}@example.com> ada@example.com`]) {
      const claim = claimOf({ key });
      expect([await claimKey(pool, claim), await claimKey(pool, again(claim))]).toEqual([true, false]);
    }
  });

  test('with the same body leads to the first resource, and with another one to a conflict', async () => {
    const claim = claimOf();
    await claimKey(pool, claim);
    const changed = again(claim, { bodyHash: hashOf('other') });
    expect(await findKeyHolder(pool, again(claim))).toBe(claim.resourceId);
    expect(await findEarlierHolder(pool, again(claim))).toBe(claim.resourceId);
    await expect(findKeyHolder(pool, changed)).rejects.toMatchObject({ code: 'idempotency_key_reused' });
    expect(await findEarlierHolder(pool, changed)).toBeNull();
  });

  test('that is expected to be new fails the whole statement when it is not', async () => {
    const [known, fresh] = [claimOf(), claimOf()];
    await insertExpectedNew(pool, known);
    const refused = await insertExpectedNew(pool, again(known), fresh).catch((error) => error);
    expect(isKnownKey(refused)).toBe(true);
    expect(await listKnownKeys(pool, [known, fresh])).toEqual(new Set([nameOfKey(known)]));
  });

  test.each(['commits', 'fails'])(
    'of two transactions at the same instant waits for the first, which %s',
    async (end) => {
      const claim = claimOf();
      let second: Promise<boolean> | undefined;
      await transaction(pool, async (tx) => {
        expect(await claimKey(tx, claim)).toBe(true);
        second = claimKey(pool, again(claim));
        await waitUntil(async () => (await isOneWaiting(pool)) || new Error('the second does not wait'));
        if (end === 'fails') throw new Error('planned');
      }).catch((error) => expect(error.message).toBe('planned'));
      expect(await second).toBe(end === 'fails');
    },
  );

  test('of a hundred claims at the same instant is given once', async () => {
    const claim = claimOf();
    const claims = Array.from({ length: 100 }, () => again(claim));
    const given = await Promise.all(claims.map((each) => claimKey(pool, each)));
    expect(given.filter(Boolean)).toHaveLength(1);
    expect(await findKeyHolder(pool, claim)).toBe(claims[given.indexOf(true)]?.resourceId);
  });
});

describe('a day later', () => {
  const expire = (...claims: KeyClaim[]) =>
    query(
      pool,
      `update idempotency_claims set created_at = created_at - interval '24 hours 1 second' where resource_id = any ($1)`,
      [claims.map(({ resourceId }) => resourceId)],
    );

  test('a key is free again, and then taken by the new request', async () => {
    const claim = claimOf();
    await claimKey(pool, claim);
    await expire(claim);
    const next = again(claim, { bodyHash: hashOf('other') });
    expect(await findEarlierHolder(pool, claim)).toBeNull();
    expect(await listKnownKeys(pool, [claim])).toEqual(new Set());
    expect(await claimKey(pool, next)).toBe(true);
    expect(await claimKey(pool, again(next))).toBe(false);
    expect(await findKeyHolder(pool, next)).toBe(next.resourceId);
  });

  test('housekeeping finds it in whatever page it is, and leaves the others', async () => {
    await query(
      pool,
      `insert into idempotency_claims (key_hash, environment_id, body_hash, resource_id, created_at)
       select gen_random_uuid(), $1, $1, $1, now() - case when n % 2 = 0 then interval '25 hours' else interval '23 hours' end
       from generate_series(1, 30000) n`,
      [other],
    );
    const count = async (): Promise<number> =>
      Number(
        (
          await query<{ count: string }>(
            pool,
            'select count(*) from idempotency_claims where resource_id = $1',
            [other],
          )
        )[0]?.count,
      );
    const slice = await rowsRead(pool, (sql) => deleteExpiredKeys(sql, 100, 200));
    expect(slice.result).toBeGreaterThan(3_000);
    expect(slice.rows).toBeLessThan(3 * 100 * 81); // its pages, read once and then deleted from
    expect(await count()).toBe(30_000 - slice.result);
    await tidyIdempotencyKeys({ pool, clock: Date.now }, () => false);
    expect(await count()).toBe(15_000);
  });
});

describe('beside processes of the previous release', () => {
  const writeText = statement(
    'test_idempotency_insert_text',
    `insert into idempotency_keys (environment_id, operation, key, body_hash, resource_id)
     select environment_id, operation, key, decode(body_hash, 'hex'), resource_id
     from json_to_recordset($1::json) as claims (environment_id uuid, operation text, key text, body_hash text, resource_id uuid)`,
  );
  const insertText = (sql: Sql, ...claims: KeyClaim[]) =>
    writeText(sql, [JSON.stringify(claims.map(columnsOf))]);

  test('the keys of the last day are copied by the migration', async () => {
    const upgraded = await createTestDatabase('template0');
    const sql = upgraded.pool;
    await migrate(sql, { upTo: '0049_webhook_url_query.sql' });
    // Many of the same moment, more than a slice has.
    const claims = Array.from({ length: 12_000 }, (_, n) => claimOf({ key: `old-${n}` }));
    await insertText(sql, ...claims.slice(0, 6_000));
    for (let n = 6_000; n < 12_000; n += 2_000) await insertText(sql, ...claims.slice(n, n + 2_000));
    const expired = claimOf({ key: 'expired' });
    await insertText(sql, expired);
    await query(
      sql,
      `update idempotency_keys set created_at = now() - interval '25 hours' where key = 'expired'`,
    );
    await migrate(sql);
    expect((await listKnownKeys(sql, claims)).size).toBe(12_000);
    const [first = claimOf()] = claims;
    expect(await claimKey(sql, again(first))).toBe(false);
    expect(await findKeyHolder(sql, first)).toBe(first.resourceId);
    await expect(findKeyHolder(sql, { ...first, bodyHash: hashOf('other') })).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    });
    expect(await claimKey(sql, again(expired))).toBe(true);
    await upgraded.drop();
  });

  test('a key that they accept is known here, at the same instant too', async () => {
    const claim = claimOf();
    let here: Promise<boolean> | undefined;
    await transaction(pool, async (tx) => {
      await insertText(tx, claim);
      here = claimKey(pool, again(claim));
    });
    expect(await here).toBe(false);
    expect(await findKeyHolder(pool, claim)).toBe(claim.resourceId);
  });

  test('a key that is accepted here fails their write as one of their own would', async () => {
    const [claim, fresh] = [claimOf(), claimOf()];
    await claimKey(pool, claim);
    expect(await insertText(pool, again(claim), fresh).catch((error) => error)).toMatchObject({
      code: '23505',
      constraint: 'idempotency_keys_pkey',
    });
    expect(
      await query(pool, 'select from idempotency_keys where key = any ($1)', [[claim.key, fresh.key]]),
    ).toEqual([]);
    expect(await findKeyHolder(pool, claim)).toBe(claim.resourceId);
    await insertText(pool, fresh);
  });

  test('what they wrote is removed a day later', async () => {
    const claim = claimOf();
    await insertText(pool, claim);
    await query(pool, `update idempotency_keys set created_at = now() - interval '25 hours' where key = $1`, [
      claim.key,
    ]);
    await tidyIdempotencyKeys({ pool, clock: Date.now }, () => false);
    expect(await query(pool, 'select from idempotency_keys where key = $1', [claim.key])).toEqual([]);
    expect(await claimKey(pool, again(claim))).toBe(true);
  });
});
