import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { waitUntil } from '../../test/harness/app.ts';
import { createTestDatabase, type TestDatabase } from '../../test/harness/database.ts';
import { query, transaction } from '../db/sql.ts';
import { newId } from '../kernel/ids.ts';
import { listFirstTags } from './fairness.ts';
import { heartbeat } from './heartbeat.ts';
import { deleteWaiting, findRunAt, insertLater, promote, runNow } from './later-store.ts';
import {
  claim,
  deleteLeases,
  insertReady,
  releaseToLater,
  releaseToReady,
  rescue,
  updateNotes,
} from './store.ts';
import { type WorkRow, workKinds } from './work.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() =>
  query(database.pool, 'truncate queue_ready, queue_later, queue_leased, queue_turns, workers'),
);

const kind = 1;
const worker = newId();
const environmentA = newId();
const environmentB = newId();

function rows(count: number, environmentId: string, lane = 1): WorkRow[] {
  return Array.from({ length: count }, () => ({
    kind,
    id: newId(),
    lane,
    environment_id: environmentId,
    note: null,
  }));
}

async function readyKinds(kinds: number[]): Promise<number[]> {
  return [...new Set((await listFirstTags(database.pool, kinds)).map(({ kind }) => kind))].sort();
}

async function claimOrder(limit: number): Promise<string[]> {
  const claimed = await claim(database.pool, kind, 2, limit, worker);
  return claimed.map((row) => row.environment_id);
}

describe('fairness', () => {
  test('environments alternate, however much one of them has waiting', async () => {
    await insertReady(database.pool, rows(1_000, environmentA));
    await insertReady(database.pool, rows(3, environmentB));
    const order = await claimOrder(6);
    expect(order.filter((id) => id === environmentB)).toHaveLength(3);
  });

  test('an environment that was busy before owes nothing to one that is new', async () => {
    await insertReady(database.pool, rows(500, environmentA));
    await claimOrder(500);
    await insertReady(database.pool, rows(500, environmentB));
    await insertReady(database.pool, rows(3, environmentA));
    const order = await claimOrder(6);
    expect(order.filter((id) => id === environmentA)).toHaveLength(3);
  });

  test('a lane passes every slower lane', async () => {
    await insertReady(database.pool, rows(10, environmentA, 2));
    await insertReady(database.pool, rows(10, environmentA, 1));
    const critical = rows(1, environmentB, 0);
    await insertReady(database.pool, critical);
    const claimed = await claim(database.pool, kind, 2, 1, worker);
    expect(claimed[0]?.id).toBe(critical[0]?.id);
    const rest = await claim(database.pool, kind, 2, 20, worker);
    expect(rest.map((row) => row.lane)).toEqual([...Array(10).fill(1), ...Array(10).fill(2)]);
  });
});

describe('claims', () => {
  test('are made of what is waiting, in whatever lane', async () => {
    const kinds = [1, 2, 3];
    expect(await readyKinds(kinds)).toEqual([]);
    await insertReady(database.pool, rows(2, environmentA, 2));
    await insertReady(database.pool, [{ ...rows(1, environmentA, 0)[0], kind: 3 } as WorkRow]);
    expect(await readyKinds(kinds)).toEqual([1, 3]);
    await claim(database.pool, 3, 2, 1, worker);
    expect(await readyKinds(kinds)).toEqual([1]);
  });

  test('no row goes to two claimers', async () => {
    const all = rows(400, environmentA);
    await insertReady(database.pool, all);
    const claimed = await Promise.all(
      Array.from({ length: 8 }, () => claim(database.pool, kind, 2, 50, newId())),
    );
    const ids = claimed.flat().map((row) => row.id);
    expect(new Set(ids).size).toBe(400);
    expect(ids).toHaveLength(400);
  });

  test('concurrent enqueues of many environments do not deadlock and lose nothing', async () => {
    const environments = Array.from({ length: 20 }, () => newId());
    await Promise.all(
      Array.from({ length: 20 }, () =>
        insertReady(
          database.pool,
          environments.toSorted(() => Math.random() - 0.5).flatMap((environment) => rows(2, environment)),
        ),
      ),
    );
    const [count] = await query<{ n: number }>(database.pool, 'select count(*)::int as n from queue_ready');
    expect(count?.n).toBe(800);
  });

  test('a lane limit leaves slower lanes alone', async () => {
    await insertReady(database.pool, [...rows(2, environmentA, 2), ...rows(1, environmentA, 0)]);
    expect(await claim(database.pool, kind, 0, 10, worker)).toHaveLength(1);
  });
});

