import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitUntil } from '../../test/harness/app.ts';
import { databaseUrl } from '../../test/harness/database.ts';
import { type EmbeddedPostgres, startTemporaryPostgres } from '../db/embedded/index.ts';
import { migrate } from '../db/migrate.ts';
import { createPool, type Pool, query, trackWrite } from '../db/sql.ts';
import { createReadiness } from './readiness.ts';

/** A real disk of 64 MB holds the database: only root can mount one. */
const disk = mkdtempSync(join(tmpdir(), 'carillon-small-disk-'));
const mayMount = mountDisk();
/** A server of its own: to get room in memory, every session of a server writes the pages of a full disk, and fails with it. */
let postgres: EmbeddedPostgres;
let pool: Pool;

function mountDisk(): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', disk], { stdio: 'pipe' });
    return true;
  } catch {
    rmdirSync(disk);
    return false;
  }
}

beforeAll(async () => {
  if (!mayMount) return;
  postgres = await startTemporaryPostgres({ fsync: 'off' });
  const admin = createPool(postgres.url, 1);
  const { rows } = await admin.query(`select current_setting('data_directory') as path`);
  const { uid, gid } = statSync(rows[0].path); // PostgreSQL runs as another user than root
  chownSync(disk, uid, gid);
  await admin.query(`create tablespace small location '${disk}'`);
  await admin.query('create database small tablespace small');
  await admin.end();
  pool = createPool(databaseUrl(postgres.url, 'small'), 2);
  await migrate(pool);
});
afterAll(async () => {
  if (!mayMount) return;
  await pool.end();
  await postgres.stop();
  execFileSync('umount', [disk]);
  rmdirSync(disk);
});

test.skipIf(!mayMount)(
  'a process is not ready while the disk is full, though small writes succeed',
  async () => {
    const ready = createReadiness(
      { pool, queue: { health: () => ({ ok: true, detail: '' }) } } as never,
      () => false,
    );
    const database = async () => (await ready()).find((component) => component.name === 'database');
    const write = (text: string) => trackWrite(pool, () => query(pool, text));
    await query(pool, 'create table small (n int)');
    await query(pool, 'create table large (content text)');
    await write('insert into small values (1)');
    expect(await database()).toMatchObject({ ok: true });

    const fill = `insert into large select repeat('x', 1000) from generate_series(1, 4000)`;
    const full = await (async () => {
      for (;;) await write(fill);
    })().catch((error) => error);
    expect(full).toMatchObject({ code: '53100' });
    for (let count = 0; count < 3; count += 1) {
      // It may have to write other pages to get room in memory, which fails too.
      await waitUntil(() =>
        write('insert into small values (2)').then(
          () => true,
          (error) => error,
        ),
      );
      await waitUntil(async () => {
        const component = await database();
        return component?.detail === 'has no space left on its disk' || new Error(JSON.stringify(component));
      });
    }

    execFileSync('mount', ['-o', 'remount,size=96m', disk]);
    await waitUntil(async () => {
      const component = await database();
      return component?.ok || new Error(JSON.stringify(component));
    });
  },
);
