import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allowedByFence } from '../../src/db/pool-settings.ts';
import { createPool, type Pool, query, transaction, untilDatabaseAnswers } from '../../src/db/sql.ts';
import { newId } from '../../src/kernel/ids.ts';
import { lowerFence, stopWork } from '../../src/operator/move/set-aside.ts';
import { type MovePlan, planMove } from '../../src/operator/move/tables.ts';
import { waitUntil } from '../harness/app.ts';
import { type Cell, createStranger, startCell } from './cells.ts';

/** The fence is that of an export which fails, waits or has a rival. Most of the time of these tests is the export's own waiting. */
let cell: Cell;
let operator: Pool;
const folder = mkdtempSync(join(tmpdir(), 'carillon-fence-'));
beforeAll(async () => {
  cell = await startCell('a');
  operator = createPool(cell.app.database.url, 2, allowedByFence);
});
afterAll(async () => {
  await operator?.end();
  await cell?.app.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The tables that have the fence of the organization. */
async function fencedTables(organizationId: string): Promise<string[]> {
  const rows = await query<{ name: string }>(
    cell.app.pool,
    `select distinct tgrelid::regclass::text as name from pg_trigger where tgname like 'moving_' || $1 || '%' and tgparentid = 0`,
    [organizationId.replaceAll('-', '')],
  );
  return rows.map(({ name }) => name).sort();
}

const namesOf = ({ fenced }: MovePlan): string[] => [...new Set(fenced.map(({ table }) => table))].sort();

describe.concurrent('the fence', { timeout: 60_000 }, () => {
  test('is lowered when it cannot be raised completely, and while work in flight must end', async () => {
    const { testEnvironmentId: environmentId } = cell.app;
    const [acme] = await query<{ id: string }>(
      operator,
      'select organization_id as id from environments where id = $1',
      [environmentId],
    );
    const id = acme?.id ?? '';
    const plan = await planMove(operator, id, [environmentId, cell.app.liveEnvironmentId]);
    const stop = (fenced: MovePlan['fenced']) =>
      stopWork(operator, { ...plan, fenced }, id, [environmentId], () => {});
    const impossible = { table: 'encryption_keys', when: 'no_such_column is null' };
    await expect(stop([...plan.fenced, impossible])).rejects.toMatchObject({ code: '42703' });
    expect(await fencedTables(id)).toEqual([]);

    // The last table cannot be fenced yet, so a job that was claimed meanwhile is found only after the whole fence.
    const last = plan.fenced.at(-1)?.table ?? '';
    const locker = createPool(cell.app.database.url, 1);
    const refusals: string[] = [];
    const job = newId();
    let stopped = Promise.resolve();
    let settled = Promise.resolve();
    try {
      await transaction(locker, async (tx) => {
        await query(tx, `lock table ${last} in row exclusive mode`);
        stopped = stop(plan.fenced);
        stopped.catch(() => {});
        await waitUntil(
          async () => (await fencedTables(id)).includes('queue_leased') || new Error('no fence'),
          20_000,
        );
        await query(
          operator,
          `insert into queue_leased (id, kind, lane, environment_id, worker_id) values ($1, 99, 0, $2, gen_random_uuid())`,
          [job, environmentId],
        );
        settled = untilDatabaseAnswers(async () => {
          try {
            await query(cell.app.pool, 'delete from queue_leased where id = $1', [job]);
          } catch (error) {
            refusals.push((error as { code: string }).code);
            throw error;
          }
        });
        await waitUntil(async () => refusals.length > 0 || new Error('not refused'));
      });
      await settled;
      await stopped;
    } finally {
      await locker.end();
    }
    expect(new Set(refusals)).toEqual(new Set(['CM503']));
    expect(await fencedTables(id)).toEqual(namesOf(plan));
    await lowerFence(operator, plan, id);
    expect(await fencedTables(id)).toEqual([]);
  });

  test('stays when an export fails behind it, until the release; meanwhile no other export and no release begins', async () => {
    const { id } = await createStranger(cell);
    const file = join(folder, 'stranger.move');
    mkdirSync(`${file}.partial`); // the file cannot be written
    const failing = cell.organization('export', id, file);
    failing.catch(() => {});
    await waitUntil(async () => {
      const moves = await query(
        operator,
        `select 1 from organization_moves where organization_id = $1 and state = 'leaving'`,
        [id],
      );
      return moves.length === 1 || new Error('not begun');
    });
    const running = 'Another export or release of this organization is running.';
    await expect(cell.organization('export', id, join(folder, 'second.move'))).rejects.toThrow(running);
    await expect(cell.organization('release', id)).rejects.toThrow(running);
    await expect(failing).rejects.toThrow('EISDIR');
    const plan = await planMove(operator, id, []);
    expect(await fencedTables(id)).toEqual(namesOf(plan));

    expect(await cell.organization('release', id)).toContain('active here again');
    expect(await fencedTables(id)).toEqual([]);
    expect(
      await query(operator, 'select 1 from organization_moves where organization_id = $1', [id]),
    ).toEqual([]);
  });
});
