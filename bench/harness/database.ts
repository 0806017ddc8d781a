import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTemporaryPostgres } from '../../server/src/db/embedded/index.ts';
import { createPool, type Pool, query } from '../../server/src/db/sql.ts';

export interface BenchDatabase {
  url: string;
  /** For the service's generated keys; removed with the rest. */
  dataDir: string;
  pool: Pool;
  /** Another database on the same server. */
  beside(name: string): Promise<{ url: string; dataDir: string; pool: Pool }>;
  stop(): Promise<void>;
}

/** The bundled PostgreSQL as the service runs it. A figure without its flushes would be worth nothing, so they are checked. */
export async function startDatabase(): Promise<BenchDatabase> {
  const server = await startTemporaryPostgres();
  const dataDir = mkdtempSync(join(tmpdir(), 'carillon-bench-'));
  const pools: Pool[] = [];
  const pool = open(server.url);
  for (const setting of ['fsync', 'synchronous_commit']) {
    const [row] = await query<Record<string, string>>(pool, `show ${setting}`);
    if (row?.[setting] !== 'on') throw new Error(`${setting} must be on`);
  }

  function open(url: string): Pool {
    const opened = createPool(url, 4, { statement_timeout: '0' }, { deadlineMs: 3_600_000 });
    pools.push(opened);
    return opened;
  }

  return {
    url: server.url,
    dataDir,
    pool,
    async beside(name) {
      await query(pool, `create database ${name}`);
      const url = new URL(server.url);
      url.pathname = `/${name}`;
      return { url: url.toString(), dataDir, pool: open(url.toString()) };
    },
    async stop() {
      await Promise.all(pools.map((each) => each.end()));
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
