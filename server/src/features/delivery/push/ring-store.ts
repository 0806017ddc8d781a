import type { RingSetting } from '../../../channels/in-app/push/ring-setting.ts';
import { type Sql, statement } from '../../../db/sql.ts';
import {
  appendedHistorySql,
  encodeHistory,
  type StoredTraceEntry,
} from '../../notifications/notifications/index.ts';
import { type DeviceRow, maxDevices } from './store.ts';

/** An item that arrived in an inbox of an environment with push settings. */
export interface ArrivedItem {
  id: string;
  environment_id: string;
  external_user_id: string;
  category: string | null;
  template_version_id: string | null;
}

/** The setting that decides when the item rings. */
interface RingPlanRow {
  id: string;
  ring: RingSetting;
}

const listSettings = statement<RingPlanRow>(
  'push_list_ring_settings',
  `select i.id, coalesce(v.push, c.push, s.ring) as ring
   from json_to_recordset($1::json)
     as i (id uuid, environment_id uuid, external_user_id text, category text, template_version_id uuid)
   join push_settings s on s.environment_id = i.environment_id
   left join categories c on c.environment_id = i.environment_id and c.key = i.category
   left join template_versions v on v.id = i.template_version_id
   where exists (
     select from devices d where d.environment_id = i.environment_id and d.external_user_id = i.external_user_id)`,
);

/** Items of users without a device are left out. */
export function listRingSettings(sql: Sql, items: ArrivedItem[]): Promise<RingPlanRow[]> {
  return listSettings(sql, [JSON.stringify(items)]);
}

/** Everything about one item that ringing needs. */
export interface RingRow {
  id: string;
  environment_id: string;
  environment_kind: 'test' | 'live';
  settings_version: string | null;
  external_user_id: string;
  subject: string | null;
  html_body: string | null;
  text_body: string | null;
  action_url: string | null;
  /** The user sees the inbox on a visible page. */
  is_open: boolean;
}

/** The HTML of a push becomes a few lines of text. */
const maxHtml = 20_000;

const loadItems = statement<RingRow>(
  'push_load_items',
  // `rung_at` is written before the first call: from then on, reading the item withdraws the push.
  `with item as materialized (
     select i.id, i.environment_id, i.external_user_id, i.subject, left(i.html_body, ${maxHtml}) as html_body,
       left(i.text_body, ${maxHtml}) as text_body, i.action_url, exists (
         select from inbox_presences p
         where p.environment_id = i.environment_id and p.external_user_id = i.external_user_id and p.visible_until > now()
       ) as is_open
     from inbox_items i where i.id = any ($1::uuid[]) and i.read_at is null and i.archived_at is null
   ), rung as (
     update inbox_items i set rung_at = now() where i.id = any (array(
       select r.id from inbox_items r join item on item.id = r.id
       where not item.is_open and r.rung_at is null and r.read_at is null and r.archived_at is null
       for no key update of r skip locked)) -- a locked item is being changed: the writer checks it again
   )
   select item.*, e.kind as environment_kind, s.xmin::text as settings_version
   from item
   join environments e on e.id = item.environment_id
   left join push_settings s on s.environment_id = item.environment_id`,
);

/** Items that are read, archived or gone are left out: nothing rings for them. */
export function listRingRows(sql: Sql, ids: string[]): Promise<RingRow[]> {
  return loadItems(sql, [ids]);
}

/** An environment with the version of its push settings. */
export interface PushEnvironment {
  id: string;
  kind: 'test' | 'live';
  version: string | null;
}

const findEnvironments = statement<PushEnvironment>(
  'push_find_environments',
  `select e.id, e.kind, s.xmin::text as version from environments e
   left join push_settings s on s.environment_id = e.id where e.id = any ($1::uuid[])`,
);

export function listEnvironments(sql: Sql, ids: string[]) {
  return findEnvironments(sql, [ids]);
}

/** A device as ringing needs it. */
export type RungDevice = Pick<
  DeviceRow,
  'id' | 'environment_id' | 'external_user_id' | 'kind' | 'identity' | 'service' | 'address'
>;

