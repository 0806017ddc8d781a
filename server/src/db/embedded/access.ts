import { chmodSync, lstatSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Account } from './account.ts';

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
