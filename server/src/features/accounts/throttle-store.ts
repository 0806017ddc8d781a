import { type Sql, statement } from '../../db/sql.ts';

const count = statement<{ failures: number; seconds_left: number }>(
  'accounts_count_login_failure',
  `insert into login_failures as known (subject, failures, window_ends_at)
   values ($1, 1, now() + make_interval(secs => $2))
   on conflict (subject) do update set
     failures = case when known.window_ends_at <= now() then 1 else least(known.failures + 1, 1000000) end,
     window_ends_at = case when known.window_ends_at <= now() then excluded.window_ends_at else known.window_ends_at end
   returning failures, ceil(extract(epoch from window_ends_at - now()))::int as seconds_left`,
);

export async function countLoginFailure(
  sql: Sql,
  subject: Buffer,
  windowSeconds: number,
): Promise<{ failures: number; secondsLeft: number }> {
  const [row] = await count(sql, [subject, windowSeconds]);
  if (!row) throw new Error('the count of failures was not returned');
  return { failures: row.failures, secondsLeft: row.seconds_left };
}

const clear = statement('accounts_delete_login_failures', 'delete from login_failures where subject = $1');

export async function deleteLoginFailures(sql: Sql, subject: Buffer): Promise<void> {
  await clear(sql, [subject]);
}

const takeBack = statement(
  'accounts_take_back_login_failure',
  'update login_failures set failures = greatest(failures - 1, 0) where subject = $1',
);

export async function takeBackLoginFailure(sql: Sql, subject: Buffer): Promise<void> {
  await takeBack(sql, [subject]);
}
