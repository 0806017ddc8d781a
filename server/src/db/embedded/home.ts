import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { inheritOwner } from '../../kernel/owner.ts';
import { canReach, makeOwnDirectory } from './access.ts';
import type { Account } from './account.ts';
import { EmbeddedPostgresError } from './error.ts';

/** The location of clusters whose data directory PostgreSQL's account cannot access (root with a 0700 home). */
const ELSEWHERE = '/var/lib/carillon';

/** Creates the data directory if needed and returns its canonical path. */
export function openDataDirectory(given: string): string {
  const directory = path.resolve(given);
  if (!existsSync(directory)) {
    mkdirSync(directory, { recursive: true });
    // 0711 lets the account pass through to its cluster without listing the directory.
    chmodSync(directory, process.getuid?.() === 0 ? 0o711 : 0o700);
    inheritOwner(directory);
  }
  if (!statSync(directory).isDirectory()) {
    throw new EmbeddedPostgresError(
      `The data directory ${directory} is not a directory. Choose another one, or set DATABASE_URL to use your own PostgreSQL.`,
    );
  }
  return realpathSync(directory);
}

/** Returns the location in the data directory's pointer file, if it has one. */
export function findHome(dataDir: string): string | undefined {
  const pointer = pointerOf(dataDir);
  if (!existsSync(pointer)) return undefined;
  const home = readFileSync(pointer, 'utf8').trim();
  // A missing location is an error, not a new empty database: a disk may just not be mounted.
  if (!existsSync(home)) {
    throw new EmbeddedPostgresError(
      `The database of ${dataDir} should be in ${home}, but that directory is gone. Put it back, or delete ${pointer} to start with an empty database.`,
    );
  }
  return home;
}

/**
 * Returns the data directory itself, or a new location that the account can access. The pointer is written before the cluster
 * exists: after a kill in between, the next start finds the empty location and fills it.
 */
export function chooseHome(
  dataDir: string,
  account: Account | undefined,
  log: (line: string) => void,
): string {
  if (account === undefined || canReach(account, dataDir)) return dataDir;
  if (!makeOwnDirectory(ELSEWHERE) || !canReach(account, ELSEWHERE)) {
    throw new EmbeddedPostgresError(
      `PostgreSQL must not run as root, and user id ${account.uid} can reach neither ${dataDir} nor ${ELSEWHERE}. Choose a data directory that this user can reach, or set DATABASE_URL to use your own PostgreSQL.`,
    );
  }
  const home = mkdtempSync(path.join(ELSEWHERE, 'data-'));
  chmodSync(home, 0o711);
  writeFileSync(path.join(home, 'belongs-to'), `${dataDir}\n`); // explains the directory to a person who finds it
  writeFileSync(pointerOf(dataDir), `${home}\n`);
  inheritOwner(pointerOf(dataDir));
  log(`the database goes to ${home}, because user id ${account.uid}, which runs it, cannot reach ${dataDir}`);
  return home;
}

/** Returns whether the data directory has a database. */
export function hasCluster(dataDir: string): boolean {
  return existsSync(path.join(findHome(dataDir) ?? dataDir, 'postgres', 'PG_VERSION'));
}

function pointerOf(dataDir: string): string {
  return path.join(dataDir, 'postgres.location');
}
