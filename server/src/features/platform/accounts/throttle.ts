import { isIPv4, isIPv6 } from 'node:net';
import { type Sql, statement } from '../../../db/sql.ts';
import type { Client } from '../../../http/principal.ts';
import { sha256 } from '../../../kernel/crypto.ts';
import { Problem } from '../../../kernel/errors.ts';

// A blocked subject is not updated, and no row comes back. clock_timestamp(), because a statement that waited for a row lock
// must not use the time at which it began.
const count = statement<{ failures: number }>(
  'accounts_count_login_attempt',
  `insert into login_failures as known (subject, failures, window_ends_at)
   values ($1, 1, clock_timestamp() + make_interval(secs => $2))
   on conflict (subject) do update set (failures, blocked_until, window_ends_at) = (
     select failures, blocked_until, greatest(window_ends_at, blocked_until)
     from (
       select failures, window_ends_at,
         case when failures < $3 then '-infinity'
              else clock_timestamp() + make_interval(secs => least($4, 2 ^ least(failures - $3, 30))) end as blocked_until
       from (
         select case when isover then 1 else least(known.failures + 1, 1000000) end as failures,
                case when isover then excluded.window_ends_at else known.window_ends_at end as window_ends_at
         from (select known.window_ends_at <= clock_timestamp() as isover) as window_state
       ) as counted
     ) as decided
   )
   where known.blocked_until <= clock_timestamp()
   returning failures`,
);

const findWait = statement<{ seconds: number }>(
  'accounts_find_login_wait',
  'select ceil(extract(epoch from blocked_until - clock_timestamp()))::int as seconds from login_failures where subject = $1',
);

interface AttemptLimits {
  /** The lifetime of a count. */
  windowSeconds: number;
  /** The failure after which the next attempt has to wait: one second, then twice as long each time. */
  freeAttempts: number;
  maxWaitSeconds: number;
}

/** Counts an attempt as a failure, unless the subject has to wait. The count is exact across concurrent processes. */
async function countLoginAttempt(
  sql: Sql,
  subject: Buffer,
  { windowSeconds, freeAttempts, maxWaitSeconds }: AttemptLimits,
): Promise<{ failures: number } | { waitSeconds: number }> {
  const [counted] = await count(sql, [subject, windowSeconds, freeAttempts, maxWaitSeconds]);
  if (counted) return counted;
  const [wait] = await findWait(sql, [subject]);
  return { waitSeconds: Math.max(1, wait?.seconds ?? 1) };
}

const clear = statement('accounts_delete_login_failures', 'delete from login_failures where subject = $1');

async function deleteLoginFailures(sql: Sql, subject: Buffer): Promise<void> {
  await clear(sql, [subject]);
}

const clearRange = statement(
  'accounts_delete_login_failures_between',
  'delete from login_failures where subject between $1 and $2',
);

async function deleteLoginFailuresBetween(sql: Sql, first: Buffer, last: Buffer): Promise<void> {
  await clearRange(sql, [first, last]);
}

const takeBack = statement(
  'accounts_take_back_login_attempt',
  `update login_failures set failures = greatest(failures - 1, 0), blocked_until = '-infinity' where subject = $1`,
);

async function takeBackLoginAttempt(sql: Sql, subject: Buffer): Promise<void> {
  await takeBack(sql, [subject]);
}

const windowSeconds = 3600;
const maxWaitSeconds = 900;

/**
 * The subjects that failed attempts are counted by, and the free attempts of each within an hour. After those each failure
 * doubles the wait, from one second to 15 minutes.
 */
const freeAttempts = {
  /** Limits guesses from one network at the password of one account. */
  account_and_network: 5,
  /** Limits a network that tries a few passwords with many accounts. */
  network: 100,
  /** Limits guesses from many networks at the password of one account. */
  account: 50,
  /**
   * Limits a browser in which the person has signed in before: it has a separate count, so that guesses by others do not block
   * it.
   */
  device: 5,
  /** Limits guesses in a session that was left open. */
  session: 5,
} as const;

export interface ThrottleSubject {
  kind: keyof typeof freeAttempts;
  /** Names are stored only as hashes. */
  id: Buffer;
}

/** The subjects that a password attempt for an account counts against. */
export function passwordSubjects(email: string, client: Client, deviceId: string | null): ThrottleSubject[] {
  if (deviceId) return [{ kind: 'device', id: accountId(email, `device:${deviceId}`) }];
  return [
    // The network comes first: one that has to wait cannot fill the table with made-up emails.
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

/** The failures so far of an admitted attempt, including itself, by kind of subject. */
export type Failures = Partial<Record<ThrottleSubject['kind'], number>>;

/**
 * Admits an attempt or throws 429. Every attempt is counted as a failure before the password is checked, and taken back when it
 * was right, so that concurrent attempts, in any number of processes, get no more guesses than the limit. A refused attempt is
 * no guess and is not counted.
 */
export async function admitAttempt(sql: Sql, subjects: readonly ThrottleSubject[]): Promise<Failures> {
  const failures: Failures = {};
  for (const [index, subject] of subjects.entries()) {
    const limits = { windowSeconds, freeAttempts: freeAttempts[subject.kind], maxWaitSeconds };
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

/**
 * Takes the count back after the right password. Shared subjects get only this attempt back, or one own account would allow
 * unlimited guesses.
 */
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

/** The kinds whose waits begin with this failure. */
export function waitsBegunBy(failures: Failures): ThrottleSubject['kind'][] {
  return (Object.keys(failures) as ThrottleSubject['kind'][]).filter(
    (kind) => failures[kind] === freeAttempts[kind],
  );
}

/** All subjects of one account share a prefix, so that they can be found together. */
function accountId(email: string, name: string): Buffer {
  const prefix = accountPrefix(email);
  return Buffer.concat([prefix, sha256(name).subarray(0, prefix.length)]);
}

function accountPrefix(email: string): Buffer {
  return sha256(`account:${email}`).subarray(0, 16);
}

/**
 * The network that one attacker is likely to control: the /64 of an IPv6 address, because a single customer gets at least that,
 * and the /24 of an IPv4 address.
 */
export function networkOf({ ipAddress }: Pick<Client, 'ipAddress'>): string {
  if (ipAddress === null) return 'unknown';
  const ipv4 = ipAddress.replace(/^::ffff:/i, ''); // an IPv4 address as a dual-stack socket shows it
  if (isIPv4(ipv4)) return `${ipv4.slice(0, ipv4.lastIndexOf('.'))}.0/24`;
  if (!isIPv6(ipAddress) || ipAddress.includes('.')) return ipAddress;
  const [head = '', tail] = ipAddress.toLowerCase().split('%', 1).join('').split('::');
  const before = head.split(':').filter((group) => group !== '');
  const after = (tail ?? '').split(':').filter((group) => group !== '');
  const zeros = new Array<string>(8 - before.length - after.length).fill('0');
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
}
