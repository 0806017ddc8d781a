import { type Sql, statement } from '../../../db/sql.ts';

/** A provider's request to slow down, as stored. */
export interface NewThrottle {
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
export interface ThrottleRow {
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

export function listThrottlesOf(sql: Sql, environmentIds: string[]): Promise<ThrottleRow[]> {
  return selectOf(sql, [environmentIds]);
}

const selectAll = statement<ThrottleRow>(
  'providers_list_pauses',
  `select environment_id, pace, ${leftMs} from provider_pauses where paused_until > now() order by paused_at desc limit $1`,
);

export function listThrottles(sql: Sql, limit: number): Promise<ThrottleRow[]> {
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
