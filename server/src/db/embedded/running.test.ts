import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPool, query } from '../sql.ts';
import { findRunningPostgres, startEmbeddedPostgres } from './index.ts';

let dataDir: string;
beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'carillon-running-'));
  chmodSync(dataDir, 0o711); // else, run by root, the database would go elsewhere, and stay there
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

it('a command finds the database of a service that runs, and none where none runs', async () => {
  expect(await findRunningPostgres(join(dataDir, 'nowhere'))).toBeNull();
  expect(await findRunningPostgres(dataDir)).toBeNull();
  const postgres = await startEmbeddedPostgres({ dataDir, log: () => {}, settings: { fsync: 'off' } });
  try {
    const url = await findRunningPostgres(dataDir);
    expect(url).toBe(postgres.url);
    const pool = createPool(url ?? '', 1);
    expect(await query(pool, 'select 1 as one')).toEqual([{ one: 1 }]);
    await pool.end();
  } finally {
    await postgres.stop();
  }
  expect(await findRunningPostgres(dataDir)).toBeNull();
}, 60_000);
