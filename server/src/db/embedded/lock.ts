import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { inheritOwner } from '../../kernel/owner.ts';
import { EmbeddedPostgresError } from './error.ts';
import { pidSpace, startTimeOf, UNKNOWN_START } from './process.ts';

/*
 * One Carillon per data directory. Every contender writes a file of its own into `lock/`, *then* checks whether a living other
 * one is there; the second sees the first, so two can never both hold the lock. The file's name is unique and identifies its
 * process, so any process can delete the file of a dead one at any time without ever hitting a living one. (A single lock file
 * cannot do that: between reading a stale one and deleting it, another process may have replaced it. Node has no flock.)
 */
export interface Lock {
  /**
   * True when another process took the directory over, which happens only if our file was removed by hand or from another
   * machine.
   */
  lost(): boolean;
  /** Synchronous, because the process's exit handler calls it. */
  release(): void;
}

/** How long contenders of the same instant get to resolve their order before one of them is assumed to hold the lock. */
const PATIENCE_MS = 400;
const HEARTBEAT_MS = 500;
const SILENCE_MS = 2000;
const LONG_DEAD_MS = 60_000;

export async function takeLock(directory: string): Promise<Lock> {
  const folder = path.join(directory, 'lock');
  if (mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined) inheritOwner(folder);
  const mine = [process.pid, startTimeOf(process.pid), pidSpace(), randomBytes(6).toString('hex')].join('.');
  const file = path.join(folder, mine);
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    writeFileSync(file, '', { mode: 0o600 });
    const rivals = await livingRivals(folder, mine);
    if (rivals.length === 0) return hold(folder, mine);
    const late = Date.now() > deadline;
    // Contenders that arrived at once are ordered: the first stays and the others withdraw, so exactly one gets the lock.
    if (late || rivals.some((rival) => rival < mine)) rmSync(file, { force: true });
    if (late) throw inUse(directory, rivals[0] ?? '');
    await delay(10 + Math.random() * 20);
  }
}

function hold(folder: string, mine: string): Lock {
  const file = path.join(folder, mine);
  const beat = setInterval(() => {
    try {
      utimesSync(file, new Date(), new Date());
    } catch {
      // The directory was deleted while the lock was ours; lost() handles that case.
    }
  }, HEARTBEAT_MS);
  beat.unref();
  return {
    lost: () => {
      const present = entries(folder);
      return present.length > 0 && !present.includes(mine);
    },
    release: () => {
      clearInterval(beat);
      rmSync(file, { force: true });
    },
  };
}

async function livingRivals(folder: string, mine: string): Promise<string[]> {
  const rivals = entries(folder).filter((entry) => entry !== mine);
  const living = await Promise.all(rivals.map((rival) => isAlive(folder, rival)));
  return rivals.filter((rival, index) => {
    if (!living[index]) rmSync(path.join(folder, rival), { force: true });
    return living[index];
  });
}

async function isAlive(folder: string, entry: string): Promise<boolean> {
  const [pid, startedAt, space] = entry.split('.');
  if (space === pidSpace()) {
    const actual = startTimeOf(Number(pid));
    if (actual !== UNKNOWN_START) return actual === startedAt;
    if (Number(pid) === process.pid) return true;
  }
  // The file was written in another container, on another machine or before a reboot (or on a system without start times): the
  // pid proves nothing, so the heartbeat of the holder decides.
  const file = path.join(folder, entry);
  const before = modified(file);
  if (before === undefined || Date.now() - before > LONG_DEAD_MS) return false;
  await delay(SILENCE_MS);
  const after = modified(file);
  return after !== undefined && after !== before;
}

function modified(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function inUse(directory: string, holder: string): EmbeddedPostgresError {
  const [pid, , space] = holder.split('.');
  const elsewhere = space === pidSpace() ? '' : ' in another container or on another machine';
  return new EmbeddedPostgresError(
    `Another Carillon (process ${pid}${elsewhere}) already uses the data directory ${directory}. Stop it first, or set another data directory for this one.`,
  );
}
