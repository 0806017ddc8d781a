import { readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';

const beatMs = 2000;
const staleMs = 30_000;

/**
 * Runs `work` while holding the lock file; others wait. A holder that died is known by its process id; one that cannot be
 * asked (another container, a number used again) by a heartbeat that stopped.
 */
export async function withLock(path, onWait, work) {
  for (let told = false; !take(path); ) {
    if (isAbandoned(path)) {
      discard(path);
      continue;
    }
    if (!told) onWait();
    told = true;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const beat = setInterval(() => touch(path), beatMs);
  try {
    return await work();
  } finally {
    clearInterval(beat);
    rmSync(path, { force: true });
  }
}

function take(path) {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function touch(path) {
  try {
    utimesSync(path, new Date(), new Date());
  } catch {
    // Taken from us while the machine was asleep; the work goes on, it is only no longer alone.
  }
}

function isAbandoned(path) {
  try {
    if (Date.now() - statSync(path).mtimeMs > staleMs) return true;
    const holder = Number(readFileSync(path, 'utf8'));
    if (holder > 0) process.kill(holder, 0); // 0: just made, its number is not written yet
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

/** Moved aside and looked at again before it is removed: another waiter may have replaced it with a live one meanwhile. */
function discard(path) {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (error.code === 'ENOENT') return;
    throw error;
  }
  if (isAbandoned(aside)) rmSync(aside, { force: true });
  else renameSync(aside, path);
}
