// Where the tests put their files: databases that nobody needs afterwards, in memory when there is room for them.
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const memory = '/dev/shm';
/** Bytes; 1.1 GB were in use at the most. */
const roomNeeded = 3 * 1024 ** 3;
const prefix = 'carillon-tests-';
/** Milliseconds: while tests run, something in their folder changes every few seconds. */
const abandonedAfter = 60 * 60 * 1000;

/** Gives the work a folder of its own, and removes it afterwards. */
export async function withScratch(work) {
  const place = isRoomyMemory() ? memory : tmpdir();
  removeAbandoned(place);
  const folder = mkdtempSync(join(place, prefix));
  // Others may pass through: where root runs the tests, PostgreSQL runs under another account.
  chmodSync(folder, 0o711);
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Some two hundred databases of six hundred files each come and go. On a disk (ext4) every new file looks past those that
 * were deleted within the last minutes, which took an eighth of the tests' time.
 */
function isRoomyMemory() {
  if (process.platform !== 'linux') return false;
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  const [, , type, options] = mounts.map((line) => line.split(' ')).findLast(([, at]) => at === memory) ?? [];
  const flags = options?.split(',') ?? [];
  if (type !== 'tmpfs' || !flags.includes('rw') || flags.includes('noexec')) return false;
  const { bavail, bsize } = statfsSync(memory);
  const [, available] = /^MemAvailable: +(\d+) kB/m.exec(readFileSync('/proc/meminfo', 'utf8'));
  return Math.min(bavail * bsize, (Number(available) * 1024) / 2) >= roomNeeded;
}

/** What a run that was killed has left: memory would be short of it until the machine starts anew. */
function removeAbandoned(place) {
  for (const name of readdirSync(place).filter((each) => each.startsWith(prefix))) {
    const folder = join(place, name);
    try {
      const untouched = Date.now() - statSync(folder).mtimeMs;
      if (untouched > abandonedAfter) rmSync(folder, { recursive: true, force: true });
    } catch {
      // Somebody else's.
    }
  }
}