describe('work that waits', () => {
  test('becomes ready when it is due and not before', async () => {
    const [due, later] = rows(2, environmentA) as [WorkRow, WorkRow];
    await insertLater(database.pool, [
      { ...due, run_at: new Date(Date.now() - 1_000).toISOString() },
      { ...later, run_at: new Date(Date.now() + 60_000).toISOString() },
    ]);
    expect(await promote(database.pool, 100)).toBe(1);
    expect((await claim(database.pool, kind, 2, 10, worker)).map((row) => row.id)).toEqual([due.id]);
  });

  test('becomes ready beside a transaction that wakes a run and then announces something', async () => {
    const work = (kind: number) => ({ ...rows(1, environmentA)[0], kind }) as WorkRow;
    const run = work(workKinds.run);
    const at = (ms: number) => new Date(Date.now() + ms).toISOString();
    await insertLater(database.pool, [
      { ...run, run_at: at(60_000) },
      ...[workKinds.run, workKinds.webhook_delivery].map((kind) => ({ ...work(kind), run_at: at(-1_000) })),
    ]);
    let promoted: Promise<number> | undefined;
    await transaction(database.pool, async (tx) => {
      await runNow(tx, workKinds.run, [run.id]);
      promoted = promote(database.pool, 100);
      promoted.catch(() => {});
      await waitUntil(async () => {
        const waiting = await query(
          database.pool,
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return waiting.length > 0 ? true : new Error('nobody waits');
      });
      await insertReady(tx, [work(workKinds.webhook_delivery)]);
    });
    expect(await promoted).toBe(2);
  });

  test('can be taken out, unless somebody holds it', async () => {
    const [waiting, held] = rows(2, environmentA) as [WorkRow, WorkRow];
    await insertReady(database.pool, [held]);
    await claim(database.pool, kind, 2, 1, worker);
    await insertReady(database.pool, [waiting]);
    expect(await deleteWaiting(database.pool, kind, waiting.id)).toMatchObject({ id: waiting.id });
    expect(await deleteWaiting(database.pool, kind, held.id)).toBeNull();
  });

  test('can be taken out while it becomes due', async () => {
    const [row] = rows(1, environmentA) as [WorkRow];
    await insertLater(database.pool, [{ ...row, run_at: new Date(Date.now() - 1_000).toISOString() }]);
    const taken = await transaction(database.pool, async (tx) => {
      expect(await promote(tx, 100)).toBe(1);
      const taking = deleteWaiting(database.pool, kind, row.id);
      await waitUntil(async () => {
        const [waiting] = await query<{ n: number }>(
          database.pool,
          `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return waiting?.n === 1 ? true : new Error('nobody waits for the lock');
      });
      return [taking];
    });
    expect(await taken[0]).toMatchObject({ id: row.id, run_at: null });
  });

  test('cannot be claimed while a transaction that took it out is open', async () => {
    const [row] = rows(1, environmentA) as [WorkRow];
    await insertReady(database.pool, [row]);
    await transaction(database.pool, async (tx) => {
      await deleteWaiting(tx, kind, row.id);
      expect(await claim(database.pool, kind, 2, 10, worker)).toEqual([]);
      await insertReady(tx, [row]);
    });
    expect(await claim(database.pool, kind, 2, 10, worker)).toHaveLength(1);
  });
});

describe('leases', () => {
  test('only the holder can note and finish', async () => {
    const [row] = rows(1, environmentA) as [WorkRow];
    await insertReady(database.pool, [row]);
    await claim(database.pool, kind, 2, 1, worker);
    const other = newId();
    expect(await updateNotes(database.pool, kind, [{ id: row.id, note: { by: 'other' } }], other)).toEqual(
      [],
    );
    expect(await deleteLeases(database.pool, kind, [row.id], other)).toEqual([]);
    expect(await deleteLeases(database.pool, kind, [row.id], worker)).toEqual([row.id]);
  });

  test('of a worker that stopped breathing are taken over, with their note', async () => {
    const [row] = rows(1, environmentA) as [WorkRow];
    await insertReady(database.pool, [row]);
    await heartbeat(database.pool, worker, 60);
    await claim(database.pool, kind, 2, 1, worker);
    await updateNotes(database.pool, kind, [{ id: row.id, note: { open: true } }], worker);
    const soon = Date.now() + 60_000;
    expect(await rescue(database.pool, 100, soon)).toEqual([]);
    await heartbeat(database.pool, worker, -1);
    expect(await rescue(database.pool, 100, Date.now() - 60_000)).toEqual([]);
    expect(await rescue(database.pool, 100, soon)).toEqual([kind]);
    const [again] = await claim(database.pool, kind, 2, 1, newId());
    expect(again).toMatchObject({ id: row.id, note: { open: true } });
  });

  test('can be handed back at once or for later', async () => {
    const [now, later] = rows(2, environmentA) as [WorkRow, WorkRow];
    await insertReady(database.pool, [now, later]);
    await claim(database.pool, kind, 2, 2, worker);
    await releaseToReady(database.pool, kind, [now.id], worker);
    await releaseToLater(database.pool, kind, [later.id], worker, 30);
    expect((await claim(database.pool, kind, 2, 10, worker)).map((row) => row.id)).toEqual([now.id]);
    expect(await findRunAt(database.pool, kind, later.id)).toBeInstanceOf(Date);
  });
});
