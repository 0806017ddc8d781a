import { type Sql, statement, untilDatabaseAnswers } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { createBatcher } from '../../../kernel/batcher.ts';
import { createCache } from '../../../kernel/cache.ts';

/**
 * The providers that asked us to slow down, and until when. The database is shared by all processes; each process caches what
 * it has read, so that a check costs nothing. The doorbell updates the cache within milliseconds, and each batch reads it
 * again.
 */
export interface Throttles {
  /** Follows the throttles that other processes record, for the lifetime of the process. */
  listen(): void;
  /** Reads the throttles of these environments and those that hold for all environments, once per batch. */
  load(environmentIds: readonly string[]): Promise<void>;
  /** The end of the throttle; 0 when there is none. */
  until(environmentId: string, rateLimitKey: string): number;
  /**
   * Records that the provider throttled a call that began at the given time. Resolves to the end of the throttle, once it is
   * visible to all processes.
   */
  throttle(
    environmentId: string,
    rateLimitKey: string,
    retryAfterMs: number | null,
    callStartedAt: number,
    provider?: string,
  ): Promise<number>;
  /** Records that a call succeeded: the next throttle counts as the first of a series again. */
  lift(environmentId: string, rateLimitKey: string): void;
}

/** The environment id of a throttle that holds for all environments. */
export const allEnvironments = '00000000-0000-0000-0000-000000000000';

export const longestThrottleMs = 3_600_000;
const ownThrottleMs = 1_000;
const topic = 'provider_pauses';
const known = 50_000;
/** The number of throttles read after a doorbell ring; an older one that was missed is read with the next batch. */
const newest = 1_000;

/** Returns the delay that a provider asked for, when it is plausible. A delay of days is more likely a mistake. */
export function askedThrottleMs(retryAfterMs: number | null): number | null {
  if (retryAfterMs === null || Number.isNaN(retryAfterMs) || retryAfterMs <= 0) return null;
  return Math.min(retryAfterMs, longestThrottleMs);
}

export function createThrottles(
  deps: Pick<Deps, 'pool' | 'clock' | 'doorbell' | 'config' | 'log'>,
): Throttles {
  const { pool, clock, doorbell, log } = deps;
  const ends = createCache<number>(known);
  const letThrough = createCache<number>(known);
  const keyOf = (environmentId: string, rateLimitKey: string): string => `${environmentId} ${rateLimitKey}`;

  function learn(rows: ThrottleRow[]): void {
    const now = clock();
    for (const { environment_id, pace, left_ms } of rows)
      ends.set(keyOf(environment_id, pace), now + left_ms);
  }

  let reading = false;
  let again = false;
  async function readAll(): Promise<void> {
    if (reading) {
      again = true;
      return;
    }
    reading = true;
    do {
      again = false;
      try {
        learn(await listThrottles(pool, newest));
      } catch (error) {
        log.debug({ err: error }, 'failed to read the throttles; the next batch reads them again');
      }
    } while (again);
    reading = false;
  }

  const writes = createBatcher<NewThrottle, undefined>(
    async (throttles) => {
      learn(await untilDatabaseAnswers(() => insertThrottles(pool, mergeThrottles(throttles))));
      doorbell.ring(topic);
      return throttles.map(() => undefined);
    },
    { concurrency: 1, maxItems: 200 },
  );

  function until(environmentId: string, rateLimitKey: string): number {
    const end = ends.get(keyOf(environmentId, rateLimitKey)) ?? 0;
    return end > clock() ? end : 0;
  }

  return {
    listen() {
      doorbell.on(topic, () => void readAll());
    },
    until,
    async load(environmentIds) {
      if (environmentIds.length > 0) learn(await listThrottlesOf(pool, [...environmentIds, allEnvironments]));
    },
    async throttle(environmentId, rateLimitKey, retryAfterMs, callStartedAt, provider) {
      const key = keyOf(environmentId, rateLimitKey);
      const asked = askedThrottleMs(retryAfterMs);
      const ownMs = ownThrottleMs * deps.config.CARILLON_RETRY_SCALE;
      const before = ends.get(key) ?? 0;
      const now = clock();
      // The throttle holds in this process at once, and in the others as soon as it is written.
      ends.set(key, Math.max(before, now + (asked ?? ownMs)));
      await writes.add({
        environment_id: environmentId,
        pace: rateLimitKey,
        asked_ms: asked,
        own_ms: ownMs,
        call_ms: Math.max(0, now - callStartedAt),
        lifted: before > 0 && (letThrough.get(key) ?? 0) >= before,
        provider,
      });
      return ends.get(key) ?? now;
    },
    lift(environmentId, rateLimitKey) {
      const key = keyOf(environmentId, rateLimitKey);
      if (ends.has(key)) letThrough.set(key, clock());
    },
  };
}

