import { chmodSync, lstatSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { EmbeddedPostgresError } from './error.ts';

/** The user that PostgreSQL runs as; undefined when it runs as the current user, which is possible for all but root. */
export interface Account {
  uid: number;
  gid: number;
}

interface PasswdEntry extends Account {
  name: string;
}

/** In order of preference; `_postgres` is the name on macOS. */
const SERVICE_NAMES = ['carillon', 'postgres', '_postgres', 'nobody', 'daemon'];

/**
 * PostgreSQL refuses to run as root, so root runs it as another user: the owner of an existing cluster; else the user that root
 * acts for (sudo, or the owner of the directory), because that user can access the checkout and later run without root; else a
 * service account. initdb requires a name for the uid, so every user except the owner of a cluster must be in /etc/passwd.
 */
export function chooseAccount(dataDir: string, cluster: string): Account | undefined {
  const owner = ownerOf(cluster);
  if (process.getuid === undefined) return undefined;
  if (process.getuid() !== 0) {
    if (owner !== undefined && owner.uid !== process.getuid()) throw notOurs(cluster, owner);
    return undefined;
  }
  // A cluster that belongs to root was copied there (a restored backup): root cannot have run it.
  if (owner !== undefined && owner.uid !== 0) return owner;

  const known = readPasswd();
  const named = (uid: number | undefined) =>
    uid === undefined || uid === 0 ? undefined : known.find((entry) => entry.uid === uid);
  const sudo = process.env.SUDO_UID === undefined ? undefined : Number(process.env.SUDO_UID);
  const account =
    named(sudo) ??
    named(ownerOf(dataDir)?.uid) ??
    SERVICE_NAMES.map((name) => known.find((entry) => entry.name === name)).find(
      (entry) => entry !== undefined,
    ) ??
    known[0];
  if (account === undefined) {
    throw new EmbeddedPostgresError(
      'PostgreSQL must not run as root, and /etc/passwd has no other user to run it. Add one (useradd carillon), or set DATABASE_URL to use your own PostgreSQL.',
    );
  }
  return { uid: account.uid, gid: account.gid };
}

/** Lists ordinary users only: root, and the negative ids of macOS that node cannot pass on, are left out. */
function readPasswd(): PasswdEntry[] {
  const entries: PasswdEntry[] = [];
  for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
    const [name = '', , uid, gid] = line.split(':');
    if (!name.startsWith('#') && Number(uid) > 0 && Number(gid) > 0)
      entries.push({ name, uid: Number(uid), gid: Number(gid) });
  }
  return entries;
}

function ownerOf(file: string): Account | undefined {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat && { uid: stat.uid, gid: stat.gid };
}

function notOurs(cluster: string, owner: Account): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `The database in ${cluster} belongs to user id ${owner.uid}, and this is user id ${process.getuid?.()}. Run Carillon as that user or as root, or choose another data directory.`,
  );
}

/**
 * Returns whether the account may pass through every directory down to this one. Computed from the mode bits, because root
 * itself may pass everywhere and node cannot check for another user. Other groups do not count: spawn drops them.
 */
export function canReach(account: Account, directory: string): boolean {
  const { uid, gid, mode } = statSync(directory);
  const pass = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
  const parent = path.dirname(directory);
  return (mode & pass) !== 0 && (parent === directory || canReach(account, parent));
}

/**
 * Makes (or accepts) a directory that all users may read and only we may change; returns false if another user could have made
 * or could replace it: its files are executed, or are the data.
 */
export function makeOwnDirectory(directory: string): boolean {
  const us = process.getuid?.();
  try {
    if (mkdirSync(directory, { recursive: true, mode: 0o755 }) !== undefined) chmodSync(directory, 0o755); // despite the umask
  } catch {
    return false;
  }
  if (us === undefined) return true;
  const own = lstatSync(directory);
  return (
    own.isDirectory() &&
    own.uid === us &&
    (own.mode & 0o022) === 0 &&
    ancestors(directory).every((each) => isTrusted(each, us))
  );
}

function isTrusted(directory: string, us: number): boolean {
  const { uid, mode } = statSync(directory);
  const sticky = (mode & 0o1000) !== 0; // like /tmp: others may add entries but not replace ours
  return (uid === 0 || uid === us) && (sticky || (mode & 0o022) === 0);
}

function ancestors(directory: string): string[] {
  const parent = path.dirname(directory);
  return parent === directory ? [] : [parent, ...ancestors(parent)];
}
