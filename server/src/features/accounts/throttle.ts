import { isIPv4, isIPv6 } from 'node:net';
import type { Sql } from '../../db/sql.ts';
import type { Client } from '../../http/client.ts';
import { sha256 } from '../../kernel/crypto.ts';
import { Problem } from '../../kernel/errors.ts';
import {
  countLoginAttempt,
  deleteLoginFailures,
  deleteLoginFailuresBetween,
  takeBackLoginAttempt,
} from './throttle-store.ts';

const windowSeconds = 3600;
const longestWaitSeconds = 900;

/**
 * What failed attempts are counted by, and how many are free within an hour. After those each failure doubles the wait, from one
 * second to 15 minutes.
 */
const freeAttempts = {
  /** Somebody on a network who guesses the password of one account. */
  account_and_network: 5,
  /** Somebody who tries a few passwords with many accounts. */
  network: 100,
  /** Somebody on many networks who guesses the password of one account. */
  account: 50,
  /** A browser in which the person has signed in before: counted by itself, so that no stranger's guesses are held against it. */
  device: 5,
  /** Somebody in front of a session that was left open. */
  session: 5,
} as const;

export interface ThrottleSubject {
  kind: keyof typeof freeAttempts;
  /** Names are kept as hashes only. */
  id: Buffer;
}

/** For an attempt to show the password of an account: whose failures count, and against whom. */
export function passwordSubjects(email: string, client: Client, deviceId: string | null): ThrottleSubject[] {
  if (deviceId) return [{ kind: 'device', id: accountId(email, `device:${deviceId}`) }];
  return [
    // First: a network that has to wait cannot fill the table with made-up emails.
    networkSubject(client),
    { kind: 'account_and_network', id: accountId(email, `network:${networkOf(client)}`) },
    { kind: 'account', id: accountId(email, 'account') },
  ];
}

export function networkSubject(client: Client): ThrottleSubject {
  return { kind: 'network', id: sha256(`network:${networkOf(client)}`) };
}

export function sessionSubject(sessionId: string): ThrottleSubject {
  return { kind: 'session', id: sha256(`session:${sessionId}`) };
}

/** The failures of an admitted attempt so far, itself included, by what they were counted for. */
export type Failures = Partial<Record<ThrottleSubject['kind'], number>>;

/**
 * Lets an attempt through or throws 429. Every attempt is counted as a failure before the password is looked at and taken back
 * when it was right, so that attempts which race each other, in any number of processes, get no more guesses than the limit. One
 * that is refused was no guess and counts nowhere.
 */
export async function admitAttempt(sql: Sql, subjects: readonly ThrottleSubject[]): Promise<Failures> {
  const failures: Failures = {};
  for (const [index, subject] of subjects.entries()) {
    const limits = { windowSeconds, freeAttempts: freeAttempts[subject.kind], longestWaitSeconds };
    const counted = await countLoginAttempt(sql, subject.id, limits);
    if ('waitSeconds' in counted) {
      for (const { id } of subjects.slice(0, index)) await takeBackLoginAttempt(sql, id);
      throw mustWait(counted.waitSeconds, limits.freeAttempts);
    }
    failures[subject.kind] = counted.failures;
  }
  return failures;
}

function mustWait(seconds: number, limit: number): Problem {
  const unit = seconds === 1 ? 'second' : 'seconds';
  return new Problem('rate_limited', `Too many failed attempts. Try again in ${seconds} ${unit}.`, {
    headers: {
      'retry-after': String(seconds),
      'ratelimit-limit': String(limit),
      'ratelimit-remaining': '0',
      'ratelimit-reset': String(seconds),
    },
  });
}

/** After the right password. What several people share gets only this attempt back, or one account would be enough to guess on. */
export async function forgiveAttempt(sql: Sql, subjects: readonly ThrottleSubject[]): Promise<void> {
  for (const { kind, id } of subjects) {
    if (kind === 'network' || kind === 'account') await takeBackLoginAttempt(sql, id);
    else await deleteLoginFailures(sql, id);
  }
}

/** Ends every wait of an account. */
export async function forgiveAccount(sql: Sql, email: string): Promise<void> {
  const prefix = accountPrefix(email);
  const half = prefix.length;
  await deleteLoginFailuresBetween(
    sql,
    Buffer.concat([prefix, Buffer.alloc(half, 0x00)]),
    Buffer.concat([prefix, Buffer.alloc(half, 0xff)]),
  );
}

/** The kinds whose waits begin with this very failure. */
export function waitsBegunBy(failures: Failures): ThrottleSubject['kind'][] {
  return (Object.keys(failures) as ThrottleSubject['kind'][]).filter(
    (kind) => failures[kind] === freeAttempts[kind],
  );
}

/** Everything that is counted for one account begins alike, so that all of it can be found. */
function accountId(email: string, name: string): Buffer {
  const prefix = accountPrefix(email);
  return Buffer.concat([prefix, sha256(name).subarray(0, prefix.length)]);
}

function accountPrefix(email: string): Buffer {
  return sha256(`account:${email}`).subarray(0, 16);
}

/**
 * What one attacker is likely to have as a whole: the /64 of an IPv6 address, because a single customer gets at least that, and the
 * /24 of an IPv4 address.
 */
export function networkOf({ ipAddress }: Pick<Client, 'ipAddress'>): string {
  if (ipAddress === null) return 'unknown';
  const ipv4 = ipAddress.replace(/^::ffff:/i, ''); // an IPv4 address as a socket for both kinds shows it
  if (isIPv4(ipv4)) return `${ipv4.slice(0, ipv4.lastIndexOf('.'))}.0/24`;
  if (!isIPv6(ipAddress) || ipAddress.includes('.')) return ipAddress;
  const [head = '', tail] = ipAddress.toLowerCase().split('%', 1).join('').split('::');
  const before = head.split(':').filter((group) => group !== '');
  const after = (tail ?? '').split(':').filter((group) => group !== '');
  const zeros = new Array<string>(8 - before.length - after.length).fill('0');
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
}
