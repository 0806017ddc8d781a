import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../server/src/db/embedded/index.ts';
import { createPool, type Pool, query } from '../../server/src/db/sql.ts';

export interface BenchDatabase {
  url: string;
  /** For the service's generated keys; removed with the rest. */
  dataDir: string;
  pool: Pool;
  stop(): Promise<void>;
}

/** The bundled PostgreSQL as the service runs it, in a directory of its own. A figure without its flushes would be worth nothing. */
export async function startDatabase(): Promise<BenchDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), 'carillon-bench-'));
  const server = await startEmbeddedPostgres({ dataDir, log: () => {} });
  const pool = createPool(server.url, 4, { statement_timeout: '0' });
  for (const setting of ['fsync', 'synchronous_commit']) {
    const [row] = await query<Record<string, string>>(pool, `show ${setting}`);
    if (row?.[setting] !== 'on') throw new Error(`${setting} must be on`);
  }
  return {
    url: server.url,
    dataDir,
    pool,
    async stop() {
      await pool.end();
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