/** Merges the throttles of each rate limit key: the longest delay, and the call that began last. */
export function mergeThrottles(throttles: NewThrottle[]): NewThrottle[] {
  const merged = new Map<string, NewThrottle>();
  for (const throttle of throttles) {
    const key = `${throttle.environment_id} ${throttle.pace}`;
    const other = merged.get(key);
    merged.set(key, {
      ...throttle,
      asked_ms:
        throttle.asked_ms === null && (other?.asked_ms ?? null) === null
          ? null
          : Math.max(throttle.asked_ms ?? 0, other?.asked_ms ?? 0),
      call_ms: Math.min(throttle.call_ms, other?.call_ms ?? Number.POSITIVE_INFINITY),
      lifted: throttle.lifted || (other?.lifted ?? false),
    });
  }
  return [...merged.values()];
}

/** A provider's request to slow down, as stored. */
interface NewThrottle {
  environment_id: string;
  pace: string;
  /** The delay that the provider asked for; null when it named none. */
  asked_ms: number | null;
  /** The first delay of our own choice; each consecutive one is twice as long as the one before. */
  own_ms: number;
  /** How long ago the throttled call began. */
  call_ms: number;
  /** True when a call has succeeded since the last throttle. */
  lifted: boolean;
  /** The provider that asked, by the id that users see. */
  provider?: string | undefined;
}

/** The remaining time of a throttle, not its end: the clocks of the processes may differ. */
interface ThrottleRow {
  environment_id: string;
  pace: string;
  left_ms: number;
}

const leftMs = '(extract(epoch from paused_until - now()) * 1000)::float8 as left_ms';

const insertMissing = statement(
  'providers_insert_pauses',
  // A throttle that ends now has no effect yet, and is too new to be deleted before its end is set.
  `insert into provider_pauses (environment_id, pace, paused_at, paused_until, strikes, since)
   select environment_id, pace, '-infinity', now(), 0, now()
   from json_to_recordset($1::json) as (environment_id uuid, pace text)
   order by 1, 2
   on conflict do nothing`,
);
const extend = statement<ThrottleRow>(
  'providers_extend_pauses',
  // Many calls are in flight when a provider first returns a rate limit, and all of them fail with it. Only a call that began
  // after the current throttle was requested counts as another strike; the others can only lengthen the throttle.
  `with input as (
     select * from json_to_recordset($1::json)
       as (environment_id uuid, pace text, asked_ms float8, own_ms float8, call_ms float8, lifted boolean, provider text)),
   found as (
     select i.*, p.strikes, p.paused_until, p.paused_at < now() - make_interval(secs => i.call_ms / 1000) as is_new,
       i.lifted or p.paused_until < now() - interval '10 minutes' as is_first
     from provider_pauses p join input i using (environment_id, pace)
     order by environment_id, pace
     for update of p),
   judged as (
     select *, case when not is_new then strikes when is_first then 1 else least(strikes + 1, 20) end as new_strikes from found)
   update provider_pauses p set
     provider = coalesce(j.provider, p.provider),
     strikes = j.new_strikes,
     paused_at = case when j.is_new then now() else p.paused_at end,
     since = case when j.is_new and j.new_strikes = 1 then now() else p.since end,
     paused_until = greatest(j.paused_until, case
       when j.asked_ms is not null then now() + make_interval(secs => j.asked_ms / 1000)
       when j.is_new then now() + make_interval(secs => j.own_ms * least(power(2, j.new_strikes - 1), 60) / 1000)
       else j.paused_until end)
   from judged j
   where p.environment_id = j.environment_id and p.pace = j.pace
   returning p.environment_id, p.pace, (extract(epoch from p.paused_until - now()) * 1000)::float8 as left_ms`,
);

/** A throttle can only be lengthened. The input holds at most one for each rate limit key. */
export async function insertThrottles(sql: Sql, throttles: NewThrottle[]): Promise<ThrottleRow[]> {
  const rows = JSON.stringify(throttles);
  await insertMissing(sql, [rows]);
  return extend(sql, [rows]);
}

const selectOf = statement<ThrottleRow>(
  'providers_list_pauses_of',
  `select environment_id, pace, ${leftMs} from provider_pauses
   where environment_id = any ($1::uuid[]) and paused_until > now()`,
);

function listThrottlesOf(sql: Sql, environmentIds: string[]): Promise<ThrottleRow[]> {
  return selectOf(sql, [environmentIds]);
}

const selectAll = statement<ThrottleRow>(
  'providers_list_pauses',
  `select environment_id, pace, ${leftMs} from provider_pauses where paused_until > now() order by paused_at desc limit $1`,
);

function listThrottles(sql: Sql, limit: number): Promise<ThrottleRow[]> {
  return selectAll(sql, [limit]);
}

const countAll = statement<{ count: number }>(
  'providers_count_pauses',
  'select count(*)::int as count from provider_pauses where paused_until > now()',
);

export async function countThrottles(sql: Sql): Promise<number> {
  return (await countAll(sql))[0]?.count ?? 0;
}

const removeOld = statement(
  'providers_delete_pauses',
  `delete from provider_pauses where paused_until < now() - interval '1 hour'`,
);

export async function deleteOldThrottles(sql: Sql): Promise<void> {
  await removeOld(sql);
}
