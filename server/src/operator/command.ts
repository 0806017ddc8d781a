import type { Config } from '../config.ts';
import { findRunningPostgres, startEmbeddedPostgres } from '../db/embedded/index.ts';
import { migrate } from '../db/migrate.ts';
import { allowedByFence } from '../db/pool-settings.ts';
import { createPool, type Pool, type PoolOptions, type Sql } from '../db/sql.ts';
import { listEveryOrganizationId } from '../features/platform/accounts/index.ts';
import { type AuditChange, recordAudit, serviceAuthor } from '../features/platform/audit/index.ts';

/** A command that an operator runs on the machine instead of starting the service. Returns the exit code. */
export type OperatorCommand = (
  config: Config,
  print: (line: string) => void,
  args: readonly string[],
) => Promise<number>;

/**
 * Gives a command access to the service's database. A running service keeps its bundled database, and the command uses it at
 * the same time. If none runs, the database is started for the duration of the command.
 */
export async function withDatabase<Result>(
  config: Config,
  print: (line: string) => void,
  work: (pool: Pool) => Promise<Result>,
  options: PoolOptions = {},
): Promise<Result> {
  const database = await reachDatabase(config, print);
  const pool = createPool(database.url, 2, allowedByFence, options);
  try {
    await migrate(pool, { progress: print });
    return await work(pool);
  } finally {
    await pool.end();
    await database.stop();
  }
}

/** Finds the server that the service runs; starts one when none runs. */
export async function reachDatabase(
  config: Config,
  print: (line: string) => void,
): Promise<{ url: string; stop(): Promise<void> }> {
  const configured = config.CARILLON_DATABASE_DIRECT_URL ?? config.DATABASE_URL;
  const running = configured ?? (await findRunningPostgres(config.CARILLON_DATA_DIR));
  if (running !== null) return { url: running, stop: async () => {} };
  return startEmbeddedPostgres({ dataDir: config.CARILLON_DATA_DIR, log: print });
}

/** Records an operator's action on the installation in the audit log of every organization. */
export async function recordEverywhere(tx: Sql, change: AuditChange): Promise<void> {
  for (const organizationId of await listEveryOrganizationId(tx)) {
    await recordAudit(tx, serviceAuthor(organizationId), change);
  }
}