const listOfUsers = statement<RungDevice>(
  'push_list_devices_of_users',
  `select d.id, d.environment_id, d.external_user_id, d.kind, d.identity, d.service, d.address
   from (select distinct * from unnest($1::uuid[], $2::text[]) u (environment_id, external_user_id)) owner
   cross join lateral (
     select * from devices d
     where d.environment_id = owner.environment_id and d.external_user_id = owner.external_user_id
     order by d.last_seen_at desc limit ${maxDevices}
   ) d`,
);

/** The devices of several users. */
export function listDevicesOf(
  sql: Sql,
  owners: { environmentId: string; externalUserId: string }[],
): Promise<RungDevice[]> {
  return listOfUsers(sql, [
    owners.map(({ environmentId }) => environmentId),
    owners.map(({ externalUserId }) => externalUserId),
  ]);
}

/** An item that is snoozed again and again rings again and again: without a bound, each ring would rewrite a longer history. */
const maxHistoryLength = 64_000;

const addTrace = statement(
  'push_add_trace',
  `with target as materialized (
     select n.id, i.history
     from json_to_recordset($1::json) as i (id uuid, environment_id uuid, history text)
     join notifications n on n.id = i.id and n.environment_id = i.environment_id
     where coalesce(length(n.history), 0) < ${maxHistoryLength}
     order by n.id for no key update of n -- everyone locks in this order: no deadlocks
   )
   update notifications n set history = ${appendedHistorySql('target.history')} from target where n.id = target.id`,
);

export interface TraceAddition {
  id: string;
  environment_id: string;
  trace: StoredTraceEntry[];
}

export async function addTraceEntries(sql: Sql, additions: TraceAddition[]): Promise<void> {
  if (additions.length === 0) return;
  const rows = additions.map(({ id, environment_id, trace }) => ({
    ...{ id, environment_id, history: encodeHistory(id, { events: [], trace }) },
  }));
  await addTrace(sql, [JSON.stringify(rows)]);
}

const markOutcomes = statement(
  'push_mark_outcomes',
  // A device whose pushes go on being accepted is written once an hour.
  `with target as materialized (
     select d.id, i.outcome, i.detail, i.at
     from json_to_recordset($1::json) as i (id uuid, outcome text, detail text, at timestamptz)
     join devices d on d.id = i.id
     where d.last_outcome is distinct from i.outcome or d.last_outcome_detail is distinct from i.detail
       or d.last_outcome_at < i.at - interval '1 hour'
     order by d.id for update of d
   )
   update devices d set last_outcome = target.outcome, last_outcome_detail = target.detail, last_outcome_at = target.at
   from target where d.id = target.id`,
);

interface DeviceOutcome {
  id: string;
  outcome: string;
  detail: string;
  at: string;
}

export async function markDeviceOutcomes(sql: Sql, outcomes: DeviceOutcome[]): Promise<void> {
  if (outcomes.length > 0) await markOutcomes(sql, [JSON.stringify(outcomes)]);
}

const deleteGone = statement(
  'push_delete_gone_devices',
  `delete from devices where id in (
     select d.id from devices d join unnest($1::uuid[], $2::timestamptz[]) as i (id, before) on i.id = d.id
     where d.last_seen_at < i.before order by d.id for update of d)`,
);

/** A device that was registered again since the call stays. */
export async function deleteGoneDevices(sql: Sql, gone: { id: string; before: Date }[]): Promise<void> {
  if (gone.length > 0) await deleteGone(sql, [gone.map(({ id }) => id), gone.map(({ before }) => before)]);
}

const listReturned = statement<{ id: string }>(
  'push_list_returned',
  `select id from inbox_items
   where id = any ($1::uuid[]) and arrived_at is not null and read_at is null and archived_at is null`,
);

/** The items that returned from a snooze, and were not read or archived since. */
export async function listReturnedItems(sql: Sql, ids: string[]): Promise<Set<string>> {
  const rows = ids.length === 0 ? [] : await listReturned(sql, [ids]);
  return new Set(rows.map(({ id }) => id));
}

const listSeen = statement<{ id: string; environment_id: string; external_user_id: string }>(
  'push_list_seen',
  `select id, environment_id, external_user_id from inbox_items
   where id = any ($1::uuid[]) and (read_at is not null or archived_at is not null)`,
);

/** The items that were read or archived while they rang. */
export async function listSeenItems(sql: Sql, ids: string[]) {
  return ids.length === 0 ? [] : listSeen(sql, [ids]);
}
