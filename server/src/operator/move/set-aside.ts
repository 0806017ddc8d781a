import { setTimeout as delay } from 'node:timers/promises';
import { isLockTimeout, withLockRetries } from '../../db/locks.ts';
import { type Pool, query, type Sql, transaction } from '../../db/sql.ts';
import type { MovePlan } from './tables.ts';

const checkEveryMs = 200;
/** The slowest attempt: an SMTP server or an endpoint that does not answer. */
const drainWithinMs = 180_000;
/** Then every process refuses the requests of the organization: keys are cached for a second. */
const refusedWithinMs = 2_000;
const lockAttempts = 100;
/** Processes write what they have counted every 5 s (`features/insight/activity/recorder.ts`). */
const countsWithinMs = 6_000;

/**
 * Stops all work of an organization whose requests are already refused: waiting work is set aside, work in flight ends, and then the
 * fence refuses every further write. Processes may have let requests in before they knew of the move, and may be slow or
 * suspended, so only the database can say that nothing follows.
 */
export async function stopWork(
  pool: Pool,
  plan: MovePlan,
  organizationId: string,
  environmentIds: string[],
  print: (line: string) => void,
): Promise<void> {
  const end = Date.now() + drainWithinMs;
  await delay(refusedWithinMs);
  for (let reported = -1; ; ) {
    const { leased, moved } = await transaction(pool, (tx) => setAside(tx, environmentIds));
    if (leased === 0 && moved === 0) {
      const counted = delay(countsWithinMs);
      if (await isFenced(pool, plan, organizationId, environmentIds)) return counted;
    }
    if (Date.now() > end)
      throw new Error(
        `${leased} jobs of the organization are still in flight. Run the command again, or \`release\` to go on sending here.`,
      );
    if (leased !== reported && leased > 0) print(`waiting for ${leased} jobs in flight`);
    reported = leased;
    await delay(checkEveryMs);
  }
}

/**
 * Raises the fence, and sets aside the work that came before it. Lowers it again when work is in flight, which must be able to end,
 * and when it cannot be raised completely: one row behind a half of it would stop the claims of all organizations.
 */
async function isFenced(
  pool: Pool,
  plan: MovePlan,
  organizationId: string,
  environmentIds: string[],
): Promise<boolean> {
  try {
    await raiseFence(pool, plan, organizationId);
    const { leased } = await transaction(pool, (tx) => setAside(tx, environmentIds));
    if (leased === 0) return true;
  } catch (error) {
    await lowerFence(pool, plan, organizationId);
    throw error;
  }
  await lowerFence(pool, plan, organizationId);
  return false;
}

/** Moves waiting work to where no worker claims it. Work in flight comes back when it is retried later. */
async function setAside(tx: Sql, environmentIds: string[]): Promise<{ leased: number; moved: number }> {
  let moved = 0;
  for (const [table, runAt] of [
    ['queue_ready', 'null::timestamptz, note, null::text, null::timestamptz'],
    ['queue_parked', 'null::timestamptz, note, null::text, null::timestamptz'],
    ['queue_later', 'run_at, note, waits_for, waits_since'],
  ] as const) {
    const rows = await query(
      tx,
      `with waiting as (delete from ${table} where environment_id = any ($1::uuid[]) returning *)
       insert into queue_held (environment_id, kind, id, lane, run_at, note, waits_for, waits_since)
       select environment_id, kind, id, lane, ${runAt} from waiting returning 1 as one`,
      [environmentIds],
    );
    moved += rows.length;
  }
  const [inFlight] = await query<{ count: number }>(
    tx,
    'select count(*)::int as count from queue_leased where environment_id = any ($1::uuid[])',
    [environmentIds],
  );
  return { leased: inFlight?.count ?? 0, moved };
}

/** Makes the work that was set aside due again. Ready work passes through `queue_later`, where it gets a fairness tag. */
export async function resumeWork(tx: Sql, environmentIds: string[]): Promise<number> {
  const rows = await query(
    tx,
    `with resumed as (delete from queue_held where environment_id = any ($1::uuid[]) returning *)
     insert into queue_later (kind, id, lane, environment_id, note, run_at, waits_for, waits_since)
     select kind, id, lane, environment_id, note, coalesce(run_at, now()), waits_for, waits_since from resumed
     returning 1 as one`,
    [environmentIds],
  );
  return rows.length;
}

const fenceName = (organizationId: string): string => `moving_${organizationId.replaceAll('-', '')}`;

/**
 * Refuses every change of the organization from now on. Triggers exist only during a move, so that sends of other organizations
 * pay nothing at other times; a check in each statement would be paid by all.
 */
async function raiseFence(pool: Pool, { fenced }: MovePlan, organizationId: string): Promise<void> {
  const name = fenceName(organizationId);
  for (const { table, when } of fenced) {
    await briefly(pool, async (tx) => {
      if (await hasFence(tx, table, name)) return;
      for (const [event, row] of [
        ['insert or update', 'new'],
        ['delete', 'old'],
      ]) {
        await query(
          tx,
          `create trigger ${name}_${row} before ${event} on ${table} for each row when (${row}.${when})
           execute function refuse_moving_organization('${organizationId}')`,
        );
      }
    });
  }
}

export async function lowerFence(pool: Pool, { fenced }: MovePlan, organizationId: string): Promise<void> {
  const name = fenceName(organizationId);
  for (const { table } of fenced) {
    await briefly(pool, async (tx) => {
      if (!(await hasFence(tx, table, name))) return;
      for (const row of ['new', 'old']) await query(tx, `drop trigger ${name}_${row} on ${table}`);
    });
  }
}

async function hasFence(tx: Sql, table: string, name: string): Promise<boolean> {
  const rows = await query(
    tx,
    `select 1 from pg_trigger where tgrelid = $1::regclass and tgname = $2 || '_new'`,
    [table, name],
  );
  return rows.length > 0;
}

/** A fence waits for the writers of its table, and other writers wait behind it, so it is tried for a moment at a time. */
async function briefly(pool: Pool, change: (tx: Sql) => Promise<unknown>): Promise<void> {
  const client = await pool.connect();
  try {
    await withLockRetries(client, { tries: lockAttempts, begin: pool.begin }, () => change(client));
    client.release();
  } catch (error) {
    client.release(!isLockTimeout(error));
    throw error;
  }
}
