import { isIPv6 } from 'node:net';
import type { Sql } from '../../db/sql.ts';
import { sha256 } from '../../kernel/crypto.ts';
import { Problem } from '../../kernel/errors.ts';
import { countLoginFailure, deleteLoginFailures, takeBackLoginFailure } from './throttle-store.ts';

const windowSeconds = 15 * 60;
const limits = { address: 50, email: 10 };

/** Who tries: a network address, or the email whose password is guessed. */
export interface Trier {
  by: keyof typeof limits;
  name: string;
}

/**
 * Every try is counted as a failure before anything is looked at and taken back when it was right, so that tries which race
 * each other, in any number of processes, get no more guesses than the limit.
 */
export async function countTry(sql: Sql, trier: Trier): Promise<void> {
  const { failures, secondsLeft } = await countLoginFailure(sql, subjectOf(trier), windowSeconds);
  if (failures > limits[trier.by]) {
    const seconds = String(Math.max(1, secondsLeft));
    throw new Problem('rate_limited', 'Too many failed tries. Try again later.', {
      headers: {
        'retry-after': seconds,
        'ratelimit-limit': String(limits[trier.by]),
        'ratelimit-remaining': '0',
        'ratelimit-reset': seconds,
      },
    });
  }
}

/** An email starts afresh; an address gets only this try back, or one account would be enough to guess on for ever. */
export async function forgiveTry(sql: Sql, trier: Trier): Promise<void> {
  if (trier.by === 'email') await deleteLoginFailures(sql, subjectOf(trier));
  else await takeBackLoginFailure(sql, subjectOf(trier));
}

/** Names are kept as hashes only. */
function subjectOf({ by, name }: Trier): Buffer {
  return sha256(`${by}:${by === 'address' ? networkOf(name) : name}`);
}

/** Whoever has one IPv6 address has the 2^64 of its network, and would never use one twice. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address; // with dots: an IPv4 address in the clothes of the other
  const [head = '', tail] = address.toLowerCase().split('%', 1).join('').split('::');
  const before = head.split(':').filter((group) => group !== '');
  const after = (tail ?? '').split(':').filter((group) => group !== '');
  const zeros = new Array<string>(8 - before.length - after.length).fill('0');
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
}
