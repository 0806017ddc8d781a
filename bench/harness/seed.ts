import { type Pool, query } from '../../server/src/db/sql.ts';

/** Environments of the organization that the service made, all of kind Test: what is sent in them ends in the sandbox. */
export async function seedEnvironments(pool: Pool, count: number): Promise<string[]> {
  const rows = await query<{ id: string }>(
    pool,
    `insert into environments (id, organization_id, kind, name)
     select gen_random_uuid(), (select id from organizations), 'test', 'bench ' || n from generate_series(1, $1::int) n
     returning id`,
    [count],
  );
  return rows.map((row) => row.id);
}

/** Notifications that wait, spread over environments in turn, as the accept path would have written them. */
export async function seedQueued(
  pool: Pool,
  environments: string[],
  count: number,
  priority: 'normal' | 'bulk',
): Promise<void> {
  const lane = { normal: 1, bulk: 2 }[priority];
  const slice = 100_000;
  for (let done = 0; done < count; done += slice) {
    await query(
      pool,
      `with input as materialized (
         -- time-ordered like real ids: the milliseconds of now, then the version, then chance
         select overlay(overlay(gen_random_uuid()::text
             placing substr(lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0'), 1, 8) from 1)
             placing substr(lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0'), 9, 4) || '-7' from 10)::uuid as id,
           ($1::uuid[])[1 + n % cardinality($1::uuid[])] as environment_id, n
         from generate_series($2::int, $3::int - 1) n
       ), contents as (
         insert into notification_contents (notification_id, subject, html_body, text_body)
         select id, 'Your order has been shipped', '<p>It is on its way.</p>', 'It is on its way.' from input
       ), lives as (
         insert into notifications (id, environment_id, channel, status, priority, address, events)
         select id, environment_id, 'email', 'queued', $4, 'delivered@sandbox.test',
           '[{"type": "Queued", "occurred_at": "2026-01-01T00:00:00.000Z", "detail": null, "suppression_reason": null}]'
         from input
       )
       insert into queue_ready (id, kind, lane, tag, environment_id)
       select id, 1, $5, 1 + n / cardinality($1::uuid[]), environment_id from input`,
      [environments, done, Math.min(done + slice, count), priority, lane],
    );
  }
  await query(
    pool,
    `insert into queue_turns (kind, lane, environment_id, last_tag, burst)
     select 1, $2, e, $3, 1 from unnest($1::uuid[]) e
     on conflict (kind, lane, environment_id) do update set last_tag = greatest(queue_turns.last_tag, excluded.last_tag)`,
    [environments, lane, Math.ceil(count / environments.length)],
  );
  for (const table of ['notifications', 'notification_contents', 'queue_ready'])
    await query(pool, `vacuum analyze ${table}`);
}

/** How fast notifications became final since a moment, by the times in their rows: not by when anyone looked. */
export async function sentSince(pool: Pool, since: Date): Promise<{ count: number; perSecond: number }> {
  const [row] = await query<{ count: number; seconds: number }>(
    pool,
    `select count(*)::int as count, coalesce(extract(epoch from max(sent_at) - min(sent_at)), 0)::float8 as seconds
     from notifications where sent_at >= $1`,
    [since],
  );
  const { count = 0, seconds = 0 } = row ?? {};
  return { count, perSecond: seconds > 0 ? count / seconds : 0 };
}

export async function countWaiting(pool: Pool): Promise<number> {
  const [row] = await query<{ n: number }>(
    pool,
    'select ((select count(*) from queue_ready) + (select count(*) from queue_leased))::int as n',
  );
  return row?.n ?? 0;
}

/** Asks a few times a second, so that asking does not cost what is measured. */
export async function until(done: () => Promise<boolean>, deadlineMs: number): Promise<void> {
  const end = Date.now() + deadlineMs;
  while (!(await done())) {
    if (Date.now() > end) throw new Error(`not within ${deadlineMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
