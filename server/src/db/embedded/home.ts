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
import { type Account, canReach, chooseAccount, makeOwnDirectory } from './account.ts';
import { clusterOf } from './cluster.ts';
import { EmbeddedPostgresError } from './error.ts';
import { finishRestore } from './finish-restore.ts';
import { type Lock, takeLock } from './lock.ts';

/** The location of clusters whose data directory PostgreSQL's account cannot access (root with a 0700 home). */
const ELSEWHERE = '/var/lib/carillon';

/** Creates the data directory if needed and returns its canonical path. */
function openDataDirectory(given: string): string {
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
function chooseHome(dataDir: string, account: Account | undefined, log: (line: string) => void): string {
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

/** A locked data directory, the location of its cluster, and the account that runs the server. */
interface OpenInstallation {
  dataDir: string;
  home: string;
  account: Account | undefined;
  /** A restore that was interrupted has been finished now. */
  hasFinishedRestore: boolean;
}

/** Adds the locks as it takes them; the caller releases them. */
export async function openInstallation(
  given: string,
  locks: Lock[],
  log: (line: string) => void,
): Promise<OpenInstallation> {
  const dataDir = openDataDirectory(given);
  locks.push(await takeLock(dataDir));
  const known = findHome(dataDir);
  // A copied data directory points to the same cluster as the original: the cluster needs a lock of its own.
  const lockHome = async (home: string): Promise<void> => {
    if (home !== dataDir) locks.push(await takeLock(home));
  };
  if (known !== undefined) await lockHome(known);
  // Before the account is chosen, which is the owner of the cluster.
  const hasFinishedRestore = await finishRestore(dataDir, known ?? dataDir);
  if (hasFinishedRestore) log('finished a restore that was interrupted');
  const account = chooseAccount(dataDir, clusterOf(known ?? dataDir));
  const home = known ?? chooseHome(dataDir, account, log);
  if (known === undefined) await lockHome(home);
  return { dataDir, home, account, hasFinishedRestore };
}
