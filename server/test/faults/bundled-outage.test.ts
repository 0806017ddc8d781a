import { chmodSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config.ts';
import { findRunningPostgres } from '../../src/db/embedded/index.ts';
import { createPool, query } from '../../src/db/sql.ts';
import { createLog } from '../../src/kernel/log.ts';
import { waitUntil } from '../harness/app.ts';
import { bundledThreads } from '../harness/threads.ts';

test('a process is never given up because of its bundled database, however long it is silent', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'carillon-bundled-'));
  chmodSync(dataDir, 0o711);
  const giveUpAfterMs = 600;
  const lost: number[] = [];
  let longestSilence = 0;
  const log = createLog('warn', {
    write: (line) => {
      longestSilence = Math.max(longestSilence, Number(JSON.parse(line).silent_ms ?? 0));
    },
  });
  const settings = { PORT: '0', CARILLON_DATA_DIR: dataDir, LOG_LEVEL: 'warn' };
  const app = await startApp(loadConfig(settings, dataDir), {
    log,
    threadEntries: bundledThreads(),
    onDatabaseLost: (silentMs) => lost.push(silentMs),
    databaseTimes: {
      ...{ deadlineMs: 500, connectWithinMs: 500, pingEveryMs: 50, answerWithinMs: 200 },
      ...{ dropAfterMs: 100, giveUpAfterMs },
    },
  });
  try {
    const url = (await findRunningPostgres(dataDir)) ?? '';
    const { searchParams, port } = new URL(url);
    const socket = join(searchParams.get('host') ?? '', `.s.PGSQL.${port}`);
    const pool = createPool(url, 1);
    await query(pool, 'select 1');
    renameSync(socket, `${socket}.away`); // no new connection, and the open ones end
    await query(
      pool,
      `select pg_terminate_backend(pid) from pg_stat_activity
       where backend_type = 'client backend' and pid <> pg_backend_pid()`,
    );
    await pool.end();
    await waitUntil(
      async () => longestSilence >= 2 * giveUpAfterMs || new Error(`silent for ${longestSilence} ms`),
    );
    expect(lost).toEqual([]);
    expect((await fetch(`${app.url}/healthz`)).status).toBe(200);

    renameSync(`${socket}.away`, socket);
    await waitUntil(async () => (await fetch(`${app.url}/readyz`)).ok || new Error('not ready'));
  } finally {
    await app.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
