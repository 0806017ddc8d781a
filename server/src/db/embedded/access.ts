import { chmodSync, lstatSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Account } from './account.ts';

/**
 * Whether the account may pass through every directory down to this one. Worked out from the mode bits, because
 * root itself may pass everywhere and node cannot ask for somebody else. Other groups do not count: spawn drops them.
 */
export function canReach(account: Account, directory: string): boolean {
  const { uid, gid, mode } = statSync(directory);
  const pass = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
  const parent = path.dirname(directory);
  return (mode & pass) !== 0 && (parent === directory || canReach(account, parent));
}

/**
 * Makes (or accepts) a directory that everybody may read and only we may change; false if someone else could
 * have made it, or could swap it for another: what lies in it is executed, or holds the data.
 */
export function makeOwnDirectory(directory: string): boolean {
  const us = process.getuid?.();
  try {
    if (mkdirSync(directory, { recursive: true, mode: 0o755 }) !== undefined) chmodSync(directory, 0o755); // whatever the umask
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
  const sticky = (mode & 0o1000) !== 0; // as /tmp: others may add entries but not replace ours
  return (uid === 0 || uid === us) && (sticky || (mode & 0o022) === 0);
}

function ancestors(directory: string): string[] {
  const parent = path.dirname(directory);
  return parent === directory ? [] : [parent, ...ancestors(parent)];
}
