import { lchownSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** What root creates inside somebody's directory belongs to that somebody, so that they can later run without root. */
export function inheritOwner(created: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(created));
  try {
    lchownSync(created, uid, gid);
  } catch {
    // A root without the right to (in a container): a courtesy less, not a reason to fail.
  }
}
