import { randomUUID } from 'node:crypto';

/**
 * UUIDv7 (RFC 9562): 48 bits of Unix milliseconds, then a counter, then random bits. Hand-written because ids are made on the
 * hot path and must be strictly increasing within a process (lists and the queue order by id), which needs the 12-bit counter
 * of RFC 9562 method 1.
 */
let lastMs = 0;
let time = '';
let counter = 0;
/**
 * Ids further ahead of the clock than this mean that the clock was set back. New ids then follow the clock, because
 * `created_at` is derived from them.
 */
const setBackMs = 1_000;

export function newId(nowMs: number = Date.now()): string {
  // Node generates these in advance. The second half of version 4 is that of version 7: the variant and 62 random bits.
  const random = randomUUID();
  if (nowMs > lastMs || nowMs < lastMs - setBackMs) {
    lastMs = nowMs;
    counter = Number.parseInt(random.slice(0, 3), 16) & 0x7ff; // start low, so that a busy millisecond rarely overflows
    time = lastMs.toString(16).padStart(12, '0');
  } else if (++counter > 0xfff) {
    lastMs += 1;
    counter = 0;
    time = lastMs.toString(16).padStart(12, '0');
  }
  const third = (0x7000 | counter).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-${third}-${random.slice(19)}`;
}

/**
 * The time at which a UUIDv7 was made, in Unix milliseconds. `created_at` is derived from it, so the two can never disagree.
 */
export function idTime(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** The smallest UUIDv7 of a moment: turns `created_after` and `created_before` into bounds on the id. */
export function lowestIdAt(ms: number): string {
  const time = Math.max(0, Math.min(ms, 0xffffffffffff)).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}

/** The lowest id: the start for scans through rows by id. */
export const firstId = lowestIdAt(0);

/** An id and the environment that it must belong to, for statements about rows of several environments. */
export interface ScopedId {
  environmentId: string;
  id: string;
}

/** The parameters of `unnest($1::uuid[], $2::uuid[]) as scoped (environment_id, id)`. */
export function scopedIdColumns(scoped: readonly ScopedId[]): [environmentIds: string[], ids: string[]] {
  return [scoped.map(({ environmentId }) => environmentId), scoped.map(({ id }) => id)];
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(value: string): boolean {
  return uuidPattern.test(value);
}
