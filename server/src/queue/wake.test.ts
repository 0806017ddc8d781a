import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/harness/database.ts';
import { bundledThreads } from '../../test/harness/threads.ts';
import { createDoorbell, type Doorbell } from '../db/doorbell.ts';
import { query, type Sql } from '../db/sql.ts';
import { newId } from '../kernel/ids.ts';
import { createLog } from '../kernel/log.ts';
import { createMetrics } from '../kernel/metrics.ts';
import {
  type Claim,
  createQueue,
  createWakeJob,
  type PostponedWork,
  type Queue,
  workKinds,
} from './index.ts';
import { promote } from './later-store.ts';
import type { WakeNote } from './slices.ts';
import { claim as claimRows } from './store.ts';

let database: TestDatabase;
let queue: Queue;
let doorbell: Doorbell;
beforeAll(async () => {
  database = await createTestDatabase();
  const { pool, url } = database;
  const log = createLog('silent');
  doorbell = createDoorbell(pool, url, log);
  queue = createQueue({
    ...{ pool, claimPool: pool, database: url, doorbell, log, metrics: createMetrics() },
    heartbeatEntry: bundledThreads().heartbeat,
  });
});
afterAll(async () => {
  await doorbell.stop();
  await database.drop();
});
beforeEach(() => query(database.pool, 'truncate queue_ready, queue_later, queue_leased, queue_turns'));

const environmentId = newId();
const hourMs = 3_600_000;

function postponed(count: number, more: Partial<PostponedWork> = {}): PostponedWork[] {
  const wait = { name: 'email', since: new Date(Date.now() - hourMs) };
  return Array.from({ length: count }, () => ({
    ...{ kind: 'notification' as const, id: newId(), lane: 'normal' as const, environmentId },
    ...{ runAt: new Date(Date.now() + 18 * hourMs), wait },
    ...more,
  }));
}

const readyIds = async () =>
  (await query<{ id: string }>(database.pool, 'select id from queue_ready where kind = 1')).map(
    ({ id }) => id,
  );

/** Does the work of waking that is ready, as the worker `workerId` of the queue would; null: there is none. */
async function wakeOnce(): Promise<WakeNote | null> {
  const { pool } = database;
  const workerId = newId();
  const [row] = await claimRows(pool, workKinds.wake, 2, 1, workerId);
  if (!row) return null;
  const claim: Claim = {
    ...{ kind: 'wake', id: row.id, lane: 'normal', environmentId: row.environment_id },
    ...{ note: row.note, leasedAt: row.leased_at, unparkedFrom: null },
  };
  const finish: Queue['finish'] = async (sql, _kind, ids) => {
    const gone = await query<{ id: string }>(
      sql,
      'delete from queue_leased where id = any ($1) returning id',
      [ids],
    );
    return gone.map(({ id }) => id);
  };
  await createWakeJob({ pool, queue: { ...queue, finish } }).run(claim, claim.note as WakeNote);
  return claim.note as WakeNote;
}

test('what waits for a name becomes ready in slices, critical work first, and nothing else does', async () => {
  const critical = postponed(1, { lane: 'critical' });
  const waiting = postponed(600);
  const others = [
    ...postponed(1, { environmentId: newId() }),
    ...postponed(1, { wait: { name: 'sms', since: new Date(0) } }),
    ...postponed(1, { wait: null }),
    // Tried after the change.
    ...postponed(1, { wait: { name: 'email', since: new Date(Date.now() + hourMs) } }),
  ];
  await queue.postpone(database.pool, [...waiting, ...others, ...critical]);
  await queue.wake(database.pool, 'notification', environmentId, 'email');

  await wakeOnce();
  expect(await readyIds()).toHaveLength(500);
  expect(await readyIds()).toContain(critical[0]?.id);
  // The rest comes after a pause.
  expect(await wakeOnce()).toBeNull();
  const due = (kind: number) =>
    query(database.pool, `update queue_later set run_at = now() where kind = $1`, [kind]);
  await due(workKinds.wake);
  await promote(database.pool, 10);
  const second = await wakeOnce();
  expect((await readyIds()).sort()).toEqual([...waiting, ...critical].map(({ id }) => id).sort());
  const left = await query<{ id: string }>(database.pool, 'select id from queue_later where kind = 1');
  expect(left.map(({ id }) => id).sort()).toEqual(others.map(({ id }) => id).sort());

  // What was under way during the change is found by a last pass.
  const straggler = postponed(1, {
    wait: { name: 'email', since: new Date(Date.parse(second?.before ?? '') - 1) },
  });
  await queue.postpone(database.pool, straggler);
  await due(workKinds.wake);
  await promote(database.pool, 10);
  expect(await wakeOnce()).toMatchObject({ isLastPass: true });
  expect(await readyIds()).toContain(straggler[0]?.id);
  expect(await query(database.pool, 'select from queue_later where kind = $1', [workKinds.wake])).toEqual([]);
});

test('work that is withdrawn and put back still waits for the same', async () => {
  const [work] = postponed(1);
  if (!work) throw new Error('none');
  await queue.postpone(database.pool, [work]);
  const taken = await queue.withdraw(database.pool, 'notification', work.id);
  expect(taken).toMatchObject({ id: work.id, wait: work.wait });
});

test('names that begin with a prefix are counted in the order of any collation', async () => {
  const { pool } = database;
  const names = ['hold:0', 'hold:freeze:sms', 'hold:per_user', 'hold:zz_top'];
  const since = new Date(Date.now() - hourMs);
  for (const name of [...names, 'holder', 'email', 'zebra'])
    await queue.postpone(pool, postponed(2, { wait: { name, since } }));
  // English of the C library and of ICU, as far as this server has them.
  const collations = await query<{ name: string }>(
    pool,
    `select collname as name from pg_collation
      where collname in ('en_US', 'en_US.utf8', 'en-x-icu') and collencoding in (-1, 6)`,
  );
  // Without its name: a prepared statement does not survive the change of a column.
  const unprepared: Sql = { query: ({ text, values = [] }) => pool.query({ text, values }) };
  for (const name of ['default', ...collations.map((each) => each.name)]) {
    await query(pool, `alter table queue_later alter waits_for type text collate "${name}"`);
    const counted = await queue.countWaitingFor(unprepared, 'notification', environmentId, 'hold:', 10);
    expect([name, counted.map((each) => [each.name, each.count]).sort()]).toEqual([
      name,
      names.map((each) => [each, 2]),
    ]);
  }
  await query(pool, 'alter table queue_later alter waits_for type text collate "default"');
});
