import { type Sql, statement } from '../../db/sql.ts';

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

export interface AttemptLimits {
  /** The lifetime of a count. */
  windowSeconds: number;
  /** The failure after which the next attempt has to wait: one second, then twice as long each time. */
  freeAttempts: number;
  longestWaitSeconds: number;
}

/** Counts an attempt as a failure, unless the subject has to wait. The count is exact across concurrent processes. */
export async function countLoginAttempt(
  sql: Sql,
  subject: Buffer,
  { windowSeconds, freeAttempts, longestWaitSeconds }: AttemptLimits,
): Promise<{ failures: number } | { waitSeconds: number }> {
  const [counted] = await count(sql, [subject, windowSeconds, freeAttempts, longestWaitSeconds]);
  if (counted) return counted;
  const [wait] = await findWait(sql, [subject]);
  return { waitSeconds: Math.max(1, wait?.seconds ?? 1) };
}

const clear = statement('accounts_delete_login_failures', 'delete from login_failures where subject = $1');

export async function deleteLoginFailures(sql: Sql, subject: Buffer): Promise<void> {
  await clear(sql, [subject]);
}

const clearRange = statement(
  'accounts_delete_login_failures_between',
  'delete from login_failures where subject between $1 and $2',
);

export async function deleteLoginFailuresBetween(sql: Sql, first: Buffer, last: Buffer): Promise<void> {
  await clearRange(sql, [first, last]);
}

const takeBack = statement(
  'accounts_take_back_login_attempt',
  `update login_failures set failures = greatest(failures - 1, 0), blocked_until = '-infinity' where subject = $1`,
);

export async function takeBackLoginAttempt(sql: Sql, subject: Buffer): Promise<void> {
  await takeBack(sql, [subject]);
}
