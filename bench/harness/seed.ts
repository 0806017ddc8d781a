import { type Pool, query } from '../../server/src/db/sql.ts';
import { type Lane, lanes, workKinds } from '../../server/src/queue/index.ts';

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

const slice = 100_000;

/** Notifications that wait, as the accept path would have written them: environments take turns, in their order and by their tags. */
export async function seedQueued(
  pool: Pool,
  environments: string[],
  count: number,
  lane: Lane,
): Promise<void> {
  const [last] = await query<{ tag: number }>(
    pool,
    'select coalesce(max(last_tag), 0)::int as tag from queue_turns where kind = $1 and lane = $2',
    [workKinds.notification, lanes[lane]],
  );
  const tag = last?.tag ?? 0;
  for (let done = 0; done < count; done += slice) {
    await query(
      pool,
      `with input as materialized (
         select uuidv7() as id, ($1::uuid[])[1 + n % cardinality($1::uuid[])] as environment_id, n
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
       select id, $5, $6, $7 + 1 + n / cardinality($1::uuid[]), environment_id from input`,
      [environments, done, Math.min(done + slice, count), lane, workKinds.notification, lanes[lane], tag],
    );
  }
  await query(
    pool,
    `insert into queue_turns (kind, lane, environment_id, last_tag, burst)
     select $2, $3, e, $4, 1 from unnest($1::uuid[]) e
     on conflict (kind, lane, environment_id) do update set last_tag = excluded.last_tag`,
    [environments, workKinds.notification, lanes[lane], tag + Math.ceil(count / environments.length)],
  );
  // So that neither autovacuum nor a checkpoint comes to tidy up after the seed while something is measured.
  for (const table of ['notifications', 'notification_contents', 'queue_ready', 'queue_turns'])
    await query(pool, `vacuum analyze ${table}`);
  await query(pool, 'checkpoint');
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
