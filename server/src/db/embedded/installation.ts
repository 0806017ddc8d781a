import { type Account, chooseAccount } from './account.ts';
import { clusterOf } from './cluster.ts';
import { finishRestore } from './finish-restore.ts';
import { chooseHome, findHome, openDataDirectory } from './home.ts';
import { type Lock, takeLock } from './lock.ts';

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
