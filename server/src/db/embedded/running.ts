import { existsSync, realpathSync } from 'node:fs';
import { clusterOf, readPassword } from './cluster.ts';
import { answers, urlOf } from './endpoint.ts';
import { findHome } from './home.ts';
import { readPidFile } from './postmaster.ts';
import { isServerOf } from './process.ts';

/**
 * Returns the URL of the bundled PostgreSQL that a Carillon runs on this data directory; null when none runs. Callers must not
 * stop it.
 */
export async function findRunningPostgres(dataDir: string): Promise<string | null> {
  if (!existsSync(dataDir)) return null;
  const directory = realpathSync(dataDir);
  const cluster = clusterOf(findHome(directory) ?? directory);
  const file = readPidFile(cluster);
  const password = readPassword(directory);
  if (!file || password === undefined || file.status !== 'ready' || !isServerOf(file.pid, cluster))
    return null;
  return (await answers(file.endpoint)) ? urlOf(file.endpoint, password) : null;
}
