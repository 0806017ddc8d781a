import { lchownSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Files that root creates inside another user's directory belong to that user, so that they can later run without root. */
export function inheritOwner(created: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(created));
  try {
    lchownSync(created, uid, gid);
  } catch {
    // Root in a container may lack the right to change owners; that is not a reason to fail.
  }
}
