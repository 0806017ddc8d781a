import { type Sql, statement } from '../../db/sql.ts';

/** One provider's wish to be left alone, as it is written down. */
export interface NewThrottle {
  environment_id: string;
  pace: string;
  /** What it asked for; null: it did not say. */
  asked_ms: number | null;
  /** The first pause of our own choice; each one in a row is twice as long as the one before. */
  own_ms: number;
  /** How long ago the call began that was answered with it. */
  call_ms: number;
  /** Something got through since the last pause. */
  eased: boolean;
  /** Who asked, by the id that people know it by. */
  provider?: string | undefined;
}

/** How long a pause still lasts. Not its end: the clocks of the processes may differ. */
export interface ThrottleRow {
  environment_id: string;
  pace: string;
  left_ms: number;
}

const leftMs = '(extract(epoch from paused_until - now()) * 1000)::float8 as left_ms';

const insertMissing = statement(
  'providers_insert_pauses',
  // One that ends now is over, and too new to be swept away before it gets its end.
  `insert into provider_pauses (environment_id, pace, paused_at, paused_until, strikes, since)
   select environment_id, pace, '-infinity', now(), 0, now()
   from json_to_recordset($1::json) as (environment_id uuid, pace text)
   order by 1, 2
   on conflict do nothing`,
);
const extend = statement<ThrottleRow>(
  'providers_extend_pauses',
  // Many calls are under way when a provider first says stop, and all of them come back with it. Only a call that began after
  // the present pause was asked for says something new; the others can lengthen it, but are not another strike.
  `with input as (
     select * from json_to_recordset($1::json)
       as (environment_id uuid, pace text, asked_ms float8, own_ms float8, call_ms float8, eased boolean, provider text)),
   found as (
     select i.*, p.strikes, p.paused_until, p.paused_at < now() - make_interval(secs => i.call_ms / 1000) as is_new,
       i.eased or p.paused_until < now() - interval '10 minutes' as is_first
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

/** A pause only ever gets longer. At most one for each pace. */
export async function insertThrottles(sql: Sql, pauses: NewThrottle[]): Promise<ThrottleRow[]> {
  const rows = JSON.stringify(pauses);
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

/** The newest ones. */
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
