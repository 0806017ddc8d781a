-- Every named statement and its file below server/src. Generated (npm run generate), to read and to compare; never run.

-- sandbox_insert_messages (channels/sandbox/carrier.ts)
insert into sandbox_messages
  (environment_id, id, notification_id, channel, provider, recipient, payload, payload_bytes, from_content)
select environment_id, id, notification_id, channel, provider, recipient, payload, octet_length(payload::text), from_content
from json_to_recordset($1::json) as m(environment_id uuid, id uuid, notification_id uuid, channel text,
  provider text, recipient text, payload json, from_content text[])
on conflict (notification_id, provider) do nothing;

-- encryption_keys_delete (db/encryption-keys.ts)
delete from encryption_keys where not (id = any ($1::text[])) returning id;

-- encryption_keys_insert (db/encryption-keys.ts)
insert into encryption_keys (id) values ($1) on conflict do nothing;

-- encryption_keys_list (db/encryption-keys.ts)
select id from encryption_keys;

-- environment_lock (db/locks.ts)
select from environments where id = $1 for no key update;

-- broadcasts_fold_changes (features/campaigns/broadcasts/counts-store.ts)
with gone as (
  delete from broadcast_changes where ctid = any (array(
    select ctid from broadcast_changes where broadcast_id = $1 limit $2 for update skip locked))
  returning *
)
select broadcast_id, old_status, new_status, count(*)::int as count from gone group by broadcast_id, old_status, new_status;

-- broadcasts_list_changed (features/campaigns/broadcasts/counts-store.ts)
select b.id, b.environment_id from broadcasts b
where b.completed_at is not null and exists (select from broadcast_changes c where c.broadcast_id = b.id)
order by b.id desc limit $1;

-- broadcasts_list_changes (features/campaigns/broadcasts/counts-store.ts)
select broadcast_id, old_status, new_status, count(*)::int as count from broadcast_changes where broadcast_id = any ($1::uuid[])
group by broadcast_id, old_status, new_status;

-- broadcasts_insert_recipients (features/campaigns/broadcasts/recipients.ts)
with input as materialized (
  select id::uuid, external_user_id, channel, address, name, locale, send_at::timestamptz, user_data::jsonb, tag
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bigint[])
    as given (id, external_user_id, channel, address, name, locale, send_at, user_data, tag)
),
broadcast as materialized (
  select environment_id, category, template_key, template_data, action_url, source_id, contents from broadcasts where id = $11
),
content as materialized (
  select c.* from broadcast, json_each(contents) as of_channel (name, value), lateral (
    select of_channel.name as channel, of_channel.value ->> 'subject' as subject, of_channel.value ->> 'html_body' as html_body,
      of_channel.value ->> 'text_body' as text_body, of_channel.value ->> 'from_name' as from_name,
      of_channel.value ->> 'reply_to' as reply_to, (of_channel.value ->> 'template_version_id')::uuid as template_version_id,
      of_channel.value ->> 'inline_format' as inline_format, (of_channel.value ->> 'connection_id')::uuid as connection_id,
      (of_channel.value -> 'inbox_extras')::jsonb as inbox_extras) c
),

 queue_postponed as (
   insert into queue_later (kind, id, lane, environment_id, run_at)
   select 1, id, lane, environment_id, run_at from (select id, 2::smallint as lane, environment_id, send_at as run_at, tag from input, broadcast) work where run_at is not null
 ),

 queue_source as (select 1::smallint as kind, id, lane, environment_id, null::jsonb as note, tag from (select id, 2::smallint as lane, environment_id, send_at as run_at, tag from input, broadcast) work where run_at is null),
 queue_arriving as (
   select kind, lane, environment_id, count(*)::int as burst from queue_source where tag is null group by 1, 2, 3
 ),
 queue_floors as (
   select kind, lane, coalesce(
     (select r.tag - 1 from queue_ready r
      where r.kind = l.kind and r.lane = l.lane and r.tag >= ($10::bigint[])[l.kind * 3 + l.lane + 1]
      order by r.tag limit 1),
     (select t.last_tag from queue_turns t where t.kind = l.kind and t.lane = l.lane order by t.last_tag desc limit 1),
     0) as tag
   from (select distinct kind, lane from queue_arriving) l
 ),
 queue_taken_turns as (
   insert into queue_turns as turn (kind, lane, environment_id, last_tag, burst)
   select a.kind, a.lane, a.environment_id, f.tag + a.burst, a.burst
   from queue_arriving a join queue_floors f using (kind, lane)
   -- Everyone locks in this order: no deadlocks. Deliveries come last, as in transactions, which end with what they announce.
   order by a.kind = 3, 1, 2, 3
   on conflict (kind, lane, environment_id) do update
     set last_tag = greatest(turn.last_tag, excluded.last_tag - excluded.burst) + excluded.burst, burst = excluded.burst
   returning kind, lane, environment_id, last_tag - burst as before
 ),
 queue_enqueued as (
 insert into queue_ready (id, kind, lane, tag, environment_id, note)
 select s.id, s.kind, s.lane, coalesce(s.tag,
   t.before + row_number() over (partition by s.kind, s.lane, s.environment_id, s.tag is null order by s.id)),
   s.environment_id, s.note
 from queue_source s left join queue_taken_turns t using (kind, lane, environment_id)),
counted as (
insert into usage_counters as counter (organization_id, month, channel, shard, sends)
select organization_id, month, channel, (random() * 15)::smallint, count(*) from (select $12::uuid as organization_id, $13::date as month, channel from input where $12 is not null) sends
group by organization_id, month, channel
order by organization_id, month, channel -- everyone locks in this order: no deadlocks
on conflict (organization_id, month, channel, shard) do update set sends = counter.sends + excluded.sends),
inserted as (
  insert into notifications (id, environment_id, channel, status, priority, address, recipient_name, external_user_id, category,
    template_key, action_url, connection_id, send_at, broadcast_id, source_id)
  select i.id, b.environment_id, i.channel, 'queued', 'bulk', i.address, i.name, i.external_user_id, b.category,
    b.template_key, b.action_url, c.connection_id, i.send_at, $11, b.source_id
  from input i join content c using (channel), broadcast b
)
insert into notification_contents (notification_id, subject, html_body, text_body, template_data, from_name, reply_to,
  template_version_id, inline_format, template_locale, inbox_extras)
select i.id, c.subject, c.html_body, c.text_body,
  case when c.template_version_id is null and c.inline_format is null then b.template_data
    else jsonb_build_object('user', i.user_data) || b.template_data end,
  c.from_name, c.reply_to, c.template_version_id, c.inline_format, case when c.template_version_id is not null then i.locale end,
  nullif(c.inbox_extras, 'null')
from input i join content c using (channel), broadcast b;

-- broadcasts_list_postponed (features/campaigns/broadcasts/slices.ts)
select n.id from (select id from queue_later where kind = 1 and environment_id = $1) waiting
join notifications n on n.id = waiting.id
where waiting.id >= $3 and waiting.id <= $4 and n.broadcast_id = $2
order by waiting.id limit $5;

-- broadcasts_count_open (features/campaigns/broadcasts/store.ts)
select count(*)::int as count from broadcasts where environment_id = $1 and completed_at is null;

-- broadcasts_delete_before (features/campaigns/broadcasts/store.ts)
with gone as (
  delete from broadcasts where id = any (array(
    select id from broadcasts where completed_at < $1 order by completed_at limit $2 for update skip locked))
  returning id
), changes as (
  delete from broadcast_changes where broadcast_id in (select id from gone)
)
select id from gone;

-- broadcasts_find (features/campaigns/broadcasts/store.ts)
select id, environment_id, status, paused_from, pause_reason, name, request, filter, channels, template_key, category,
action_url, starts_at, send_at_local, local_from, local_until, timezone, rate_per_second, epoch, cursor, total, recipients,
skipped, counts, local_moments, first_id, last_id, last_send_at, next_slice_at, started_at, measured_at, measured_done, completed_at from broadcasts where environment_id = $1 and id = $2;

-- broadcasts_insert (features/campaigns/broadcasts/store.ts)
insert into broadcasts (id, environment_id, status, name, request, filter, channels, contents, template_key, template_data,
   category, action_url, starts_at, send_at_local, local_from, local_until, timezone, rate_per_second, source_id, cursor)
 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, '')
 returning id, environment_id, status, paused_from, pause_reason, name, request, filter, channels, template_key, category,
action_url, starts_at, send_at_local, local_from, local_until, timezone, rate_per_second, epoch, cursor, total, recipients,
skipped, counts, local_moments, first_id, last_id, last_send_at, next_slice_at, started_at, measured_at, measured_done, completed_at;

-- broadcasts_lock (features/campaigns/broadcasts/store.ts)
select id, environment_id, status, paused_from, pause_reason, name, request, filter, channels, template_key, category,
action_url, starts_at, send_at_local, local_from, local_until, timezone, rate_per_second, epoch, cursor, total, recipients,
skipped, counts, local_moments, first_id, last_id, last_send_at, next_slice_at, started_at, measured_at, measured_done, completed_at from broadcasts where environment_id = $1 and id = $2 for no key update;

-- broadcasts_update (features/campaigns/broadcasts/store.ts)
update broadcasts set status = $2, paused_from = $3, pause_reason = $4, epoch = $5, cursor = $6, total = $7, recipients = $8,
  skipped = $9, counts = $10, local_moments = $11, first_id = $12, last_id = $13, last_send_at = $14, next_slice_at = $15,
  started_at = $16, measured_at = $17, measured_done = $18, completed_at = $19
where id = $1;

-- bulk_actions_count_running (features/campaigns/bulk-actions/store.ts)
select count(*)::int as running from bulk_actions where environment_id = $1 and status = 'running';

-- bulk_actions_delete_ended (features/campaigns/bulk-actions/store.ts)
delete from bulk_actions where completed_at < to_timestamp($1 / 1000.0);

-- bulk_actions_erase_person (features/campaigns/bulk-actions/store.ts)
with named as (
  select id, status from bulk_actions
  where environment_id = $1
    and (filter ->> 'external_user_id' = $2 or lower(filter ->> 'recipient') = any ($3::text[])) for update),
erased as (
  update bulk_actions set filter = filter - 'recipient' - 'external_user_id'
  where id in (select id from named where status <> 'running'))
select exists (select from named where status = 'running') as running;

-- bulk_actions_find (features/campaigns/bulk-actions/store.ts)
select id, environment_id, action, filter, status, before, source_id, total, done, skipped, started_at, completed_at from bulk_actions where id = $1 and environment_id = $2;

-- bulk_actions_insert (features/campaigns/bulk-actions/store.ts)
insert into bulk_actions (id, environment_id, action, filter, status, before, total, source_id)
values ($1, $2, $3, $4, 'running', $5, $6, $7) on conflict (id) do nothing returning id, environment_id, action, filter, status, before, source_id, total, done, skipped, started_at, completed_at;

-- bulk_actions_list (features/campaigns/bulk-actions/store.ts)
select id, environment_id, action, filter, status, before, source_id, total, done, skipped, started_at, completed_at from bulk_actions
where environment_id = $1 and ($2::uuid is null or id < $2) and ($3::text is null or status = $3)
order by id desc limit $4;

-- bulk_actions_lock (features/campaigns/bulk-actions/store.ts)
select id, environment_id, action, filter, status, before, source_id, total, done, skipped, started_at, completed_at from bulk_actions where id = $1 and environment_id = $2 for update;

-- bulk_actions_update (features/campaigns/bulk-actions/store.ts)
update bulk_actions set status = $2, before = $3, done = $4, skipped = $5,
  completed_at = case when $2 = 'running' then null else now() end
where id = $1;

-- schedule_runs_remove_member (features/campaigns/schedules/eraser.ts)
update schedule_runs set definition = jsonb_set(definition, '{target}', jsonb_set((definition -> 'target'), '{audience,users}', (
  select coalesce(jsonb_agg(member), '[]') from jsonb_array_elements_text((definition -> 'target') #> '{audience,users}') member
  where member <> all ($2::text[]))))
where environment_id = $1 and status = 'running' and definition #> '{target,audience,users}' ?| $2::text[];

-- schedules_pause_naming (features/campaigns/schedules/eraser.ts)
update schedules set target = jsonb_set(target::jsonb, '{trigger_data}', '{}'), status = 'paused', next_slot = null
where environment_id = $1 and array[target #>> '{trigger_data,external_user_id}',
  target #>> '{trigger_data,user,external_user_id}', target #>> '{trigger_data,recipient,external_user_id}'] && $2::text[];

-- schedules_remove_member (features/campaigns/schedules/eraser.ts)
update schedules set target = jsonb_set(target::jsonb, '{audience,users}', (
  select coalesce(jsonb_agg(member), '[]') from jsonb_array_elements_text(target::jsonb #> '{audience,users}') member
  where member <> all ($2::text[])))
where environment_id = $1 and target::jsonb #> '{audience,users}' ?| $2::text[];

-- schedules_list_named_members (features/campaigns/schedules/members.ts)
select wanted.id as external_user_id, u.timezone
from (select distinct id from unnest($2::text[]) as given (id) where id > $3 order by id limit $4) wanted
left join end_users u on u.environment_id = $1 and u.external_user_id = wanted.id
order by wanted.id;

-- schedule_runs_delete_old (features/campaigns/schedules/store.ts)
delete from schedule_runs where id = any (array(
  select id from schedule_runs where id < $1 and status <> 'running' order by id limit $2))
returning 1 as one;

-- schedule_runs_find (features/campaigns/schedules/store.ts)
select id, environment_id, schedule_id, slot, is_manual, status, definition, last_user, run_id, broadcast_id, started_count, skipped_count, missed_count, failure_reason, completed_at from schedule_runs where schedule_id = $1 and id = $2;

-- schedule_runs_insert (features/campaigns/schedules/store.ts)
insert into schedule_runs (id, environment_id, schedule_id, slot, is_manual, status, definition, missed_count, completed_at)
select id, environment_id, schedule_id, slot, is_manual, status, definition, missed_count,
  case when status = 'missed' then now() end
from json_to_record($1::json) as (id uuid, environment_id uuid, schedule_id uuid, slot timestamptz, is_manual boolean,
  status text, definition jsonb, missed_count integer)
on conflict (schedule_id, slot) where not is_manual do nothing
returning id;

-- schedule_runs_list (features/campaigns/schedules/store.ts)
select id, environment_id, schedule_id, slot, is_manual, status, definition, last_user, run_id, broadcast_id, started_count, skipped_count, missed_count, failure_reason, completed_at from schedule_runs where schedule_id = $1 and id < $2 order by id desc limit $3;

-- schedule_runs_list_last (features/campaigns/schedules/store.ts)
select r.* from unnest($1::uuid[]) as wanted (id), lateral (
select id, environment_id, schedule_id, slot, is_manual, status, definition, last_user, run_id, broadcast_id, started_count, skipped_count, missed_count, failure_reason, completed_at from schedule_runs where schedule_id = wanted.id order by id desc limit 1) r;

-- schedule_runs_load (features/campaigns/schedules/store.ts)
select r.id, r.environment_id, r.schedule_id, r.slot, r.is_manual, r.status, r.definition, r.last_user, r.run_id, r.broadcast_id, r.started_count, r.skipped_count, r.missed_count, r.failure_reason, r.completed_at, s.key as schedule_key, floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now,
  json_build_object('kind', 'job', 'environmentId', e.id, 'environmentKind', e.kind, 'organizationId', o.id,
    'plan', o.plan) as sender
from schedule_runs r join schedules s on s.id = r.schedule_id
join environments e on e.id = r.environment_id join organizations o on o.id = e.organization_id
where r.id = any ($1::uuid[]);

-- schedule_runs_lock (features/campaigns/schedules/store.ts)
select last_user, status from schedule_runs where id = $1 for update;

-- schedule_runs_update (features/campaigns/schedules/store.ts)
update schedule_runs set last_user = case when $6 then null else $2 end, run_id = $3, started_count = started_count + $4,
  skipped_count = skipped_count + $5,
  status = case when $7::text is not null then 'failed' when $6 then 'completed' else status end,
  definition = case when $6 then null else definition end, failure_reason = $7,
  completed_at = case when $6 then now() end, broadcast_id = $8
where id = $1;

-- schedules_count (features/campaigns/schedules/store.ts)
select count(*)::int as count from schedules where environment_id = $1;

-- schedules_delete (features/campaigns/schedules/store.ts)
delete from schedules where id = $1;

-- schedules_find (features/campaigns/schedules/store.ts)
select id, environment_id, key, name, target, cron, rule, timezone, per_recipient_timezone, starts_at, ends_at, missed_runs, status, active_since, next_slot, next_run_at, timer_id, updated_at from schedules where environment_id = $1 and key = $2;

-- schedules_insert (features/campaigns/schedules/store.ts)
insert into schedules (id, environment_id, key, name, target, cron, rule, timezone, per_recipient_timezone, starts_at, ends_at, missed_runs, status, active_since, next_slot, next_run_at, timer_id)
select id, environment_id, key, name, target, cron, rule, timezone, per_recipient_timezone, starts_at, ends_at, missed_runs, status, active_since, next_slot, next_run_at, timer_id from json_to_record($1::json) as i (id uuid, environment_id uuid, key text, name text, target json, cron text, rule json,
  timezone text, per_recipient_timezone boolean, starts_at timestamptz, ends_at timestamptz, missed_runs text, status text,
  active_since timestamptz, next_slot timestamptz, next_run_at timestamptz, timer_id uuid)
on conflict (environment_id, key) do nothing
returning id, environment_id, key, name, target, cron, rule, timezone, per_recipient_timezone, starts_at, ends_at, missed_runs, status, active_since, next_slot, next_run_at, timer_id, updated_at;

-- schedules_lock (features/campaigns/schedules/store.ts)
select id, environment_id, key, name, target, cron, rule, timezone, per_recipient_timezone, starts_at, ends_at, missed_runs, status, active_since, next_slot, next_run_at, timer_id, updated_at from schedules where environment_id = $1 and key = $2 for update;

-- schedules_lock_timer (features/campaigns/schedules/store.ts)
select id, environment_id, key, name, target, cron, rule, timezone, per_recipient_timezone, starts_at, ends_at, missed_runs, status, active_since, next_slot, next_run_at, timer_id, updated_at, floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now from schedules where timer_id = $1 for update;

-- schedules_move_timer (features/campaigns/schedules/store.ts)
update schedules set status = $2, next_slot = $3, next_run_at = $4 where id = $1;

-- schedules_update (features/campaigns/schedules/store.ts)
update schedules s set name = i.name, target = i.target, cron = i.cron, rule = i.rule, timezone = i.timezone, per_recipient_timezone = i.per_recipient_timezone, starts_at = i.starts_at, ends_at = i.ends_at, missed_runs = i.missed_runs, status = i.status, active_since = i.active_since, next_slot = i.next_slot, next_run_at = i.next_run_at, timer_id = i.timer_id, updated_at = now() from json_to_record($1::json) as i (id uuid, environment_id uuid, key text, name text, target json, cron text, rule json,
  timezone text, per_recipient_timezone boolean, starts_at timestamptz, ends_at timestamptz, missed_runs text, status text,
  active_since timestamptz, next_slot timestamptz, next_run_at timestamptz, timer_id uuid)
where s.id = i.id returning s.id, s.environment_id, s.key, s.name, s.target, s.cron, s.rule, s.timezone, s.per_recipient_timezone, s.starts_at, s.ends_at, s.missed_runs, s.status, s.active_since, s.next_slot, s.next_run_at, s.timer_id, s.updated_at;

-- brands_find (features/content/brands/store.ts)
select name, logo_url, accent_color from brands where environment_id = $1;

-- brands_upsert (features/content/brands/store.ts)
insert into brands (environment_id, name, logo_url, accent_color) values ($1, $2, $3, $4)
on conflict (environment_id) do update
  set name = excluded.name, logo_url = excluded.logo_url, accent_color = excluded.accent_color;

-- parts_count_missing (features/content/parts/missing.ts)
with
parts as materialized (
  select * from template_parts where environment_id = $1 limit 1000
), locales as materialized (
  select p.key as locale, p.is_default, v.keys
  from parts p
  join template_part_versions v on v.id = p.current_version_id
  where p.kind = 'translation'
), wanted as materialized (
  select unnest(keys) as key from locales where is_default
  union
  select unnest(v.translation_keys)
  from (select * from templates where environment_id = $1 order by id desc limit 5000) t
  join template_versions v on v.id = t.current_version_id
  where v.translation_keys is not null
  union
  select unnest(v.keys)
  from parts p
  join template_part_versions v on v.id = p.current_version_id
  where p.kind <> 'translation'
)
 select l.locale, (select count(*)::int from (
select key from wanted
except
select unnest(near.keys) from locales near
where near.locale = l.locale or starts_with(l.locale, near.locale || '-')) lacks) as missing
 from locales l
 where l.locale = any ($2::text[]);

-- parts_list_missing (features/content/parts/missing.ts)
with
parts as materialized (
  select * from template_parts where environment_id = $1 limit 1000
), locales as materialized (
  select p.key as locale, p.is_default, v.keys
  from parts p
  join template_part_versions v on v.id = p.current_version_id
  where p.kind = 'translation'
), wanted as materialized (
  select unnest(keys) as key from locales where is_default
  union
  select unnest(v.translation_keys)
  from (select * from templates where environment_id = $1 order by id desc limit 5000) t
  join template_versions v on v.id = t.current_version_id
  where v.translation_keys is not null
  union
  select unnest(v.keys)
  from parts p
  join template_part_versions v on v.id = p.current_version_id
  where p.kind <> 'translation'
)
 select l.locale, lacks.key,
   exists (select from locales d where d.is_default and lacks.key = any (d.keys)) as in_default
 from locales l
 cross join lateral (
select key from wanted
except
select unnest(near.keys) from locales near
where near.locale = l.locale or starts_with(l.locale, near.locale || '-')) lacks
 where ($2::text is null or l.locale = $2)
   and ($3::text is null or (l.locale, lacks.key) > ($3, $4))
 order by l.locale, lacks.key
 limit $5;

-- parts_clear_default (features/content/parts/store.ts)
update template_parts set is_default = false
where environment_id = $1 and kind = $2 and channel is not distinct from $3 and is_default;

-- parts_count (features/content/parts/store.ts)
select count(*)::int as count from template_parts where environment_id = $1 and kind = $2;

-- parts_delete (features/content/parts/store.ts)
delete from template_parts where environment_id = $1 and id = $2;

-- parts_find (features/content/parts/store.ts)
select p.id, p.environment_id, p.kind, p.key, p.channel, p.is_default, p.current_version_id,
  v.version, v.content, v.uses, v.keys
from template_parts p
join template_part_versions v on v.id = p.current_version_id where p.environment_id = $1 and p.kind = $2 and p.key = $3;

-- parts_find_content (features/content/parts/store.ts)
select content, keys from template_part_versions where id = $1;

-- parts_find_version (features/content/parts/store.ts)
select id, version, content, uses, keys from template_part_versions
where environment_id = $1 and part_id = $2 and version = $3;

-- parts_insert (features/content/parts/store.ts)
insert into template_parts (id, environment_id, kind, key, channel, is_default, current_version_id)
values ($1, $2, $3, $4, $5, $6, $7);

-- parts_insert_version (features/content/parts/store.ts)
insert into template_part_versions (id, environment_id, part_id, version, content, uses, keys, size)
values ($1, $2, $3, $4, $5, $6, $7, $8);

-- parts_list (features/content/parts/store.ts)
select p.id, p.environment_id, p.kind, p.key, p.channel, p.is_default, p.current_version_id,
  v.version, v.content, v.uses, v.keys
from template_parts p
join template_part_versions v on v.id = p.current_version_id where p.environment_id = $1 and p.id = any ($2::uuid[]) order by p.id desc;

-- parts_list_current (features/content/parts/store.ts)
select p.kind, p.key, p.channel, p.is_default, v.id as version_id, v.uses, v.size
from (select * from template_parts where environment_id = $1 limit 1000) p
join template_part_versions v on v.id = p.current_version_id;

-- parts_list_pinned (features/content/parts/store.ts)
select id, environment_id, content, size from template_part_versions where id = any ($1::uuid[]);

-- parts_list_sizes (features/content/parts/store.ts)
select p.id, v.size
from template_parts p
join template_part_versions v on v.id = p.current_version_id
where p.environment_id = $1 and p.kind = $2 and ($3::uuid is null or p.id < $3)
  and ($5::text is null or strpos(lower(p.key), lower($5)) > 0)
order by p.id desc
limit $4;

-- parts_list_users (features/content/parts/store.ts)
select name from (
  select t.key as name
  from (select * from templates where environment_id = $1 order by id desc limit 5000) t
  join template_versions v on v.id = t.current_version_id
  where v.uses @> array[$2::text]
  union all
  select p.key
  from (select * from template_parts where environment_id = $1 limit 1000) p
  join template_part_versions v on v.id = p.current_version_id
  where v.uses @> array[$2::text]
) named
order by name
limit 10;

-- parts_list_using (features/content/parts/store.ts)
select min(t.key) as key, v.uses
from (select * from templates where environment_id = $1 order by id desc limit 5000) t
join template_versions v on v.id = t.current_version_id
where v.uses && $2::text[]
group by v.uses;

-- parts_list_versions (features/content/parts/store.ts)
select id, version from template_part_versions
where environment_id = $1 and part_id = $2 and ($3::uuid is null or id < $3)
order by id desc
limit $4;

-- parts_update (features/content/parts/store.ts)
update template_parts set current_version_id = $2, is_default = $3 where id = $1;

-- templates_delete (features/content/templates/store.ts)
delete from templates where environment_id = $1 and id = $2;

-- templates_find (features/content/templates/store.ts)
select t.id, t.environment_id, t.key, t.current_version_id, v.version, v.name, v.bodies, v.push, v.parts
from templates t
join template_versions v on v.id = t.current_version_id where t.environment_id = $1 and (t.key = $2 or t.id = $3) order by t.key = $2 desc limit 1;

-- templates_find_by_id (features/content/templates/store.ts)
select t.id, t.environment_id, t.key, t.current_version_id, v.version, v.name, v.bodies, v.push, v.parts
from templates t
join template_versions v on v.id = t.current_version_id where t.environment_id = $1 and t.id = $2;

-- templates_find_live (features/content/templates/store.ts)
select id from environments where organization_id = $1 and kind = 'live' order by id limit 1;

-- templates_find_pin (features/content/templates/store.ts)
select v.id, v.channels
from templates t
join template_versions v on v.id = t.current_version_id
where t.environment_id = $1 and t.key = $2;

-- templates_find_version (features/content/templates/store.ts)
select id, version, name, bodies, push, parts from template_versions
where environment_id = $1 and template_id = $2 and version = $3;

-- templates_insert (features/content/templates/store.ts)
insert into templates (id, environment_id, key, current_version_id) values ($1, $2, $3, $4)
on conflict (environment_id, key) do nothing
returning id;

-- templates_insert_version (features/content/templates/store.ts)
insert into template_versions (id, environment_id, template_id, version, name, channels, bodies, size,
  uses, translation_keys, parts, push)
values ($1, $2, $3, $4, $5, $6, $7, $8, nullif($9::text[], '{}'), nullif($10::text[], '{}'), $11, $12);

-- templates_list (features/content/templates/store.ts)
select t.id, t.environment_id, t.key, t.current_version_id, v.version, v.name, v.bodies, v.push, v.parts
from templates t
join template_versions v on v.id = t.current_version_id where t.environment_id = $1 and t.id = any ($2::uuid[]) order by t.id desc;

-- templates_list_channels (features/content/templates/store.ts)
select t.key, v.channels
from templates t
join template_versions v on v.id = t.current_version_id
where t.environment_id = $1 and t.key = any ($2::text[])
order by t.key
for share of t;

-- templates_list_pinned (features/content/templates/store.ts)
select v.id, v.environment_id, v.bodies, v.size, v.parts, e.kind = 'test' as follows_parts
from template_versions v
join environments e on e.id = v.environment_id
where v.id = any ($1::uuid[]);

-- templates_list_sizes (features/content/templates/store.ts)
select t.id, v.size
from templates t
join template_versions v on v.id = t.current_version_id
where t.environment_id = $1 and ($2::uuid is null or t.id < $2)
  and ($4::text is null or strpos(lower(t.key), lower($4)) > 0 or strpos(lower(v.name), lower($4)) > 0)
order by t.id desc
limit $3;

-- templates_list_versions (features/content/templates/store.ts)
select id, version, name
from template_versions
where environment_id = $1 and template_id = $2 and ($3::uuid is null or id < $3)
order by id desc
limit $4;

-- templates_lock (features/content/templates/store.ts)
select from templates where id = $1 for update;

-- templates_point (features/content/templates/store.ts)
update templates set current_version_id = $2 where id = $1;

-- brake_count_pages (features/control/brake/counts-store.ts)
select (pg_relation_size('brake_counts') / current_setting('block_size')::int)::int as pages;

-- brake_delete_counts (features/control/brake/counts-store.ts)
delete from brake_counts where ctid = any (array(
select ctid from brake_counts
where ctid >= format('(%s,0)', $1::int)::tid and ctid < format('(%s,0)', $2::int)::tid and slot_at + make_interval(secs => 2 * window_seconds) < now()
for update skip locked));

-- brake_give_back (features/control/brake/counts-store.ts)
with marked as (update queue_leased set note = coalesce(note, '{}') || '{"braked":true}'
 where kind = 1 and id = any ($5::uuid[]) and worker_id is not distinct from $6)
insert into brake_counts as c (environment_id, subject, slot_at, amount, most, window_seconds)
select environment_id, subject, slot_at, amount, 0, 0
from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::bigint[], $7::boolean[])
  as given (environment_id, subject, slot_at, amount, is_shared)
order by is_shared, subject
on conflict (subject) do update set
  amount = c.amount - case when c.slot_at = excluded.slot_at then excluded.amount else 0 end,
  (past, past_amounts) = (
    select coalesce(sum(rest), 0), array_agg(rest) from unnest(c.past_slots, c.past_amounts) as p (s, a)
      cross join lateral (select a - case when s = excluded.slot_at then excluded.amount else 0 end as rest) rests);

-- brake_list_counts (features/control/brake/counts-store.ts)
with wanted as (
  select position, subject, amount, ($4::uuid[])[rule] as environment_id, ($5::bigint[])[rule] as most,
    ($6::int[])[rule] as window_seconds, ($8::boolean[])[rule] as is_shared, date_bin(make_interval(secs => ($7::int[])[rule]), to_timestamp(($9::float8[])[position]), 'epoch') as slot_at
  from unnest($1::int[], $2::uuid[], $3::bigint[]) with ordinality as given (rule, subject, amount, position))
select position::int as position, w.slot_at, coalesce(found.total, 0) as total, coalesce(found.first_at, w.slot_at) as first_at
from wanted w left join brake_counts c using (subject) cross join lateral (
  select sum(a)::float8 as total, min(s) as first_at
  from unnest(c.past_slots || c.slot_at, c.past_amounts || c.amount) as p (s, a)
  where s >= w.slot_at - make_interval(secs => w.window_seconds) and a > 0) found;

-- brake_list_uncounted (features/control/brake/counts-store.ts)
select id from queue_leased
where kind = 1 and id = any ($1::uuid[]) and worker_id is not distinct from $2 and not coalesce(note ? 'braked', false);

-- brake_take (features/control/brake/counts-store.ts)
with wanted as (
  select position, subject, amount, ($4::uuid[])[rule] as environment_id, ($5::bigint[])[rule] as most,
    ($6::int[])[rule] as window_seconds, ($8::boolean[])[rule] as is_shared, (select array_agg(date_bin(make_interval(secs => length), now(), 'epoch')) from unnest($7::int[]) length)[rule] as slot_at
  from unnest($1::int[], $2::uuid[], $3::bigint[]) with ordinality as given (rule, subject, amount, position)), taken as (
  insert into brake_counts as c (subject, environment_id, slot_at, amount, most, window_seconds)
  select subject, environment_id, slot_at, amount, most, window_seconds from wanted
  order by is_shared, subject
  on conflict (subject) do update set
    slot_at = greatest(c.slot_at, excluded.slot_at),
    amount = case when excluded.slot_at > c.slot_at then 0 else c.amount end + excluded.amount,
    most = excluded.most,
    window_seconds = excluded.window_seconds,
    (past, past_slots, past_amounts) = (
      select coalesce(sum(a), 0), array_agg(s), array_agg(a)
      from unnest(
        case when excluded.slot_at > c.slot_at then c.past_slots || c.slot_at else c.past_slots end,
        case when excluded.slot_at > c.slot_at then c.past_amounts || c.amount else c.past_amounts end) as p (s, a)
      where s >= excluded.slot_at - make_interval(secs => excluded.window_seconds) and a > 0)
  returning subject, most, past + amount as total, slot_at, coalesce(past_slots[1], slot_at) as first_at
), reached as (
  select bool_or(total > most) as is_over, bool_or(total > most / 10) as is_near from taken
), marked as (
  update queue_leased set note = coalesce(note, '{}') || '{"braked":true}'
 where kind = 1 and id = any (case when (select is_near and not is_over from reached) then $9::text::uuid[] else '{}' end) and worker_id is not distinct from $10
)
select wanted.position::int as position, taken.slot_at, total::float8 as total, first_at
from taken join wanted using (subject) where (select is_over from reached);

-- brake_engage (features/control/brake/engagements.ts)
insert into brake_engagements as e (environment_id, rule, engaged_at, last_at, detail) values ($1, $2, now(), now(), $3)
on conflict (environment_id, rule) do update set last_at = now(), detail = excluded.detail,
  engaged_at = case when e.last_at < now() - make_interval(secs => 600) then now() else e.engaged_at end
returning environment_id, rule, engaged_at, last_at, detail, engaged_at = now() as is_new;

-- brake_list_engagements (features/control/brake/engagements.ts)
select environment_id, rule, engaged_at, last_at, detail from brake_engagements
where environment_id = $1 and last_at > now() - make_interval(secs => 600) order by engaged_at desc;

-- brake_list_held (features/control/brake/holds.ts)
select id, channel, address, template_key, category from notifications
where id = any ($1::uuid[]) and environment_id = $2;

-- brake_summarize_held (features/control/brake/holds.ts)
select channel, count(*)::int as count, count(distinct coalesce(external_user_id, lower(address)))::int as recipients
from notifications where id = any ($1::uuid[]) and environment_id = $2
group by grouping sets ((), (channel)) order by 2 desc;

-- brake_list_rates (features/control/brake/spikes.ts)
with recent as (
  select environment_id, sum(accepted)::int as accepted from activity
  where step = 60 and at >= date_trunc('minute', now()) - interval '1 minute' and at < date_trunc('minute', now())
  group by 1 having sum(accepted) > $1
)
select r.environment_id, e.kind as environment_kind, r.accepted, greatest($2::float8, usual.accepted / (7 * 60.0))::float8 as usual
from recent r join environments e on e.id = r.environment_id cross join lateral (
  select coalesce(sum(a.accepted), 0) as accepted
  from generate_series(1, 7) as day (ago), lateral (
    select accepted from activity
    where environment_id = r.environment_id and step = 600
      and at >= date_trunc('hour', now()) - day.ago * interval '1 day'
      and at < date_trunc('hour', now()) - day.ago * interval '1 day' + interval '1 hour') a) usual;

-- brake_list_states (features/control/brake/state.ts)
select given.id as environment_id,
   array(select to_json(rule) from (
     select id, environment_id, key, name, scope, match, per_template, period as "window", unit,
max_amount::float8 as "limit", action, hold_expires_hours, includes_critical, is_enabled, (
       select w.id from workflows w where w.environment_id = r.environment_id and w.key = r.match ->> 'workflow_key'
     ) as "workflowId"
     from brake_rules r where r.environment_id = given.id) rule) as rules,
   array(select to_json(f) from brake_freezes f where f.environment_id = given.id order by f.channel) as freezes,
   exists (select from brake_engagements g where g.environment_id = given.id and g.rule = 'spike'
     and g.last_at > now() - interval '150 seconds') as is_spiking, -- noted once a minute
   array(select to_json(p) from prices p where p.environment_id = given.id) as prices
 from unnest($1::uuid[]) as given (id);

-- brake_delete_freeze (features/control/brake/store.ts)
delete from brake_freezes where environment_id = $1 and channel = $2 returning environment_id, channel, reason, hold_expires_hours, frozen_by, frozen_at;

-- brake_delete_releases (features/control/brake/store.ts)
delete from brake_releases where status <> 'running' and completed_at < now() - interval '90 days';

-- brake_delete_rule (features/control/brake/store.ts)
with engagement as (delete from brake_engagements where environment_id = $1 and rule = $2)
delete from brake_rules where environment_id = $1 and key = $2;

-- brake_find_matched (features/control/brake/store.ts)
select $3::text is null or exists (select from categories where environment_id = $1 and key = $3) as category, $4::text is null or exists (select from templates where environment_id = $1 and key = $4) as template_key, $5::text is null or exists (select from workflows where environment_id = $1 and key = $5) as workflow_key,
$2::uuid is null or exists (select from api_keys where environment_id = $1 and id = $2) as key_id;

-- brake_find_release (features/control/brake/store.ts)
select id, environment_id, hold, action, status, total::float8 as total, done::float8 as done, held_before, started_at,
completed_at from brake_releases where id = $1 and environment_id = $2;

-- brake_insert_freeze (features/control/brake/store.ts)
insert into brake_freezes (environment_id, channel, reason, hold_expires_hours, frozen_by, frozen_at) values ($1, $2, $3, $4, $5, now())
on conflict (environment_id, channel) do nothing returning environment_id, channel, reason, hold_expires_hours, frozen_by, frozen_at;

-- brake_insert_release (features/control/brake/store.ts)
insert into brake_releases (id, environment_id, hold, action, status, total, held_before, started_at)
 values ($1, $2, $3, $4, 'running', $5, now(), now()) returning id, environment_id, hold, action, status, total::float8 as total, done::float8 as done, held_before, started_at,
completed_at;

-- brake_list_freezes (features/control/brake/store.ts)
select environment_id, channel, reason, hold_expires_hours, frozen_by, frozen_at from brake_freezes where environment_id = any ($1::uuid[]) order by channel;

-- brake_list_rules (features/control/brake/store.ts)
select id, environment_id, key, name, scope, match, per_template, period as "window", unit,
max_amount::float8 as "limit", action, hold_expires_hours, includes_critical, is_enabled from brake_rules where environment_id = $1 order by key;

-- brake_list_running_releases (features/control/brake/store.ts)
select id, environment_id, hold, action, status, total::float8 as total, done::float8 as done, held_before, started_at,
completed_at from brake_releases where environment_id = $1 and status = 'running';

-- brake_lock_release (features/control/brake/store.ts)
select id, environment_id, hold, action, status, total::float8 as total, done::float8 as done, held_before, started_at,
completed_at from brake_releases where id = $1 for no key update;

-- brake_update_release (features/control/brake/store.ts)
update brake_releases set status = $2, total = $3, done = $4,
  completed_at = case when $2 = 'running' then null else coalesce(completed_at, now()) end
where id = $1;

-- brake_upsert_rule (features/control/brake/store.ts)
insert into brake_rules (id, environment_id, key, name, scope, match, per_template, period, unit, max_amount, action,
   hold_expires_hours, includes_critical, is_enabled)
 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
 on conflict (environment_id, key) do update set name = excluded.name, scope = excluded.scope, match = excluded.match,
   per_template = excluded.per_template, period = excluded.period, unit = excluded.unit, max_amount = excluded.max_amount,
   action = excluded.action, hold_expires_hours = excluded.hold_expires_hours,
   includes_critical = excluded.includes_critical, is_enabled = excluded.is_enabled
 returning id, environment_id, key, name, scope, match, per_template, period as "window", unit,
max_amount::float8 as "limit", action, hold_expires_hours, includes_critical, is_enabled;

-- spend_add (features/control/spend/store.ts)
insert into spend_counts as s (environment_id, month, channel, currency, amount_micros)
select * from json_to_recordset($1::json)
  as (environment_id uuid, month date, channel text, currency text, amount_micros bigint)
order by 1, 2, 3, 4 -- everyone locks in this order: no deadlocks
on conflict (environment_id, month, channel, currency) do update set amount_micros = s.amount_micros + excluded.amount_micros;

-- spend_delete_prices (features/control/spend/store.ts)
delete from prices where environment_id = $1;

-- spend_insert_prices (features/control/spend/store.ts)
insert into prices (environment_id, channel, provider_kind, prefix, price_micros, currency)
select $1, * from json_to_recordset($2::json)
  as (channel text, provider_kind text, prefix text, price_micros bigint, currency text);

-- spend_list_prices (features/control/spend/store.ts)
select channel, provider_kind, prefix, price_micros::float8 as price_micros, currency from prices
where environment_id = $1 order by channel, provider_kind, prefix;

-- spend_sums (features/control/spend/store.ts)
select current.currency, s.channel, s.amount_micros::float8 as amount_micros
from (select currency from prices where environment_id = $1 order by channel, provider_kind, prefix limit 1) current
left join spend_counts s on s.environment_id = $1 and s.month = $2 and s.currency = current.currency
order by s.channel;

-- storage_add (features/control/usage/storage-store.ts)
insert into environment_storage as s (environment_id, added_bytes)
select environment_id, bytes from unnest($1::uuid[], $2::bigint[]) as given (environment_id, bytes)
order by environment_id -- everyone locks in this order: no deadlocks
on conflict (environment_id) do update set added_bytes = s.added_bytes + excluded.added_bytes
returning environment_id, (measured_bytes + added_bytes)::float8 as stored_bytes;

-- storage_claim (features/control/usage/storage-store.ts)
update environment_storage set measure_after = now() + interval '10 minutes'
where environment_id = (
  select environment_id from environment_storage
  where measure_after <= now()
    and (measured_bytes + added_bytes >= $1::float8
      or (added_bytes > 0 and measured_at < now() - interval '5 minutes')
      or measured_at < now() - interval '1 day')
  order by measure_after limit 1 for update skip locked)
returning environment_id, added_bytes::float8;

-- storage_find (features/control/usage/storage-store.ts)
select (measured_bytes + added_bytes)::float8 as stored_bytes from environment_storage where environment_id = $1;

-- storage_measure_notifications (features/control/usage/storage-store.ts)
with slice as materialized (
  select id from notifications where environment_id = $1 and id > $2 order by id limit 2000
)
select (select id from slice order by id desc limit 1) as last,
  coalesce(sum(1024 + coalesce(octet_length(c.subject), 0) + coalesce(octet_length(c.html_body), 0)
    + coalesce(octet_length(c.text_body), 0) + octet_length(c.template_data::text)
    + coalesce(octet_length(c.structured::text), 0) + coalesce(octet_length(c.inbox_extras::text), 0)
    + case when c.attachments is null then 0 else
      (select coalesce(sum(octet_length(b.bytes)), 0) from attachment_bytes b where b.notification_id = slice.id) end
    + case when c.attachments is null and c.body_object is null then 0 else
      (select coalesce(sum(o.size_bytes), 0) from stored_objects o
       where o.notification_id = slice.id and o.state = 'stored') end), 0)::float8 as bytes
from slice join notification_contents c on c.notification_id = slice.id;

-- storage_measure_others (features/control/usage/storage-store.ts)
select (
(select coalesce(sum(payload_bytes), 0) from sandbox_messages where environment_id = $1)
+ (select coalesce(sum(bytes), 0) from inbox_items where environment_id = $1 and archived_at is null)
+ (select coalesce(sum(bytes), 0) from inbox_items where environment_id = $1 and archived_at is not null)
+ (select coalesce(sum(1024 + octet_length(r.trigger_data::text)
     + (select coalesce(sum(pg_column_size(s.output)), 0) from run_steps s where s.run_id = r.id)), 0)
   from workflows w join runs r on r.workflow_id = w.id where w.environment_id = $1))::float8 as bytes;

-- storage_measured (features/control/usage/storage-store.ts)
update environment_storage
set measured_bytes = $2, added_bytes = greatest(0, added_bytes - $3), measured_at = now(),
  measure_after = now() + make_interval(secs => $4::float8 / 1000)
where environment_id = $1;

-- usage_lock_plan_accounts (features/control/usage/store.ts)
select from organizations sharing
where coalesce(sharing.plan_owner_id, sharing.id) in (select coalesce(o.plan_owner_id, o.id) from organizations o where o.id = any ($1::uuid[]))
order by id for no key update;

-- usage_plan_use (features/control/usage/store.ts)
select mine.id as organization_id, coalesce(mine.plan_owner_id, mine.id) as account_id, counter.month::text,
  coalesce(sum(counter.sends), 0)::float8 as sends
from organizations mine
join organizations sharing on coalesce(sharing.plan_owner_id, sharing.id) = coalesce(mine.plan_owner_id, mine.id) and sharing.plan = mine.plan
left join usage_counters counter on counter.organization_id = sharing.id and counter.month = any ($2::date[])
where mine.id = any ($1::uuid[])
group by 1, 2, 3;

-- usage_sums (features/control/usage/store.ts)
select organization_id, month::text, channel, sum(sends)::float8 as sends
from usage_counters where organization_id = any ($1::uuid[]) and month = any ($2::date[])
group by 1, 2, 3;

-- dispatch_store_text_alternative (features/delivery/dispatch/plan/channel-planners.ts)
update notification_contents set text_alternative = $2 where notification_id = $1;

-- dispatch_add_fault (features/delivery/dispatch/store.ts)
update notifications n set history = concat_ws(',', n.history, $2::text)
where n.id in (select id from notifications where id = any ($1::uuid[]) order by id for no key update)
  and n.status = 'queued' and (readable_history(n.id, n.resent_from, '[]', n.trace, n.history) -> 'trace') -> -1 ->> 'name' is distinct from $3;

-- dispatch_find_broadcast_statuses (features/delivery/dispatch/store.ts)
select id, status from broadcasts where id = any ($1::uuid[]);

-- dispatch_load (features/delivery/dispatch/store.ts)
select n.id, n.environment_id, n.channel, n.status, n.priority, n.address, n.recipient_name, n.external_user_id, n.category,
  n.template_key, n.action_url, n.attempt_count, n.round, n.send_at, n.connection_id, n.broadcast_id, n.source_id, n.chain,
  c.subject, c.html_body, c.text_body, c.template_data, c.from_name, c.reply_to, c.inbox_extras, c.attachments,
  c.template_version_id, c.inline_format, c.template_locale, c.structured, c.rendered_at, c.text_alternative, c.body_object,
  e.kind as environment_kind,
  case n.channel when 'email' then (select s.xmin::text from email_settings s where s.environment_id = n.environment_id) when 'sms' then (select s.xmin::text from sms_settings s where s.environment_id = n.environment_id) when 'in_app' then (select s.xmin::text from push_settings s where s.environment_id = n.environment_id) end as settings_version, (select json_build_object('id', s.id, 'reason', s.reason) from suppressions s
 where n.channel in ('email', 'sms') and s.environment_id = n.environment_id
   and s.address = lower(n.address collate "C") collate "default") as suppression
from notifications n
join notification_contents c on c.notification_id = n.id
join environments e on e.id = n.environment_id
where n.id = any ($1::uuid[]);

-- dispatch_lock_statuses (features/delivery/dispatch/store.ts)
select id, status from notifications where id = any ($1::uuid[]) order by id for no key update;

-- dispatch_settle (features/delivery/dispatch/store.ts)
update notifications n set
  status = case when n.status = 'queued' then i.status else n.status end,
  history = concat_ws(',', n.history, i.history::text),
  attempt_count = n.attempt_count + i.attempts,
  round = i.round,
  sent_at = coalesce(n.sent_at, i.sent_at),
  last_error = case when n.status = 'queued' then i.last_error else n.last_error end,
  suppression_reason = i.suppression_reason
from json_to_recordset($1::json) as i (id uuid, status text, history text, attempts int, round int,
  sent_at timestamptz, last_error text, suppression_reason text)
where n.id = i.id;

-- dispatch_store_rendered (features/delivery/dispatch/store.ts)
update notification_contents c set
  subject = i.subject, html_body = i.html_body, text_body = i.text_body, structured = i.structured, rendered_at = now(),
  body_object = i.body_object
from json_to_recordset($1::json)
  as i (id uuid, subject text, html_body text, text_body text, structured json, body_object uuid)
where c.notification_id = i.id;

-- push_add_trace (features/delivery/push/ring-store.ts)
with target as materialized (
  select n.id, i.history
  from json_to_recordset($1::json) as i (id uuid, environment_id uuid, history text)
  join notifications n on n.id = i.id and n.environment_id = i.environment_id
  where coalesce(length(n.history), 0) < 64000
  order by n.id for no key update of n -- everyone locks in this order: no deadlocks
)
update notifications n set history = concat_ws(',', n.history, target.history::text) from target where n.id = target.id;

-- push_delete_gone_devices (features/delivery/push/ring-store.ts)
delete from devices where id in (
select d.id from devices d join unnest($1::uuid[], $2::timestamptz[]) as i (id, before) on i.id = d.id
where d.last_seen_at < i.before order by d.id for update of d);

-- push_find_environments (features/delivery/push/ring-store.ts)
select e.id, e.kind, s.xmin::text as version from environments e
left join push_settings s on s.environment_id = e.id where e.id = any ($1::uuid[]);

-- push_list_devices_of_users (features/delivery/push/ring-store.ts)
select d.id, d.environment_id, d.external_user_id, d.kind, d.identity, d.service, d.address
from (select distinct * from unnest($1::uuid[], $2::text[]) u (environment_id, external_user_id)) owner
cross join lateral (
  select * from devices d
  where d.environment_id = owner.environment_id and d.external_user_id = owner.external_user_id
  order by d.last_seen_at desc limit 100
) d;

-- push_list_returned (features/delivery/push/ring-store.ts)
select id from inbox_items
where id = any ($1::uuid[]) and arrived_at is not null and read_at is null and archived_at is null;

-- push_list_ring_settings (features/delivery/push/ring-store.ts)
select i.id, coalesce(v.push, c.push, s.ring) as ring
from json_to_recordset($1::json)
  as i (id uuid, environment_id uuid, external_user_id text, category text, template_version_id uuid)
join push_settings s on s.environment_id = i.environment_id
left join categories c on c.environment_id = i.environment_id and c.key = i.category
left join template_versions v on v.id = i.template_version_id
where exists (
  select from devices d where d.environment_id = i.environment_id and d.external_user_id = i.external_user_id);

-- push_list_seen (features/delivery/push/ring-store.ts)
select id, environment_id, external_user_id from inbox_items
where id = any ($1::uuid[]) and (read_at is not null or archived_at is not null);

-- push_load_items (features/delivery/push/ring-store.ts)
with item as materialized (
  select i.id, i.environment_id, i.external_user_id, i.subject, left(i.html_body, 20000) as html_body,
    left(i.text_body, 20000) as text_body, i.action_url, exists (
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
left join push_settings s on s.environment_id = item.environment_id;

-- push_mark_outcomes (features/delivery/push/ring-store.ts)
with target as materialized (
  select d.id, i.outcome, i.detail, i.at
  from json_to_recordset($1::json) as i (id uuid, outcome text, detail text, at timestamptz)
  join devices d on d.id = i.id
  where d.last_outcome is distinct from i.outcome or d.last_outcome_detail is distinct from i.detail
    or d.last_outcome_at < i.at - interval '1 hour'
  order by d.id for update of d
)
update devices d set last_outcome = target.outcome, last_outcome_detail = target.detail, last_outcome_at = target.at
from target where d.id = target.id;

-- push_delete_device (features/delivery/push/store.ts)
delete from devices d where d.environment_id = $1 and d.external_user_id = $2 and d.id = $3 returning d.id, d.environment_id, d.external_user_id, d.kind, d.identity, d.service, d.address, d.label, d.created_at, d.last_seen_at, d.last_outcome, d.last_outcome_detail, d.last_outcome_at;

-- push_delete_devices_beyond (features/delivery/push/store.ts)
delete from devices where id = any (array(
select id from devices where environment_id = $1 and external_user_id = $2
order by last_seen_at desc, id desc offset 100 limit 100));

-- push_delete_expired_presences (features/delivery/push/store.ts)
delete from inbox_presences where ctid = any (array(
  select ctid from inbox_presences where visible_until < now() - interval '1 minute'
  order by visible_until limit $1))
returning page;

-- push_delete_presence (features/delivery/push/store.ts)
delete from inbox_presences where environment_id = $1 and external_user_id = $2 and page = $3;

-- push_erase_devices (features/delivery/push/store.ts)
delete from devices where environment_id = $1 and (external_user_id = $2 or lower(external_user_id) = any (array(select lower(alias) from unnest($3::text[]) alias))) and id < $4;

-- push_erase_presences (features/delivery/push/store.ts)
delete from inbox_presences where environment_id = $1 and (external_user_id = $2 or lower(external_user_id) = any (array(select lower(alias) from unnest($3::text[]) alias)));

-- push_list_devices (features/delivery/push/store.ts)
select d.id, d.environment_id, d.external_user_id, d.kind, d.identity, d.service, d.address, d.label, d.created_at, d.last_seen_at, d.last_outcome, d.last_outcome_detail, d.last_outcome_at from devices d where d.environment_id = $1 and d.external_user_id = $2
order by d.last_seen_at desc, d.id desc limit 100;

-- push_upsert_device (features/delivery/push/store.ts)
insert into devices as d (id, environment_id, external_user_id, kind, identity, service, address, label)
values ($1, $2, $3, $4, $5, $6, $7, $8)
on conflict (environment_id, identity) do update set
  external_user_id = excluded.external_user_id, address = excluded.address, label = excluded.label, last_seen_at = now(),
  last_outcome = case when d.external_user_id = excluded.external_user_id then d.last_outcome end,
  last_outcome_detail = case when d.external_user_id = excluded.external_user_id then d.last_outcome_detail end,
  last_outcome_at = case when d.external_user_id = excluded.external_user_id then d.last_outcome_at end
returning d.id, d.environment_id, d.external_user_id, d.kind, d.identity, d.service, d.address, d.label, d.created_at, d.last_seen_at, d.last_outcome, d.last_outcome_detail, d.last_outcome_at;

-- push_upsert_presence (features/delivery/push/store.ts)
insert into inbox_presences (environment_id, external_user_id, page, visible_until)
select $1, $2, $3, now() + make_interval(secs => $4)
where (select count(*) from inbox_presences
  where environment_id = $1 and external_user_id = $2 and page <> $3 and visible_until > now()) < 50
on conflict (environment_id, external_user_id, page) do update set visible_until = excluded.visible_until;

-- receipts_delete_events (features/delivery/receipts/report-writer.ts)
with gone as (
  delete from callback_events where ctid = any (array(
    select ctid from callback_events where seen_at < $1 order by seen_at limit $2 for update skip locked))
  returning 1)
select count(*)::int as deleted from gone;

-- receipts_insert_events (features/delivery/receipts/report-writer.ts)
insert into callback_events (environment_id, provider_id, event_hash, seen_at)
select environment_id, provider_id, event_hash, $4
from unnest($1::uuid[], $2::uuid[], $3::bytea[]) as reported (environment_id, provider_id, event_hash)
order by environment_id, provider_id, event_hash -- all transactions lock in this order, so there are no deadlocks
on conflict do nothing
returning environment_id, provider_id, event_hash;

-- receipts_apply (features/delivery/receipts/store.ts)
update notifications n set
  status = case
    when i.status is null then n.status
    when n.status in ('queued', 'sent') then i.status
    when n.status = 'delivered' and i.status = 'complained' then i.status
    else n.status end,
  history = concat_ws(',', n.history, i.history::text),
  last_error = coalesce(i.last_error, n.last_error)
from json_to_recordset($1::json) as i (id uuid, status text, history text, last_error text)
where n.id = i.id
returning n.id, n.environment_id, n.channel, n.address;

-- receipts_lock_notifications (features/delivery/receipts/store.ts)
select n.id, n.environment_id, n.channel, n.status, n.resent_from, n.events, n.trace, n.history
from notifications n
join unnest($1::uuid[], $2::uuid[]) as wanted (id, environment_id)
  on n.id = wanted.id and n.environment_id = wanted.environment_id
order by n.id
for no key update of n;

-- inbox_mark_many_archived (features/inbox/bulk-store.ts)
with slice as materialized (
  select id, position, first_read_at, read_at, snooze_id, rung_at, ($7::text is null or category = $7) and ($8::text is null or tags @> array[$8::text]) as is_meant from inbox_items i
  where environment_id = $1 and external_user_id = $2 and archived_at is null and true
    and (not $9::boolean or read_at is not null)
    and snoozed_until is null
    and position > $3 and ($5::timestamptz is null or coalesce(i.arrived_at,
    to_timestamp(('x' || left(replace(i.position::text, '-', ''), 12))::bit(48)::bigint / 1000.0)) < $5)
  order by position limit $4
), item as (
  update inbox_items i set archived_at = $6, snoozed_until = null, snooze_id = null, rung_at = null from slice s where i.id = s.id and s.is_meant
  returning i.id, i.position, s.first_read_at, s.snooze_id, s.rung_at, s.read_at is null as counted
), total as (
  select count(*) as marked, count(*) filter (where counted) as unread,
    case when count(*) > 100 then 1 else count(*) end as events
  from item
), changed as (
  update inboxes b set last_seq = b.last_seq + t.events, unread = b.unread - t.unread
  from total t where b.environment_id = $1 and b.external_user_id = $2 and t.marked > 0
  returning b.last_seq
), logged as (
  insert into inbox_events (environment_id, external_user_id, seq, type, item_id, occurred_at)
  select $1, $2, c.last_seq - t.events + e.place, e.type, e.id, $6
  from changed c, total t, lateral (
    select 'archived' as type, id, row_number() over (order by position) as place from item where t.marked = t.events
    union all
    select 'reset', null, 1 where t.marked <> t.events
  ) e
)
select t.marked::int, (select array_agg(id) from item where first_read_at is null) as first_read,
  (select array_agg(snooze_id) from item where snooze_id is not null) as snoozes,
  (select array_agg(id) from (
     select id from item where rung_at is not null order by position desc limit 500) newest) as rung,
  (select count(*) from slice)::int as scanned, (select position from slice order by position desc limit 1) as last
from total t;

-- inbox_mark_many_archived_by_id (features/inbox/bulk-store.ts)
with slice as materialized (
  select id, position, first_read_at, read_at, snooze_id, rung_at, ($7::text is null or category = $7) and ($8::text is null or tags @> array[$8::text]) as is_meant from inbox_items i
  where environment_id = $1 and external_user_id = $2 and archived_at is null and true
    and (not $9::boolean or read_at is not null)
    and id = any ($10::uuid[])
    and position > $3 and ($5::timestamptz is null or coalesce(i.arrived_at,
    to_timestamp(('x' || left(replace(i.position::text, '-', ''), 12))::bit(48)::bigint / 1000.0)) < $5)
  order by position limit $4
), item as (
  update inbox_items i set archived_at = $6, snoozed_until = null, snooze_id = null, rung_at = null from slice s where i.id = s.id and s.is_meant
  returning i.id, i.position, s.first_read_at, s.snooze_id, s.rung_at, s.read_at is null as counted
), total as (
  select count(*) as marked, count(*) filter (where counted) as unread,
    case when count(*) > 100 then 1 else count(*) end as events
  from item
), changed as (
  update inboxes b set last_seq = b.last_seq + t.events, unread = b.unread - t.unread
  from total t where b.environment_id = $1 and b.external_user_id = $2 and t.marked > 0
  returning b.last_seq
), logged as (
  insert into inbox_events (environment_id, external_user_id, seq, type, item_id, occurred_at)
  select $1, $2, c.last_seq - t.events + e.place, e.type, e.id, $6
  from changed c, total t, lateral (
    select 'archived' as type, id, row_number() over (order by position) as place from item where t.marked = t.events
    union all
    select 'reset', null, 1 where t.marked <> t.events
  ) e
)
select t.marked::int, (select array_agg(id) from item where first_read_at is null) as first_read,
  (select array_agg(snooze_id) from item where snooze_id is not null) as snoozes,
  (select array_agg(id) from (
     select id from item where rung_at is not null order by position desc limit 500) newest) as rung,
  (select count(*) from slice)::int as scanned, (select position from slice order by position desc limit 1) as last
from total t;

-- inbox_mark_many_read (features/inbox/bulk-store.ts)
with slice as materialized (
  select id, position, first_read_at, read_at, snooze_id, rung_at, ($7::text is null or category = $7) and ($8::text is null or tags @> array[$8::text]) as is_meant from inbox_items i
  where environment_id = $1 and external_user_id = $2 and archived_at is null and read_at is null
    and (not $9::boolean or read_at is not null)
    and snoozed_until is null
    and position > $3 and ($5::timestamptz is null or coalesce(i.arrived_at,
    to_timestamp(('x' || left(replace(i.position::text, '-', ''), 12))::bit(48)::bigint / 1000.0)) < $5)
  order by position limit $4
), item as (
  update inbox_items i set read_at = $6, first_read_at = coalesce(i.first_read_at, $6), rung_at = null from slice s where i.id = s.id and s.is_meant
  returning i.id, i.position, s.first_read_at, s.snooze_id, s.rung_at, s.read_at is null as counted
), total as (
  select count(*) as marked, count(*) filter (where counted) as unread,
    case when count(*) > 100 then 1 else count(*) end as events
  from item
), changed as (
  update inboxes b set last_seq = b.last_seq + t.events, unread = b.unread - t.unread
  from total t where b.environment_id = $1 and b.external_user_id = $2 and t.marked > 0
  returning b.last_seq
), logged as (
  insert into inbox_events (environment_id, external_user_id, seq, type, item_id, occurred_at)
  select $1, $2, c.last_seq - t.events + e.place, e.type, e.id, $6
  from changed c, total t, lateral (
    select 'read' as type, id, row_number() over (order by position) as place from item where t.marked = t.events
    union all
    select 'reset', null, 1 where t.marked <> t.events
  ) e
)
select t.marked::int, (select array_agg(id) from item where first_read_at is null) as first_read,
  (select array_agg(snooze_id) from item where snooze_id is not null) as snoozes,
  (select array_agg(id) from (
     select id from item where rung_at is not null order by position desc limit 500) newest) as rung,
  (select count(*) from slice)::int as scanned, (select position from slice order by position desc limit 1) as last
from total t;

-- inbox_mark_many_read_by_id (features/inbox/bulk-store.ts)
with slice as materialized (
  select id, position, first_read_at, read_at, snooze_id, rung_at, ($7::text is null or category = $7) and ($8::text is null or tags @> array[$8::text]) as is_meant from inbox_items i
  where environment_id = $1 and external_user_id = $2 and archived_at is null and read_at is null
    and (not $9::boolean or read_at is not null)
    and id = any ($10::uuid[])
    and position > $3 and ($5::timestamptz is null or coalesce(i.arrived_at,
    to_timestamp(('x' || left(replace(i.position::text, '-', ''), 12))::bit(48)::bigint / 1000.0)) < $5)
  order by position limit $4
), item as (
  update inbox_items i set read_at = $6, first_read_at = coalesce(i.first_read_at, $6), rung_at = null from slice s where i.id = s.id and s.is_meant
  returning i.id, i.position, s.first_read_at, s.snooze_id, s.rung_at, s.read_at is null as counted
), total as (
  select count(*) as marked, count(*) filter (where counted) as unread,
    case when count(*) > 100 then 1 else count(*) end as events
  from item
), changed as (
  update inboxes b set last_seq = b.last_seq + t.events, unread = b.unread - t.unread
  from total t where b.environment_id = $1 and b.external_user_id = $2 and t.marked > 0
  returning b.last_seq
), logged as (
  insert into inbox_events (environment_id, external_user_id, seq, type, item_id, occurred_at)
  select $1, $2, c.last_seq - t.events + e.place, e.type, e.id, $6
  from changed c, total t, lateral (
    select 'read' as type, id, row_number() over (order by position) as place from item where t.marked = t.events
    union all
    select 'reset', null, 1 where t.marked <> t.events
  ) e
)
select t.marked::int, (select array_agg(id) from item where first_read_at is null) as first_read,
  (select array_agg(snooze_id) from item where snooze_id is not null) as snoozes,
  (select array_agg(id) from (
     select id from item where rung_at is not null order by position desc limit 500) newest) as rung,
  (select count(*) from slice)::int as scanned, (select position from slice order by position desc limit 1) as last
from total t;

-- inbox_insert_items (features/inbox/changes-store.ts)
with input as (
  select * from json_to_recordset($1::json) as (id uuid, environment_id uuid, external_user_id text, position uuid,
    subject text, html_body text, text_body text, action_url text, data jsonb, category text, tags text[], actions jsonb)
), inserted as (
  insert into inbox_items (id, environment_id, external_user_id, position, subject, html_body, text_body, action_url, data,
    category, tags, actions, bytes)
  select id, environment_id, external_user_id, position, subject, html_body, text_body, action_url, data, category, tags, actions,
    coalesce(octet_length(html_body), 0) + coalesce(octet_length(text_body), 0) + octet_length(data::text)
      + octet_length(actions::text)
  from input
  order by id -- everyone locks in this order: no deadlocks
  on conflict (id) do nothing -- whatever repeats a delivery, the item arrives once
  returning id, environment_id, external_user_id, position
), arriving as (
  select environment_id, external_user_id, count(*) as items from inserted group by 1, 2
), changed as (
  insert into inboxes as inbox (environment_id, external_user_id, unread, last_seq)
  select environment_id, external_user_id, items, (extract(epoch from clock_timestamp()) * 1000)::bigint + items
  from arriving
  order by 1, 2 -- here too
  on conflict (environment_id, external_user_id) do update set unread = inbox.unread + excluded.unread,
    last_seq = inbox.last_seq + excluded.unread
  returning environment_id, external_user_id, last_seq
)
insert into inbox_events (environment_id, external_user_id, seq, type, item_id, occurred_at)
select i.environment_id, i.external_user_id,
  c.last_seq - a.items + row_number() over (partition by i.environment_id, i.external_user_id order by i.position),
  'arrived', i.id, $2
from inserted i
join arriving a using (environment_id, external_user_id)
join changed c using (environment_id, external_user_id);

-- inbox_lock (features/inbox/changes-store.ts)
select from inboxes where environment_id = $1 and external_user_id = $2 for update;

-- inbox_mark_acted (features/inbox/changes-store.ts)
with target as (
  select * from inbox_items
  where id = $3 and environment_id = $1 and external_user_id = $2 and action_key is null
), item as (
  update inbox_items i set action_key = $5, action_at = $4, read_at = coalesce(i.read_at, $4), first_read_at = coalesce(i.first_read_at, $4),
  snoozed_until = null, snooze_id = null, rung_at = null from target t where i.id = t.id
  returning i.id, t.first_read_at, t.snooze_id, t.rung_at,
    (false)::int - (t.read_at is null and t.archived_at is null)::int as unread
), changed as (
  update inboxes b set last_seq = b.last_seq + 1, unread = b.unread + item.unread
  from item where b.environment_id = $1 and b.external_user_id = $2
  returning b.last_seq
), logged as (
  insert into inbox_events (environment_id, external_user_id, seq, type, item_id, occurred_at)
  select $1, $2, changed.last_seq, 'acted', item.id, $4 from changed, item
)
select first_read_at is null as first_read, snooze_id, rung_at is not null as rung from item;

-- inbox_mark_archived (features/inbox/changes-store.ts)
with target as (
  select * from inbox_items
  where id = $3 and environment_id = $1 and external_user_id = $2 and archived_at is null
), item as (
  update inbox_items i set archived_at = $4, snoozed_until = null, snooze_id = null, rung_at = null from target t where i.id = t.id
  returning i.id, t.first_read_at, t.snooze_id, t.rung_at,
    (false)::int - (t.read_at is null and t.archived_at is null)::int as unread
), changed as (
  update inboxes b set last_seq = b.last_seq + 1, unread = b.unread + item.unread
  from item where b.environment_id = $1 and b.external_user_id = $2
  returning b.last_seq
), logged as (
  insert into inbox_events (environment_id, external_user_id, seq, type, item_id, occurred_at)
  select $1, $2, changed.last_seq, 'archived', item.id, $4 from changed, item
)
select first_read_at is null as first_read, snooze_id, rung_at is not null as rung from item;

-- inbox_mark_read (features/inbox/changes-store.ts)
with target as (
  select * from inbox_items
  where id = $3 and environment_id = $1 and external_user_id = $2 and read_at is null
), item as (
  update inbox_items i set read_at = $4, first_read_at = coalesce(i.first_read_at, $4), rung_at = null from target t where i.id = t.id
  returning i.id, t.first_read_at, t.snooze_id, t.rung_at,
    (false)::int - (t.read_at is null and t.archived_at is null)::int as unread
), changed as (
  update inboxes b set last_seq = b.last_seq + 1, unread = b.unread + item.unread
  from item where b.environment_id = $1 and b.external_user_id = $2
  returning b.last_seq
), logged as (
  insert into inbox_events (environment_id, external_user_id, seq, type, item_id, occurred_at)
  select $1, $2, changed.last_seq, 'read', item.id, $4 from changed, item
)
select first_read_at is null as first_read, snooze_id, rung_at is not null as rung from item;

-- inbox_mark_returned (features/inbox/changes-store.ts)
with target as (
  select * from inbox_items
  where id = $3 and environment_id = $1 and external_user_id = $2 and snoozed_until is not null
), item as (
  update inbox_items i set snoozed_until = null, snooze_id = null, read_at = null, position = $5::uuid, arrived_at = coalesce(i.arrived_at,
    to_timestamp(('x' || left(replace(i.position::text, '-', ''), 12))::bit(48)::bigint / 1000.0)) from target t where i.id = t.id
  returning i.id, t.first_read_at, t.snooze_id, t.rung_at,
    (t.archived_at is null)::int - (t.read_at is null and t.archived_at is null)::int as unread
), changed as (
  update inboxes b set last_seq = b.last_seq + 1, unread = b.unread + item.unread
  from item where b.environment_id = $1 and b.external_user_id = $2
  returning b.last_seq
), logged as (
  insert into inbox_events (environment_id, external_user_id, seq, type, item_id, occurred_at)
  select $1, $2, changed.last_seq, 'returned', item.id, $4 from changed, item
)
select first_read_at is null as first_read, snooze_id, rung_at is not null as rung from item;

-- inbox_mark_snoozed (features/inbox/changes-store.ts)
with target as (
  select * from inbox_items
  where id = $3 and environment_id = $1 and external_user_id = $2 and true
), item as (
  update inbox_items i set snoozed_until = $5::timestamptz, snooze_id = $6::uuid, read_at = coalesce(i.read_at, $4), archived_at = null,
  rung_at = null from target t where i.id = t.id
  returning i.id, t.first_read_at, t.snooze_id, t.rung_at,
    (false)::int - (t.read_at is null and t.archived_at is null)::int as unread
), changed as (
  update inboxes b set last_seq = b.last_seq + 1, unread = b.unread + item.unread
  from item where b.environment_id = $1 and b.external_user_id = $2
  returning b.last_seq
), logged as (
  insert into inbox_events (environment_id, external_user_id, seq, type, item_id, occurred_at)
  select $1, $2, changed.last_seq, 'snoozed', item.id, $4 from changed, item
)
select first_read_at is null as first_read, snooze_id, rung_at is not null as rung from item;

-- inbox_mark_unread (features/inbox/changes-store.ts)
with target as (
  select * from inbox_items
  where id = $3 and environment_id = $1 and external_user_id = $2 and read_at is not null and snoozed_until is null
), item as (
  update inbox_items i set read_at = null from target t where i.id = t.id
  returning i.id, t.first_read_at, t.snooze_id, t.rung_at,
    (t.archived_at is null)::int - (t.read_at is null and t.archived_at is null)::int as unread
), changed as (
  update inboxes b set last_seq = b.last_seq + 1, unread = b.unread + item.unread
  from item where b.environment_id = $1 and b.external_user_id = $2
  returning b.last_seq
), logged as (
  insert into inbox_events (environment_id, external_user_id, seq, type, item_id, occurred_at)
  select $1, $2, changed.last_seq, 'unread', item.id, $4 from changed, item
)
select first_read_at is null as first_read, snooze_id, rung_at is not null as rung from item;

-- inbox_delete_empty (features/inbox/eraser.ts)
with gone as (
  delete from inboxes b
  where b.environment_id = $1 and b.external_user_id = any ($2::text[])
    and not exists ((select id from inbox_items where environment_id = $1 and external_user_id = b.external_user_id and archived_at is null limit 1) union all (select id from inbox_items where environment_id = $1 and external_user_id = b.external_user_id and archived_at is not null limit 1))
  returning b.external_user_id
), events as (
  delete from inbox_events e using gone g where e.environment_id = $1 and e.external_user_id = g.external_user_id
)
delete from inbox_tickets where environment_id = $1 and external_user_id = any ($2::text[]);

-- inbox_delete_items (features/inbox/eraser.ts)
with item as (
  delete from inbox_items i using unnest($1::uuid[], $2::uuid[]) as erased (environment_id, id)
  where i.id = erased.id and i.environment_id = erased.environment_id
  returning i.id, i.environment_id, i.external_user_id, i.read_at is null and i.archived_at is null as counted
), total as (
  select environment_id, external_user_id, count(*) as items, count(*) filter (where counted) as unread,
    case when count(*) > 100 then 1 else count(*) end as events
  from item group by 1, 2
), changed as (
  update inboxes b set last_seq = b.last_seq + t.events, unread = b.unread - t.unread
  from total t where b.environment_id = t.environment_id and b.external_user_id = t.external_user_id
  returning b.environment_id, b.external_user_id, b.last_seq, t.items, t.events
)
insert into inbox_events (environment_id, external_user_id, seq, type, item_id, occurred_at)
select c.environment_id, c.external_user_id, c.last_seq - c.events + e.place, e.type, e.id, $3
from changed c join (
  select environment_id, external_user_id, 'deleted' as type, id,
    row_number() over (partition by environment_id, external_user_id order by id) as place
  from item
  union all
  select environment_id, external_user_id, 'reset', null, 1 from total where items <> events
) e on e.environment_id = c.environment_id and e.external_user_id = c.external_user_id
  and (c.items = c.events or e.type = 'reset');

-- inbox_delete_slice (features/inbox/eraser.ts)
with item as (
  delete from inbox_items where id = any (array(
    select id from ((select id from inbox_items where environment_id = $1 and external_user_id = any ($2::text[]) and archived_at is null and id < $3 limit $4) union all (select id from inbox_items where environment_id = $1 and external_user_id = any ($2::text[]) and archived_at is not null and id < $3 limit $4)) theirs limit $4))
  returning external_user_id, read_at is null and archived_at is null as counted
), total as (
  select external_user_id, count(*) filter (where counted) as unread from item group by 1
), changed as (
  update inboxes b set unread = b.unread - t.unread, last_seq = b.last_seq + 1
  from total t where b.environment_id = $1 and b.external_user_id = t.external_user_id
  returning b.external_user_id, b.last_seq
), logged as (
  insert into inbox_events (environment_id, external_user_id, seq, type, item_id, occurred_at)
  select $1, external_user_id, last_seq, 'reset', null, now() from changed
)
select count(*)::int as deleted from item;

-- inbox_lock_of_person (features/inbox/eraser.ts)
select external_user_id from inboxes
where environment_id = $1
  and (external_user_id = $2 or lower(external_user_id) = any (array(select lower(alias) from unnest($3::text[]) alias)))
order by external_user_id for update;

-- inbox_lock_owners (features/inbox/eraser.ts)
select b.environment_id, b.external_user_id from inboxes b
join (select distinct i.environment_id, i.external_user_id from inbox_items i join unnest($1::uuid[], $2::uuid[]) as erased (environment_id, id)
    on i.id = erased.id and i.environment_id = erased.environment_id) owner
  on b.environment_id = owner.environment_id and b.external_user_id = owner.external_user_id
order by 1, 2 -- all transactions lock in this order, so there are no deadlocks
for update of b;

-- inbox_delete_old_events (features/inbox/events-store.ts)
with gone as (
  delete from inbox_events where ctid = any (array(
    select ctid from inbox_events where occurred_at < $1 order by occurred_at limit $2))
  returning 1)
select count(*)::int as count from gone;

-- inbox_insert_inboxes (features/inbox/events-store.ts)
insert into inboxes (environment_id, external_user_id)
select distinct environment_id, external_user_id from unnest($1::uuid[], $2::text[]) as o (environment_id, external_user_id)
order by 1, 2
on conflict do nothing;

-- inbox_list_news (features/inbox/events-store.ts)
select s.place::int, b.last_seq::float8, b.unread::float8, e.seq::float8, e.type, e.item_id, e.occurred_at, i.id, i.position, i.subject, i.html_body, i.text_body, i.action_url, i.data, i.read_at, i.category, i.tags, i.actions,
  i.action_key, i.action_at, i.snoozed_until, i.arrived_at
from unnest($1::uuid[], $2::text[], $3::bigint[]) with ordinality s (environment_id, external_user_id, last_seq, place)
join inboxes b on b.environment_id = s.environment_id and b.external_user_id = s.external_user_id
left join lateral (
  select *, sum(bytes) over (order by seq) - bytes as bytes_before from (
    select e.seq, e.type, e.item_id, e.occurred_at, coalesce(i.bytes, 0) as bytes
    from inbox_events e
    left join inbox_items i on i.id = e.item_id and e.type in ('arrived', 'returned', 'acted')
    where e.environment_id = s.environment_id and e.external_user_id = s.external_user_id and e.seq > s.last_seq
    order by e.seq limit 50
  ) page
) e on b.last_seq > s.last_seq and e.bytes_before < 65536
left join inbox_items i on i.id = e.item_id and e.type in ('arrived', 'returned', 'acted')
order by s.place, e.seq;

-- inbox_lock_owners_of_snoozed (features/inbox/return-job.ts)
select from inboxes b
join (
  select distinct i.environment_id, i.external_user_id from inbox_items i
  join unnest($1::uuid[], $2::uuid[]) as due (id, snooze_id) on i.id = due.id and i.snooze_id = due.snooze_id
) owner on b.environment_id = owner.environment_id and b.external_user_id = owner.external_user_id
order by b.environment_id, b.external_user_id -- all transactions lock in this order, so there are no deadlocks
for update of b;

-- inbox_return_items (features/inbox/return-job.ts)
with target as (
  -- The previous release archives without ending the snooze: such an item stays archived, and adds nothing.
  select i.id, i.read_at is null or i.archived_at is not null as counted, due.position
  from inbox_items i
  join unnest($1::uuid[], $2::uuid[], $3::uuid[]) as due (id, snooze_id, position)
    on i.id = due.id and i.snooze_id = due.snooze_id
), item as (
  update inbox_items i
  set snoozed_until = null, snooze_id = null, read_at = null, position = t.position, arrived_at = coalesce(i.arrived_at,
      to_timestamp(('x' || left(replace(i.position::text, '-', ''), 12))::bit(48)::bigint / 1000.0))
  from target t where i.id = t.id
  returning i.id, i.environment_id, i.external_user_id, i.position, i.category, t.counted
), total as (
  select environment_id, external_user_id, count(*) as items, count(*) filter (where not counted) as unread
  from item group by 1, 2
), changed as (
  update inboxes b set last_seq = b.last_seq + t.items, unread = b.unread + t.unread
  from total t where b.environment_id = t.environment_id and b.external_user_id = t.external_user_id
  returning b.environment_id, b.external_user_id, b.last_seq, t.items
), logged as (
  insert into inbox_events (environment_id, external_user_id, seq, type, item_id, occurred_at)
  select c.environment_id, c.external_user_id,
    c.last_seq - c.items + row_number() over (partition by i.environment_id, i.external_user_id order by i.position),
    'returned', i.id, $4
  from changed c
  join item i on i.environment_id = c.environment_id and i.external_user_id = c.external_user_id
)
select i.id, i.environment_id, i.external_user_id, i.category, n.template_version_id
from item i left join notification_contents n on n.notification_id = i.id;

-- inbox_count_snoozed (features/inbox/store.ts)
select count(*)::int as snoozed from (
  select from inbox_items where environment_id = $1 and external_user_id = $2 and snoozed_until is not null limit $3
) items;

-- inbox_count_tabs (features/inbox/store.ts)
with scanned as materialized (
  select category, tags from inbox_items
  where environment_id = $1 and external_user_id = $2 and read_at is null and archived_at is null
  order by position desc limit 1001
)
(select 'category' as kind, category as name, count(*)::int as unread from scanned where category is not null
 group by category order by 3 desc, 2 limit 200)
union all
(select 'tag', tag, count(*)::int from scanned, unnest(tags) as tag group by tag order by 3 desc, 2 limit 200)
union all
select 'scanned', '', count(*)::int from scanned;

-- inbox_feed_all (features/inbox/store.ts)
with scanned as materialized (
    select id, position, bytes, category, tags from inbox_items
    where environment_id = $1 and external_user_id = $2 and archived_at is null and snoozed_until is null
      and position < coalesce($3::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    order by position desc limit $4 + 1
), page as (
  select i.id, i.position, sum(i.bytes) over (order by i.position desc) - i.bytes as bytes_before,
    row_number() over (order by i.position desc) as place
  from (select * from scanned  order by position desc limit $4 + 1) i
)
select coalesce(b.unread, 0)::float8 as unread, (select count(*) from page)::int as found, null::uuid as scanned_to,
  i.id, i.position, i.subject, i.html_body, i.text_body, i.action_url, i.data, i.read_at, i.category, i.tags, i.actions,
i.action_key, i.action_at, i.snoozed_until, i.arrived_at
from (select) one
left join inboxes b on b.environment_id = $1 and b.external_user_id = $2
left join (page p join inbox_items i on i.id = p.id and p.place <= $4 and p.bytes_before < 2000000) on true
order by i.position desc;

-- inbox_feed_all_of_tab (features/inbox/store.ts)
with scanned as materialized (
    select id, position, bytes, category, tags from inbox_items
    where environment_id = $1 and external_user_id = $2 and archived_at is null and snoozed_until is null
      and position < coalesce($3::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    order by position desc limit 1000
), page as (
  select i.id, i.position, sum(i.bytes) over (order by i.position desc) - i.bytes as bytes_before,
    row_number() over (order by i.position desc) as place
  from (select * from scanned where ($5::text is null or category = $5) and ($6::text is null or tags @> array[$6::text]) order by position desc limit $4 + 1) i
)
select coalesce(b.unread, 0)::float8 as unread, (select count(*) from page)::int as found, (select min(position::text)::uuid from scanned having count(*) = 1000) as scanned_to,
  i.id, i.position, i.subject, i.html_body, i.text_body, i.action_url, i.data, i.read_at, i.category, i.tags, i.actions,
i.action_key, i.action_at, i.snoozed_until, i.arrived_at
from (select) one
left join inboxes b on b.environment_id = $1 and b.external_user_id = $2
left join (page p join inbox_items i on i.id = p.id and p.place <= $4 and p.bytes_before < 2000000) on true
order by i.position desc;

-- inbox_feed_read (features/inbox/store.ts)
with scanned as materialized (
    select id, position, bytes, category, tags from inbox_items
    where environment_id = $1 and external_user_id = $2 and archived_at is null and read_at is not null and snoozed_until is null
      and position < coalesce($3::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    order by position desc limit $4 + 1
), page as (
  select i.id, i.position, sum(i.bytes) over (order by i.position desc) - i.bytes as bytes_before,
    row_number() over (order by i.position desc) as place
  from (select * from scanned  order by position desc limit $4 + 1) i
)
select coalesce(b.unread, 0)::float8 as unread, (select count(*) from page)::int as found, null::uuid as scanned_to,
  i.id, i.position, i.subject, i.html_body, i.text_body, i.action_url, i.data, i.read_at, i.category, i.tags, i.actions,
i.action_key, i.action_at, i.snoozed_until, i.arrived_at
from (select) one
left join inboxes b on b.environment_id = $1 and b.external_user_id = $2
left join (page p join inbox_items i on i.id = p.id and p.place <= $4 and p.bytes_before < 2000000) on true
order by i.position desc;

-- inbox_feed_read_of_tab (features/inbox/store.ts)
with scanned as materialized (
    select id, position, bytes, category, tags from inbox_items
    where environment_id = $1 and external_user_id = $2 and archived_at is null and read_at is not null and snoozed_until is null
      and position < coalesce($3::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    order by position desc limit 1000
), page as (
  select i.id, i.position, sum(i.bytes) over (order by i.position desc) - i.bytes as bytes_before,
    row_number() over (order by i.position desc) as place
  from (select * from scanned where ($5::text is null or category = $5) and ($6::text is null or tags @> array[$6::text]) order by position desc limit $4 + 1) i
)
select coalesce(b.unread, 0)::float8 as unread, (select count(*) from page)::int as found, (select min(position::text)::uuid from scanned having count(*) = 1000) as scanned_to,
  i.id, i.position, i.subject, i.html_body, i.text_body, i.action_url, i.data, i.read_at, i.category, i.tags, i.actions,
i.action_key, i.action_at, i.snoozed_until, i.arrived_at
from (select) one
left join inboxes b on b.environment_id = $1 and b.external_user_id = $2
left join (page p join inbox_items i on i.id = p.id and p.place <= $4 and p.bytes_before < 2000000) on true
order by i.position desc;

-- inbox_feed_snoozed (features/inbox/store.ts)
with scanned as materialized (
    select id, position, bytes, category, tags from inbox_items
    where environment_id = $1 and external_user_id = $2 and archived_at is null and snoozed_until is not null
      and position < coalesce($3::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    order by position desc limit $4 + 1
), page as (
  select i.id, i.position, sum(i.bytes) over (order by i.position desc) - i.bytes as bytes_before,
    row_number() over (order by i.position desc) as place
  from (select * from scanned  order by position desc limit $4 + 1) i
)
select coalesce(b.unread, 0)::float8 as unread, (select count(*) from page)::int as found, null::uuid as scanned_to,
  i.id, i.position, i.subject, i.html_body, i.text_body, i.action_url, i.data, i.read_at, i.category, i.tags, i.actions,
i.action_key, i.action_at, i.snoozed_until, i.arrived_at
from (select) one
left join inboxes b on b.environment_id = $1 and b.external_user_id = $2
left join (page p join inbox_items i on i.id = p.id and p.place <= $4 and p.bytes_before < 2000000) on true
order by i.position desc;

-- inbox_feed_snoozed_of_tab (features/inbox/store.ts)
with scanned as materialized (
    select id, position, bytes, category, tags from inbox_items
    where environment_id = $1 and external_user_id = $2 and archived_at is null and snoozed_until is not null
      and position < coalesce($3::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    order by position desc limit 1000
), page as (
  select i.id, i.position, sum(i.bytes) over (order by i.position desc) - i.bytes as bytes_before,
    row_number() over (order by i.position desc) as place
  from (select * from scanned where ($5::text is null or category = $5) and ($6::text is null or tags @> array[$6::text]) order by position desc limit $4 + 1) i
)
select coalesce(b.unread, 0)::float8 as unread, (select count(*) from page)::int as found, (select min(position::text)::uuid from scanned having count(*) = 1000) as scanned_to,
  i.id, i.position, i.subject, i.html_body, i.text_body, i.action_url, i.data, i.read_at, i.category, i.tags, i.actions,
i.action_key, i.action_at, i.snoozed_until, i.arrived_at
from (select) one
left join inboxes b on b.environment_id = $1 and b.external_user_id = $2
left join (page p join inbox_items i on i.id = p.id and p.place <= $4 and p.bytes_before < 2000000) on true
order by i.position desc;

-- inbox_feed_unread (features/inbox/store.ts)
with scanned as materialized (
    select id, position, bytes, category, tags from inbox_items
    where environment_id = $1 and external_user_id = $2 and archived_at is null and read_at is null
      and position < coalesce($3::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    order by position desc limit $4 + 1
), page as (
  select i.id, i.position, sum(i.bytes) over (order by i.position desc) - i.bytes as bytes_before,
    row_number() over (order by i.position desc) as place
  from (select * from scanned  order by position desc limit $4 + 1) i
)
select coalesce(b.unread, 0)::float8 as unread, (select count(*) from page)::int as found, null::uuid as scanned_to,
  i.id, i.position, i.subject, i.html_body, i.text_body, i.action_url, i.data, i.read_at, i.category, i.tags, i.actions,
i.action_key, i.action_at, i.snoozed_until, i.arrived_at
from (select) one
left join inboxes b on b.environment_id = $1 and b.external_user_id = $2
left join (page p join inbox_items i on i.id = p.id and p.place <= $4 and p.bytes_before < 2000000) on true
order by i.position desc;

-- inbox_feed_unread_of_tab (features/inbox/store.ts)
with scanned as materialized (
    select id, position, bytes, category, tags from inbox_items
    where environment_id = $1 and external_user_id = $2 and archived_at is null and read_at is null
      and position < coalesce($3::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    order by position desc limit 1000
), page as (
  select i.id, i.position, sum(i.bytes) over (order by i.position desc) - i.bytes as bytes_before,
    row_number() over (order by i.position desc) as place
  from (select * from scanned where ($5::text is null or category = $5) and ($6::text is null or tags @> array[$6::text]) order by position desc limit $4 + 1) i
)
select coalesce(b.unread, 0)::float8 as unread, (select count(*) from page)::int as found, (select min(position::text)::uuid from scanned having count(*) = 1000) as scanned_to,
  i.id, i.position, i.subject, i.html_body, i.text_body, i.action_url, i.data, i.read_at, i.category, i.tags, i.actions,
i.action_key, i.action_at, i.snoozed_until, i.arrived_at
from (select) one
left join inboxes b on b.environment_id = $1 and b.external_user_id = $2
left join (page p join inbox_items i on i.id = p.id and p.place <= $4 and p.bytes_before < 2000000) on true
order by i.position desc;

-- inbox_find_item (features/inbox/store.ts)
select i.id, i.position, i.subject, i.html_body, i.text_body, i.action_url, i.data, i.read_at, i.category, i.tags, i.actions,
i.action_key, i.action_at, i.snoozed_until, i.arrived_at from inbox_items i where i.id = $3 and i.environment_id = $1 and i.external_user_id = $2;

-- inbox_find_unread (features/inbox/store.ts)
select unread::float8 from inboxes where environment_id = $1 and external_user_id = $2;

-- inbox_keys_delete_retired (features/inbox/tokens-store.ts)
delete from inbox_keys where retires_at < $1;

-- inbox_keys_insert (features/inbox/tokens-store.ts)
insert into inbox_keys (id, environment_id, sealed_key) values ($1, $2, $3);

-- inbox_keys_list (features/inbox/tokens-store.ts)
select k.id, k.sealed_key, k.retires_at, e.organization_id, m.state as move, m.moved_to
from inbox_keys k join environments e on e.id = k.environment_id
  left join organization_moves m on m.organization_id = e.organization_id
where k.environment_id = $1 and (k.retires_at is null or k.retires_at > $2)
order by k.retires_at desc nulls first;

-- inbox_keys_retire (features/inbox/tokens-store.ts)
update inbox_keys set retires_at = least(retires_at, $2) where environment_id = $1;

-- inbox_tickets_delete_expired (features/inbox/tokens-store.ts)
delete from inbox_tickets where expires_at < $1;

-- inbox_tickets_insert (features/inbox/tokens-store.ts)
insert into inbox_tickets (ticket_hash, environment_id, external_user_id, token_expires_at, expires_at)
values ($1, $2, $3, $4, $5);

-- inbox_tickets_take (features/inbox/tokens-store.ts)
delete from inbox_tickets t using environments e
where t.ticket_hash = $1 and t.expires_at > $2 and e.id = t.environment_id
returning t.environment_id, e.organization_id, t.external_user_id, t.token_expires_at;

-- activity_add (features/insight/activity/store.ts)
with calls as (
  insert into webhook_activity as w (environment_id, endpoint_id, slot, succeeded, failed, latency)
  select environment_id, endpoint_id, to_timestamp(slot / 1000), succeeded, failed, latency
  from json_to_recordset($2::json)
    as (environment_id uuid, endpoint_id uuid, slot float8, succeeded int, failed int, latency int[])
  order by 2, 3
  on conflict (endpoint_id, slot) do update set succeeded = w.succeeded + excluded.succeeded,
    failed = w.failed + excluded.failed, latency = array(select coalesce(a, 0) + coalesce(b, 0) from unnest(w.latency, excluded.latency) as both_of (a, b))
), triggers as (
  insert into workflow_activity as t (workflow_id, slot, triggered)
  select workflow_id, to_timestamp(slot / 1000), triggered
  from json_to_recordset($3::json) as (workflow_id uuid, slot float8, triggered int)
  order by 1, 2
  on conflict (workflow_id, slot) do update set triggered = t.triggered + excluded.triggered
)
insert into activity as n (environment_id, step, at, channel, accepted, sent, delivered, failed, suppressed, bounced, complained, retried, latency)
select environment_id, step, to_timestamp(at / 1000), channel, accepted, sent, delivered, failed, suppressed, bounced, complained, retried, latency
from json_to_recordset($1::json) as (environment_id uuid, step smallint, at float8, channel text,
  accepted int, sent int, delivered int, failed int, suppressed int, bounced int, complained int, retried int, latency int[])
order by 1, 2, 3, 4
on conflict (environment_id, step, at, channel) do update set
  accepted = n.accepted + excluded.accepted, sent = n.sent + excluded.sent, delivered = n.delivered + excluded.delivered, failed = n.failed + excluded.failed, suppressed = n.suppressed + excluded.suppressed, bounced = n.bounced + excluded.bounced, complained = n.complained + excluded.complained, retried = n.retried + excluded.retried,
  latency = case when excluded.latency is null then n.latency else array(select coalesce(a, 0) + coalesce(b, 0) from unnest(n.latency, excluded.latency) as both_of (a, b)) end;

-- activity_delete_before (features/insight/activity/store.ts)
with gone as (
  delete from activity where ctid = any (array(
    select ctid from activity where step = $1 and at < $2 order by at limit $3)) returning 1)
select count(*)::int as count from gone;

-- activity_delete_calls_before (features/insight/activity/store.ts)
with gone as (
  delete from webhook_activity where ctid = any (array(
    select ctid from webhook_activity where slot < $1 order by slot limit $2)) returning 1)
select count(*)::int as count from gone;

-- activity_delete_triggers_before (features/insight/activity/store.ts)
with gone as (
  delete from workflow_activity where ctid = any (array(
    select ctid from workflow_activity where slot < $1 order by slot limit $2)) returning 1)
select count(*)::int as count from gone;

-- activity_list_called (features/insight/activity/store.ts)
with counted as materialized (
  select endpoint_id, slot, succeeded, failed from webhook_activity
  where environment_id = $1 and slot >= $2 and slot < $3 order by slot desc limit 50000
), extent as (select case when count(*) = 50000 then min(slot) end as since from counted)
select e.id, e.url || case when e.sealed_query is null then '' else '?••••' end as url, e.description, e.status, extent.since, sum(c.succeeded)::float8 as succeeded,
  sum(c.failed)::float8 as failed
from counted c join webhook_endpoints e on e.id = c.endpoint_id and e.environment_id = $1, extent
group by e.id, extent.since
order by sum(c.failed) desc, sum(c.succeeded) desc, e.id limit $4;

-- activity_sum (features/insight/activity/store.ts)
with counted as materialized (
  select * from activity where environment_id = $1 and step = $5 and at >= $2 and at < $3
)
select (extract(epoch from date_bin(make_interval(secs => $4), at, 'epoch')) * 1000)::float8 as at, channel, sum(accepted)::float8 as accepted, sum(sent)::float8 as sent, sum(delivered)::float8 as delivered, sum(failed)::float8 as failed, sum(suppressed)::float8 as suppressed, sum(bounced)::float8 as bounced, sum(complained)::float8 as complained, sum(retried)::float8 as retried, null::float8[] as latency from counted group by 1, 2
union all
select 0, '', sum(accepted)::float8 as accepted, sum(sent)::float8 as sent, sum(delivered)::float8 as delivered, sum(failed)::float8 as failed, sum(suppressed)::float8 as suppressed, sum(bounced)::float8 as bounced, sum(complained)::float8 as complained, sum(retried)::float8 as retried, array[coalesce(sum(latency[1]), 0), coalesce(sum(latency[2]), 0), coalesce(sum(latency[3]), 0), coalesce(sum(latency[4]), 0), coalesce(sum(latency[5]), 0), coalesce(sum(latency[6]), 0), coalesce(sum(latency[7]), 0), coalesce(sum(latency[8]), 0), coalesce(sum(latency[9]), 0), coalesce(sum(latency[10]), 0), coalesce(sum(latency[11]), 0), coalesce(sum(latency[12]), 0), coalesce(sum(latency[13]), 0), coalesce(sum(latency[14]), 0), coalesce(sum(latency[15]), 0), coalesce(sum(latency[16]), 0), coalesce(sum(latency[17]), 0), coalesce(sum(latency[18]), 0), coalesce(sum(latency[19]), 0), coalesce(sum(latency[20]), 0), coalesce(sum(latency[21]), 0), coalesce(sum(latency[22]), 0), coalesce(sum(latency[23]), 0)]::float8[] as latency from counted;

-- activity_sum_calls (features/insight/activity/store.ts)
select (extract(epoch from date_bin(make_interval(secs => $4), slot, 'epoch')) * 1000)::float8 as at, sum(succeeded)::float8 as succeeded, sum(failed)::float8 as failed, array[coalesce(sum(latency[1]), 0), coalesce(sum(latency[2]), 0), coalesce(sum(latency[3]), 0), coalesce(sum(latency[4]), 0), coalesce(sum(latency[5]), 0), coalesce(sum(latency[6]), 0), coalesce(sum(latency[7]), 0), coalesce(sum(latency[8]), 0), coalesce(sum(latency[9]), 0), coalesce(sum(latency[10]), 0), coalesce(sum(latency[11]), 0), coalesce(sum(latency[12]), 0), coalesce(sum(latency[13]), 0), coalesce(sum(latency[14]), 0), coalesce(sum(latency[15]), 0), coalesce(sum(latency[16]), 0), coalesce(sum(latency[17]), 0), coalesce(sum(latency[18]), 0), coalesce(sum(latency[19]), 0), coalesce(sum(latency[20]), 0), coalesce(sum(latency[21]), 0), coalesce(sum(latency[22]), 0), coalesce(sum(latency[23]), 0)]::float8[] as latency
from webhook_activity where endpoint_id = $1 and slot >= $2 and slot < $3
group by 1;

-- notifications_list_for_events (features/notifications/notifications/announce.ts)
select n.id, n.environment_id, n.channel, n.status, n.priority, n.address, n.recipient_name, n.external_user_id, n.category, n.template_key, n.idempotency_key, n.action_url, n.resent_from, n.connection_id, n.source_id, n.chain, n.broadcast_id, n.attempt_count, n.round, n.send_at, n.sent_at, n.suppression_reason, n.last_error, n.events, n.trace, n.history, c.subject, null as html_body, null as text_body, c.template_data, c.from_name, c.reply_to, c.inbox_extras, c.attachments,
  null as leased_at, case n.status
   when 'queued' then case when starts_with(later.waits_for, 'hold:') then 'held' when starts_with(later.waits_for, 'broadcast:') then 'paused' when n.send_at > now() then 'scheduled' when starts_with(later.waits_for, 'quiet_hours') then 'quiet_hours' when later.note ? 'waiting' then 'throttled' when later.note ?| array['due', 'objects'] then 'retrying' end
   when 'suppressed' then case when n.suppression_reason in ('cancelled', 'held_cancelled', 'broadcast_cancelled') then 'cancelled' when n.suppression_reason in ('held_expired') then 'held_expired' when n.suppression_reason in ('expired') then 'expired' end end as status_detail,
 case when n.status = 'queued' and starts_with(later.waits_for, 'hold:') then later.run_at end as held_until, null as body_object,
  c.attachments is not null
   and not exists (select from attachment_bytes b where b.notification_id = n.id)
   and not exists (select from stored_objects o
     where o.notification_id = n.id and o.position is not null and o.state = 'stored') as attachments_purged
from notifications n join notification_contents c on c.notification_id = n.id left join queue_later later on later.id = n.id and later.kind = 1
where n.id = any ($1::uuid[]);

-- notifications_list_of_person (features/notifications/notifications/eraser.ts)
with named as materialized (
  select id from notifications
  where environment_id = $1 and external_user_id = $2 and id < $5 and id > $6 order by id limit $7
), addressed as (
  select found.id from (select distinct lower(theirs) as address from unnest($3::text[]) theirs) of_person
  cross join lateral (
    select id from notifications
    where environment_id = $1 and lower(address) = of_person.address
      and case channel
        when 'in_app' then lower(address) = any (array(select lower(alias) from unnest($4::text[]) alias))
        when 'email' then external_user_id is null
        else external_user_id is null and address = any ($3::text[])
      end
      and id < $5 and id > $6 and id <= coalesce((select id from named order by id offset $7 - 1), $5)
    order by id limit $7) found
), slice as materialized (
  select id from named union select id from addressed order by id limit $7
)
select n.id, n.status = 'queued' as is_queued from slice join notifications n on n.id = slice.id order by n.id;

-- notifications_lock_ended (features/notifications/notifications/eraser.ts)
select id, environment_id, channel from notifications
where id > $1 and id < $2 and status <> 'queued' and coalesce(send_at < $3, true)
order by id limit $4
for update skip locked;

-- notifications_redact (features/notifications/notifications/eraser.ts)
with contents as (
  update notification_contents
  set subject = null, html_body = null, text_body = null, template_data = '{}', from_name = null, reply_to = null,
    attachments = null, inbox_extras = null, structured = null, text_alternative = null, body_object = null
  where notification_id = any ($1::uuid[])
)
update notifications n
set address = null, recipient_name = null, external_user_id = null, idempotency_key = null, action_url = null,
  last_error = null,
  events = (select coalesce(jsonb_agg(entry || '{"detail": null}' order by place), '[]')
            from jsonb_array_elements(n.events) with ordinality as e (entry, place)),
  trace = (select coalesce(jsonb_agg(case
             when entry ->> 'kind' = 'attempt'
               then (entry - 'exchange') || '{"detail": null, "provider_message_id": null}'
             when entry ? 'detail' then entry || '{"detail": null}'
             else entry end order by place), '[]')
           from jsonb_array_elements(n.trace) with ordinality as t (entry, place)),
  history = (select string_agg(entry::text, ',' order by place) from (
    select place, case
      when jsonb_typeof(entry -> 0) = 'number' then jsonb_set(entry, '{2}', 'null', false)
      when entry ->> 0 = 'p' then entry
      when entry ->> 0 in ('g', 'd') then jsonb_set(entry, '{4}', 'null', false)
      when entry ->> 0 = 'a' then jsonb_set(jsonb_set(entry, '{5}', 'null', false), '{7}', 'null', false) - 9
      when entry ->> 0 = 'e' then jsonb_set(entry, '{1,detail}', 'null', false)
    end as entry
    from jsonb_array_elements(('[' || n.history || ']')::jsonb) with ordinality as h (entry, place)) as redacted)
where n.id = any ($1::uuid[]) and n.environment_id = $2;

-- notifications_count_backlog (features/notifications/notifications/overview-store.ts)
with
 queue_first as materialized (
   select r.id, r.environment_id, l.lane, r.tag
   from unnest(array[0,1,2]) as l (lane) cross join lateral (
     select id, environment_id, tag from queue_ready
     where kind = 1 and lane = l.lane order by tag limit 10000) r
 ),
 queue_aside as materialized (
   select id, environment_id, lane from queue_parked
   where kind = 1 order by place, lane, id limit 10000
 ),
 queue_soon as materialized (
   select id, environment_id, kind, run_at from queue_later order by run_at limit 10000
 ),
 queue_waiting as (
   select id, row_number() over (partition by lane order by tag) <= 100 as is_next
   from queue_first where environment_id = $1
   union all
   select id, row_number() over (order by id) <= 100 from queue_aside where environment_id = $1
   union all
   select id, true from queue_soon where kind = 1 and environment_id = $1 and run_at <= now()
 ),
 queue_counts as (
   select (select count(*) from queue_waiting)::int as waiting,
     (select count(*) from queue_soon
      where kind = 1 and environment_id = $1 and run_at > now())::int as later,
     (select coalesce(max(number), 0) >= 10000 from (
        select count(*) as number from queue_first group by lane
        union all select count(*) from queue_aside
        union all select count(*) from queue_soon) as numbers) as is_capped
 )
select waiting, later, is_capped,
  (select json_agg(json_build_object('id', n.id, 'send_at', n.send_at))
   from queue_waiting q join notifications n on n.id = q.id where q.is_next and n.history is null and n.trace = '[]') as untouched
from queue_counts;

-- notifications_list_missed (features/notifications/notifications/overview-store.ts)
select n.id, n.channel, n.status, coalesce(n.suppression_reason, n.last_error) as reason
from (select id from ((select id from notification_rare_statuses
 where environment_id = $1 and status = 'failed' and id >= $2 order by id desc limit $3) union all (select id from notification_rare_statuses
 where environment_id = $1 and status = 'bounced' and id >= $2 order by id desc limit $3) union all (select id from notification_rare_statuses
 where environment_id = $1 and status = 'suppressed' and id >= $2 order by id desc limit $3)) as newest
  order by id desc limit $3) as missed
join notifications n on n.id = missed.id
order by n.id desc;

-- notifications_list_old_bytes (features/notifications/notifications/purge.ts)
(select distinct notification_id as id from attachment_bytes where notification_id < $1::uuid order by 1 limit $2)
union
(select distinct notification_id from stored_objects
 where notification_id < $1::uuid and position is not null and state = 'stored' order by 1 limit $2)
order by 1 limit $2;

-- notifications_purge_bytes (features/notifications/notifications/purge.ts)
with deleted as (
  delete from attachment_bytes where notification_id = any ($1::uuid[])
  returning notification_id, position, octet_length(bytes) as size_bytes, sha256(bytes) as sha256),
released as (update stored_objects set state = 'unused', delete_at = now()
where notification_id = any ($1::uuid[]) and state = 'stored' and (position is not null or $2)
returning notification_id, position, size_bytes, sha256),
purged as (
  select notification_id, position, size_bytes, encode(sha256, 'hex') as sha256
  from (select * from deleted union all select * from released where position is not null) as files)
select p.notification_id, n.environment_id, e.organization_id,
  json_agg(json_build_object(
    'filename', c.attachments -> p.position::int ->> 'filename',
    'content_type', c.attachments -> p.position::int ->> 'content_type',
    'size_bytes', p.size_bytes, 'sha256', p.sha256) order by p.position) as files
from purged p
join notifications n on n.id = p.notification_id
join notification_contents c on c.notification_id = p.notification_id
join environments e on e.id = n.environment_id
group by 1, 2, 3;

-- notifications_cancel (features/notifications/notifications/store.ts)
update notifications n set
  status = 'suppressed', suppression_reason = 'cancelled', history = concat_ws(',', n.history, $3::text)
from notification_contents c
where n.environment_id = $1 and n.id = any ($2::uuid[]) and n.status = 'queued' and c.notification_id = n.id
returning n.id, n.channel, c.attachments is not null as has_attachments;

-- notifications_delete (features/notifications/notifications/store.ts)
with deleted as (
  delete from notifications n using unnest($1::uuid[], $2::uuid[]) as erased (environment_id, id)
  where n.id = erased.id and n.environment_id = erased.environment_id
  returning n.id)
delete from notification_contents c using deleted where c.notification_id = deleted.id;

-- notifications_find (features/notifications/notifications/store.ts)
select n.id, n.environment_id, n.channel, n.status, n.priority, n.address, n.recipient_name, n.external_user_id, n.category, n.template_key, n.idempotency_key, n.action_url, n.resent_from, n.connection_id, n.source_id, n.chain, n.broadcast_id, n.attempt_count, n.round, n.send_at, n.sent_at, n.suppression_reason, n.last_error, n.events, n.trace, n.history, c.subject, c.html_body, c.text_body, c.template_data, c.from_name, c.reply_to, c.inbox_extras,
  c.attachments, c.template_version_id, c.inline_format, c.template_locale, c.structured, c.rendered_at, c.body_object, lease.leased_at, case n.status
    when 'queued' then case when starts_with(later.waits_for, 'hold:') then 'held' when starts_with(later.waits_for, 'broadcast:') then 'paused' when n.send_at > now() then 'scheduled' when starts_with(later.waits_for, 'quiet_hours') then 'quiet_hours' when later.note ? 'waiting' then 'throttled' when later.note ?| array['due', 'objects'] then 'retrying' end
    when 'suppressed' then case when n.suppression_reason in ('cancelled', 'held_cancelled', 'broadcast_cancelled') then 'cancelled' when n.suppression_reason in ('held_expired') then 'held_expired' when n.suppression_reason in ('expired') then 'expired' end end as status_detail,
  case when n.status = 'queued' and starts_with(later.waits_for, 'hold:') then later.run_at end as held_until,
  c.attachments is not null
    and not exists (select from attachment_bytes b where b.notification_id = n.id)
    and not exists (select from stored_objects o
      where o.notification_id = n.id and o.position is not null and o.state = 'stored') as attachments_purged
from notifications n
join notification_contents c on c.notification_id = n.id
left join queue_leased lease on lease.id = n.id and lease.kind = 1 left join queue_later later on later.id = n.id and later.kind = 1 where n.id = $1 and n.environment_id = $2;

-- notifications_find_originals (features/notifications/notifications/store.ts)
select n.id, n.environment_id, n.channel, n.status, n.priority, n.address, n.recipient_name, n.external_user_id, n.category,
  n.template_key, n.idempotency_key, n.action_url, n.resent_from, n.connection_id, n.source_id, n.chain, n.attempt_count, n.round,
  n.send_at, n.sent_at, n.suppression_reason, n.last_error, '[]'::jsonb as events, '[]'::jsonb as trace, c.subject, c.html_body, c.text_body, c.template_data, c.from_name, c.reply_to, c.inbox_extras,
 c.attachments, c.template_version_id, c.inline_format, c.template_locale, c.structured, c.rendered_at, c.body_object,
  null::timestamptz as leased_at, null as status_detail, null::timestamptz as held_until, c.attachments is not null
   and not exists (select from attachment_bytes b where b.notification_id = n.id)
   and not exists (select from stored_objects o
     where o.notification_id = n.id and o.position is not null and o.state = 'stored') as attachments_purged
from notifications n
join notification_contents c on c.notification_id = n.id
where n.id = any ($1::uuid[]) and n.environment_id = $2;

-- notifications_list_attachment_pieces (features/notifications/notifications/store.ts)
select position, start, substr(bytes, start + 1, $2::int) as bytes
from attachment_bytes, generate_series(0, greatest(octet_length(bytes) - 1, 0), $2::int) as start
where notification_id = $1;

-- notifications_list_content_sizes (features/notifications/notifications/store.ts)
select c.notification_id as id,
  (coalesce(octet_length(c.html_body), 0) + coalesce(octet_length(c.text_body), 0) + octet_length(c.template_data::text)
    + coalesce(octet_length(c.structured::text), 0)
    + coalesce((select o.size_bytes from stored_objects o where o.id = c.body_object), 0))::float8 as bytes
from notification_contents c where c.notification_id = any ($1::uuid[]);

-- notifications_list_statuses (features/notifications/notifications/store.ts)
select id, status, last_error, suppression_reason from notifications where id = any ($1::uuid[]);

-- notifications_lock (features/notifications/notifications/store.ts)
select from notifications where environment_id = $1 and id = any ($2::uuid[]) order by id for no key update;

-- notifications_mark_redriven (features/notifications/notifications/store.ts)
update notifications n set history = concat_ws(',', n.history, i.history::text)
from json_to_recordset($2::json) as i (id uuid, history text)
where n.environment_id = $1 and n.id = i.id and n.status in ('failed', 'bounced')
  and not (readable_history(n.id, n.resent_from, '[]', n.trace, n.history) -> 'trace') @> '[{"kind": "decision", "name": "redriven"}]'
returning n.id;

-- notifications_update_content (features/notifications/notifications/store.ts)
with c as (
  update notification_contents
  set subject = $2, html_body = $3, text_body = $4, template_data = $5, inline_format = $9, structured = $10, rendered_at = $11,
    text_alternative = null, body_object = null, inbox_extras = $8
  where notification_id = $1)
update notifications set action_url = $6, send_at = $7 where id = $1;

-- notifications_insert (features/notifications/notifications/write.ts)
with input as materialized (
  select id::uuid, environment_id::uuid, channel, status, priority, address, recipient_name, external_user_id, category, template_key, idempotency_key, action_url, resent_from::uuid, connection_id::uuid, source_id::uuid, chain, send_at::timestamptz, subject, html_body, text_body, template_data::jsonb, from_name, reply_to, inbox_extras::jsonb, attachments::jsonb, template_version_id::uuid, inline_format, template_locale, structured::json, rendered_at::timestamptz, lane::smallint, operation, body_hash, organization_id::uuid, month::date, is_pair::boolean, tag
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[], $21::text[], $22::text[], $23::text[], $24::text[], $25::text[], $26::text[], $27::text[], $28::text[], $29::text[], $30::text[], $31::text[], $32::text[], $33::text[], $34::text[], $35::text[], $36::text[], $37::bigint[])
    as given (id, environment_id, channel, status, priority, address, recipient_name, external_user_id, category, template_key, idempotency_key, action_url, resent_from, connection_id, source_id, chain, send_at, subject, html_body, text_body, template_data, from_name, reply_to, inbox_extras, attachments, template_version_id, inline_format, template_locale, structured, rendered_at, lane, operation, body_hash, organization_id, month, is_pair, tag)
),

fresh as (
insert into idempotency_claims as known (key_hash, environment_id, body_hash, resource_id)
select idempotency_hash(environment_id, operation, key), environment_id, left(body_hash, 32)::uuid, resource_id from (select *, idempotency_key as key, id as resource_id from input where operation is not null) claims
-- everyone locks in this order: no deadlocks
order by 1
on conflict (key_hash) do update
  set body_hash = excluded.body_hash, resource_id = excluded.resource_id, created_at = now()
  where known.created_at < now() - interval '24 hours'
returning resource_id),
taken as materialized (
  select * from input where operation is null or id in (select resource_id from fresh)
),

 queue_postponed as (
   insert into queue_later (kind, id, lane, environment_id, run_at)
   select 1, id, lane, environment_id, run_at from (select id, lane, environment_id, send_at as run_at, tag from taken) work where run_at is not null
 ),

 queue_source as (select 1::smallint as kind, id, lane, environment_id, null::jsonb as note, tag from (select id, lane, environment_id, send_at as run_at, tag from taken) work where run_at is null),
 queue_arriving as (
   select kind, lane, environment_id, count(*)::int as burst from queue_source where tag is null group by 1, 2, 3
 ),
 queue_floors as (
   select kind, lane, coalesce(
     (select r.tag - 1 from queue_ready r
      where r.kind = l.kind and r.lane = l.lane and r.tag >= ($38::bigint[])[l.kind * 3 + l.lane + 1]
      order by r.tag limit 1),
     (select t.last_tag from queue_turns t where t.kind = l.kind and t.lane = l.lane order by t.last_tag desc limit 1),
     0) as tag
   from (select distinct kind, lane from queue_arriving) l
 ),
 queue_taken_turns as (
   insert into queue_turns as turn (kind, lane, environment_id, last_tag, burst)
   select a.kind, a.lane, a.environment_id, f.tag + a.burst, a.burst
   from queue_arriving a join queue_floors f using (kind, lane)
   -- Everyone locks in this order: no deadlocks. Deliveries come last, as in transactions, which end with what they announce.
   order by a.kind = 3, 1, 2, 3
   on conflict (kind, lane, environment_id) do update
     set last_tag = greatest(turn.last_tag, excluded.last_tag - excluded.burst) + excluded.burst, burst = excluded.burst
   returning kind, lane, environment_id, last_tag - burst as before
 ),
 queue_enqueued as (
 insert into queue_ready (id, kind, lane, tag, environment_id, note)
 select s.id, s.kind, s.lane, coalesce(s.tag,
   t.before + row_number() over (partition by s.kind, s.lane, s.environment_id, s.tag is null order by s.id)),
   s.environment_id, s.note
 from queue_source s left join queue_taken_turns t using (kind, lane, environment_id)),
counted as (
insert into usage_counters as counter (organization_id, month, channel, shard, sends)
select organization_id, month, channel, (random() * 15)::smallint, count(*) from (select * from taken where organization_id is not null) sends
group by organization_id, month, channel
order by organization_id, month, channel -- everyone locks in this order: no deadlocks
on conflict (organization_id, month, channel, shard) do update set sends = counter.sends + excluded.sends),
pairs as (
insert into end_users (environment_id, external_user_id, email, phone, chatone_user_id)
select * from (
  select environment_id, external_user_id,
    (array_agg(address order by id desc) filter (where channel = 'email'))[1] as email, (array_agg(address order by id desc) filter (where channel = 'sms'))[1] as phone, (array_agg(address order by id desc) filter (where channel = 'chatone'))[1] as chatone_user_id
  from (select * from taken where is_pair) pairs group by environment_id, external_user_id) pair
where not exists (
  select from end_users known
  where known.environment_id = pair.environment_id and known.external_user_id = pair.external_user_id
    and (pair.email is null or known.email = pair.email)
    and (pair.phone is null or known.phone = pair.phone)
    and (pair.chatone_user_id is null or known.chatone_user_id = pair.chatone_user_id))
order by environment_id, external_user_id -- everyone locks in this order: no deadlocks
on conflict (environment_id, external_user_id) do update
  set email = coalesce(excluded.email, end_users.email), phone = coalesce(excluded.phone, end_users.phone),
    chatone_user_id = coalesce(excluded.chatone_user_id, end_users.chatone_user_id), updated_at = now()),
inserted as (
  insert into notifications (id, environment_id, channel, status, priority, address, recipient_name, external_user_id, category, template_key, idempotency_key, action_url, resent_from, connection_id, source_id, chain, send_at) select id, environment_id, channel, status, priority, address, recipient_name, external_user_id, category, template_key, idempotency_key, action_url, resent_from, connection_id, source_id, chain, send_at from taken
),
contents as (
  insert into notification_contents (notification_id, subject, html_body, text_body, template_data, from_name, reply_to, inbox_extras, attachments, template_version_id, inline_format, template_locale, structured, rendered_at) select id, subject, html_body, text_body, template_data, from_name, reply_to, inbox_extras, attachments, template_version_id, inline_format, template_locale, structured, rendered_at from taken
)
select id from input except select id from taken;

-- notifications_insert_bytes (features/notifications/notifications/write.ts)
insert into attachment_bytes (notification_id, position, bytes) values ($1, $2, $3);

-- notifications_insert_new (features/notifications/notifications/write.ts)
with input as materialized (
  select id::uuid, environment_id::uuid, channel, status, priority, address, recipient_name, external_user_id, category, template_key, idempotency_key, action_url, resent_from::uuid, connection_id::uuid, source_id::uuid, chain, send_at::timestamptz, subject, html_body, text_body, template_data::jsonb, from_name, reply_to, inbox_extras::jsonb, attachments::jsonb, template_version_id::uuid, inline_format, template_locale, structured::json, rendered_at::timestamptz, lane::smallint, operation, body_hash, organization_id::uuid, month::date, is_pair::boolean, tag
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[], $21::text[], $22::text[], $23::text[], $24::text[], $25::text[], $26::text[], $27::text[], $28::text[], $29::text[], $30::text[], $31::text[], $32::text[], $33::text[], $34::text[], $35::text[], $36::text[], $37::bigint[])
    as given (id, environment_id, channel, status, priority, address, recipient_name, external_user_id, category, template_key, idempotency_key, action_url, resent_from, connection_id, source_id, chain, send_at, subject, html_body, text_body, template_data, from_name, reply_to, inbox_extras, attachments, template_version_id, inline_format, template_locale, structured, rendered_at, lane, operation, body_hash, organization_id, month, is_pair, tag)
),
taken as (select * from input),

 queue_postponed as (
   insert into queue_later (kind, id, lane, environment_id, run_at)
   select 1, id, lane, environment_id, run_at from (select id, lane, environment_id, send_at as run_at, tag from taken) work where run_at is not null
 ),

 queue_source as (select 1::smallint as kind, id, lane, environment_id, null::jsonb as note, tag from (select id, lane, environment_id, send_at as run_at, tag from taken) work where run_at is null),
 queue_arriving as (
   select kind, lane, environment_id, count(*)::int as burst from queue_source where tag is null group by 1, 2, 3
 ),
 queue_floors as (
   select kind, lane, coalesce(
     (select r.tag - 1 from queue_ready r
      where r.kind = l.kind and r.lane = l.lane and r.tag >= ($38::bigint[])[l.kind * 3 + l.lane + 1]
      order by r.tag limit 1),
     (select t.last_tag from queue_turns t where t.kind = l.kind and t.lane = l.lane order by t.last_tag desc limit 1),
     0) as tag
   from (select distinct kind, lane from queue_arriving) l
 ),
 queue_taken_turns as (
   insert into queue_turns as turn (kind, lane, environment_id, last_tag, burst)
   select a.kind, a.lane, a.environment_id, f.tag + a.burst, a.burst
   from queue_arriving a join queue_floors f using (kind, lane)
   -- Everyone locks in this order: no deadlocks. Deliveries come last, as in transactions, which end with what they announce.
   order by a.kind = 3, 1, 2, 3
   on conflict (kind, lane, environment_id) do update
     set last_tag = greatest(turn.last_tag, excluded.last_tag - excluded.burst) + excluded.burst, burst = excluded.burst
   returning kind, lane, environment_id, last_tag - burst as before
 ),
 queue_enqueued as (
 insert into queue_ready (id, kind, lane, tag, environment_id, note)
 select s.id, s.kind, s.lane, coalesce(s.tag,
   t.before + row_number() over (partition by s.kind, s.lane, s.environment_id, s.tag is null order by s.id)),
   s.environment_id, s.note
 from queue_source s left join queue_taken_turns t using (kind, lane, environment_id)),
counted as (
insert into usage_counters as counter (organization_id, month, channel, shard, sends)
select organization_id, month, channel, (random() * 15)::smallint, count(*) from (select * from taken where organization_id is not null) sends
group by organization_id, month, channel
order by organization_id, month, channel -- everyone locks in this order: no deadlocks
on conflict (organization_id, month, channel, shard) do update set sends = counter.sends + excluded.sends),
pairs as (
insert into end_users (environment_id, external_user_id, email, phone, chatone_user_id)
select * from (
  select environment_id, external_user_id,
    (array_agg(address order by id desc) filter (where channel = 'email'))[1] as email, (array_agg(address order by id desc) filter (where channel = 'sms'))[1] as phone, (array_agg(address order by id desc) filter (where channel = 'chatone'))[1] as chatone_user_id
  from (select * from taken where is_pair) pairs group by environment_id, external_user_id) pair
where not exists (
  select from end_users known
  where known.environment_id = pair.environment_id and known.external_user_id = pair.external_user_id
    and (pair.email is null or known.email = pair.email)
    and (pair.phone is null or known.phone = pair.phone)
    and (pair.chatone_user_id is null or known.chatone_user_id = pair.chatone_user_id))
order by environment_id, external_user_id -- everyone locks in this order: no deadlocks
on conflict (environment_id, external_user_id) do update
  set email = coalesce(excluded.email, end_users.email), phone = coalesce(excluded.phone, end_users.phone),
    chatone_user_id = coalesce(excluded.chatone_user_id, end_users.chatone_user_id), updated_at = now()),
inserted as (
  insert into notifications (id, environment_id, channel, status, priority, address, recipient_name, external_user_id, category, template_key, idempotency_key, action_url, resent_from, connection_id, source_id, chain, send_at) select id, environment_id, channel, status, priority, address, recipient_name, external_user_id, category, template_key, idempotency_key, action_url, resent_from, connection_id, source_id, chain, send_at from taken
),
contents as (
  insert into notification_contents (notification_id, subject, html_body, text_body, template_data, from_name, reply_to, inbox_extras, attachments, template_version_id, inline_format, template_locale, structured, rendered_at) select id, subject, html_body, text_body, template_data, from_name, reply_to, inbox_extras, attachments, template_version_id, inline_format, template_locale, structured, rendered_at from taken
), keys as (
insert into idempotency_claims as known (key_hash, environment_id, body_hash, resource_id)
select idempotency_hash(environment_id, operation, key), environment_id, left(body_hash, 32)::uuid, resource_id from (select *, idempotency_key as key, id as resource_id from input where operation is not null) claims
-- everyone locks in this order: no deadlocks
order by 1)
select id from input except select id from taken;

-- notifications_insert_with_objects (features/notifications/notifications/write.ts)
with input as materialized (
  select id::uuid, environment_id::uuid, channel, status, priority, address, recipient_name, external_user_id, category, template_key, idempotency_key, action_url, resent_from::uuid, connection_id::uuid, source_id::uuid, chain, send_at::timestamptz, subject, html_body, text_body, template_data::jsonb, from_name, reply_to, inbox_extras::jsonb, attachments::jsonb, template_version_id::uuid, inline_format, template_locale, structured::json, rendered_at::timestamptz, body_object::uuid, lane::smallint, operation, body_hash, organization_id::uuid, month::date, is_pair::boolean, tag
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[], $21::text[], $22::text[], $23::text[], $24::text[], $25::text[], $26::text[], $27::text[], $28::text[], $29::text[], $30::text[], $31::text[], $32::text[], $33::text[], $34::text[], $35::text[], $36::text[], $37::text[], $38::bigint[])
    as given (id, environment_id, channel, status, priority, address, recipient_name, external_user_id, category, template_key, idempotency_key, action_url, resent_from, connection_id, source_id, chain, send_at, subject, html_body, text_body, template_data, from_name, reply_to, inbox_extras, attachments, template_version_id, inline_format, template_locale, structured, rendered_at, body_object, lane, operation, body_hash, organization_id, month, is_pair, tag)
),

fresh as (
insert into idempotency_claims as known (key_hash, environment_id, body_hash, resource_id)
select idempotency_hash(environment_id, operation, key), environment_id, left(body_hash, 32)::uuid, resource_id from (select *, idempotency_key as key, id as resource_id from input where operation is not null) claims
-- everyone locks in this order: no deadlocks
order by 1
on conflict (key_hash) do update
  set body_hash = excluded.body_hash, resource_id = excluded.resource_id, created_at = now()
  where known.created_at < now() - interval '24 hours'
returning resource_id),
taken as materialized (
  select * from input where operation is null or id in (select resource_id from fresh)
),

 queue_postponed as (
   insert into queue_later (kind, id, lane, environment_id, run_at)
   select 1, id, lane, environment_id, run_at from (select id, lane, environment_id, send_at as run_at, tag from taken) work where run_at is not null
 ),

 queue_source as (select 1::smallint as kind, id, lane, environment_id, null::jsonb as note, tag from (select id, lane, environment_id, send_at as run_at, tag from taken) work where run_at is null),
 queue_arriving as (
   select kind, lane, environment_id, count(*)::int as burst from queue_source where tag is null group by 1, 2, 3
 ),
 queue_floors as (
   select kind, lane, coalesce(
     (select r.tag - 1 from queue_ready r
      where r.kind = l.kind and r.lane = l.lane and r.tag >= ($39::bigint[])[l.kind * 3 + l.lane + 1]
      order by r.tag limit 1),
     (select t.last_tag from queue_turns t where t.kind = l.kind and t.lane = l.lane order by t.last_tag desc limit 1),
     0) as tag
   from (select distinct kind, lane from queue_arriving) l
 ),
 queue_taken_turns as (
   insert into queue_turns as turn (kind, lane, environment_id, last_tag, burst)
   select a.kind, a.lane, a.environment_id, f.tag + a.burst, a.burst
   from queue_arriving a join queue_floors f using (kind, lane)
   -- Everyone locks in this order: no deadlocks. Deliveries come last, as in transactions, which end with what they announce.
   order by a.kind = 3, 1, 2, 3
   on conflict (kind, lane, environment_id) do update
     set last_tag = greatest(turn.last_tag, excluded.last_tag - excluded.burst) + excluded.burst, burst = excluded.burst
   returning kind, lane, environment_id, last_tag - burst as before
 ),
 queue_enqueued as (
 insert into queue_ready (id, kind, lane, tag, environment_id, note)
 select s.id, s.kind, s.lane, coalesce(s.tag,
   t.before + row_number() over (partition by s.kind, s.lane, s.environment_id, s.tag is null order by s.id)),
   s.environment_id, s.note
 from queue_source s left join queue_taken_turns t using (kind, lane, environment_id)),
counted as (
insert into usage_counters as counter (organization_id, month, channel, shard, sends)
select organization_id, month, channel, (random() * 15)::smallint, count(*) from (select * from taken where organization_id is not null) sends
group by organization_id, month, channel
order by organization_id, month, channel -- everyone locks in this order: no deadlocks
on conflict (organization_id, month, channel, shard) do update set sends = counter.sends + excluded.sends),
pairs as (
insert into end_users (environment_id, external_user_id, email, phone, chatone_user_id)
select * from (
  select environment_id, external_user_id,
    (array_agg(address order by id desc) filter (where channel = 'email'))[1] as email, (array_agg(address order by id desc) filter (where channel = 'sms'))[1] as phone, (array_agg(address order by id desc) filter (where channel = 'chatone'))[1] as chatone_user_id
  from (select * from taken where is_pair) pairs group by environment_id, external_user_id) pair
where not exists (
  select from end_users known
  where known.environment_id = pair.environment_id and known.external_user_id = pair.external_user_id
    and (pair.email is null or known.email = pair.email)
    and (pair.phone is null or known.phone = pair.phone)
    and (pair.chatone_user_id is null or known.chatone_user_id = pair.chatone_user_id))
order by environment_id, external_user_id -- everyone locks in this order: no deadlocks
on conflict (environment_id, external_user_id) do update
  set email = coalesce(excluded.email, end_users.email), phone = coalesce(excluded.phone, end_users.phone),
    chatone_user_id = coalesce(excluded.chatone_user_id, end_users.chatone_user_id), updated_at = now()),
inserted as (
  insert into notifications (id, environment_id, channel, status, priority, address, recipient_name, external_user_id, category, template_key, idempotency_key, action_url, resent_from, connection_id, source_id, chain, send_at) select id, environment_id, channel, status, priority, address, recipient_name, external_user_id, category, template_key, idempotency_key, action_url, resent_from, connection_id, source_id, chain, send_at from taken
),
contents as (
  insert into notification_contents (notification_id, subject, html_body, text_body, template_data, from_name, reply_to, inbox_extras, attachments, template_version_id, inline_format, template_locale, structured, rendered_at, body_object) select id, subject, html_body, text_body, template_data, from_name, reply_to, inbox_extras, attachments, template_version_id, inline_format, template_locale, structured, rendered_at, body_object from taken
)
select id from input except select id from taken;

-- sandbox_delete_beyond (features/notifications/sandbox/store.ts)
with old as (
  select m.environment_id, m.id
  from environments e
  cross join lateral (
    select greatest($1::uuid, case when $2::int is not null then (
      select id from sandbox_messages where environment_id = e.id order by id desc offset $2 limit 1) end,
      case when $4::float8 is not null then (
      select id from (
        select id, sum(payload_bytes) over (order by id desc) as bytes
        from sandbox_messages where environment_id = e.id) sized
      where bytes > $4 order by id desc limit 1) end) as id) bound
  cross join lateral (
    select environment_id, id from sandbox_messages
    where environment_id = e.id and id <= bound.id order by id limit $3) m
  limit $3
), gone as (
  delete from sandbox_messages s using old where s.environment_id = old.environment_id and s.id = old.id returning 1)
select count(*)::int as count from gone;

-- sandbox_delete_messages (features/notifications/sandbox/store.ts)
delete from sandbox_messages m using unnest($1::uuid[], $2::uuid[]) as erased (environment_id, notification_id)
where m.notification_id = erased.notification_id and m.environment_id = erased.environment_id;

-- sandbox_delete_oldest (features/notifications/sandbox/store.ts)
with gone as (
  delete from sandbox_messages where environment_id = $1 and id in (
    select id from sandbox_messages where environment_id = $1 and id < $2 order by id limit $3)
  returning 1)
select count(*)::int as count from gone;

-- sandbox_find_messages (features/notifications/sandbox/store.ts)
select m.id, m.environment_id, m.notification_id, m.channel, m.provider, m.recipient, m.payload::text, m.from_content,
  c.subject, c.html_body, c.text_body
from sandbox_messages m
left join notification_contents c on c.notification_id = m.notification_id and m.from_content is not null
where m.environment_id = $1 and m.id = any($2)
order by m.id desc;

-- sandbox_find_of_notification (features/notifications/sandbox/store.ts)
select id, environment_id, notification_id, channel, provider, recipient, payload::text
from sandbox_messages
where notification_id = $2 and environment_id = $1 and (channel <> 'in_app' or payload -> 'push' is null)
order by id desc limit 1;

-- audiences_add_subscribers (features/people/audiences/store.ts)
with wanted as materialized (
  select distinct id from unnest($3::text[]) as given (id)
), stored as (
  insert into end_users (environment_id, external_user_id)
  select $1, id from wanted
  where not exists (select from end_users u where u.environment_id = $1 and u.external_user_id = wanted.id)
  order by id
  on conflict do nothing
  returning 1
), subscribed as (
  insert into topic_subscribers (topic_id, external_user_id, environment_id)
  select $2, id, $1 from wanted, (select count(*) from stored) first
  order by id
  on conflict do nothing
  returning 1
), counted as (
  update topics set subscriber_count = subscriber_count + (select count(*) from subscribed)
  where id = $2 and exists (select from subscribed)
)
select count(*)::int as added from subscribed;

-- audiences_count_topics (features/people/audiences/store.ts)
select count(*)::int as count from topics where environment_id = $1 and deleted_at is null;

-- audiences_find_topics (features/people/audiences/store.ts)
select id, environment_id, key, name, description, subscriber_count from topics where environment_id = $1 and key = any ($2::text[]) and deleted_at is null;

-- audiences_insert_topic (features/people/audiences/store.ts)
insert into topics (id, environment_id, key, name, description) values ($1, $2, $3, $4, $5)
on conflict (environment_id, key) where deleted_at is null do nothing
returning id, environment_id, key, name, description, subscriber_count;

-- audiences_list_subscribers (features/people/audiences/store.ts)
select external_user_id, subscribed_at from topic_subscribers
where topic_id = $1 and external_user_id > $2
order by external_user_id limit $3;

-- audiences_list_topics (features/people/audiences/store.ts)
select id, environment_id, key, name, description, subscriber_count from topics
where environment_id = $1 and deleted_at is null and ($2::uuid is null or id < $2)
  and ($4::text is null or strpos(lower(key), lower($4)) > 0 or strpos(lower(name), lower($4)) > 0)
order by id desc limit $3;

-- audiences_list_topics_of_user (features/people/audiences/store.ts)
select t.key, t.name, s.subscribed_at from topic_subscribers s join topics t on t.id = s.topic_id
where s.environment_id = $1 and s.external_user_id = $2 and t.deleted_at is null
order by t.key;

-- audiences_lock_topic (features/people/audiences/store.ts)
select id, environment_id, key, name, description, subscriber_count from topics where environment_id = $1 and key = $2 and deleted_at is null for no key update;

-- audiences_mark_deleted (features/people/audiences/store.ts)
update topics set deleted_at = now() where id = $1;

-- audiences_remove_deleted (features/people/audiences/store.ts)
delete from topic_subscribers where ctid = any (array(
  select s.ctid from topics t cross join lateral (
    select ctid from topic_subscribers s where s.topic_id = t.id order by s.external_user_id limit $1 for update skip locked) s
  where t.deleted_at is not null limit $1))
returning 1 as one;

-- audiences_remove_empty_topics (features/people/audiences/store.ts)
delete from topics t where deleted_at < now() - interval '1 minute'
and not exists (select from topic_subscribers s where s.topic_id = t.id);

-- audiences_remove_subscribers (features/people/audiences/store.ts)
with gone as (
  delete from topic_subscribers
  where (topic_id, external_user_id) in (
    select topic_id, external_user_id from topic_subscribers
    where topic_id = $1 and external_user_id = any ($2::text[])
    order by external_user_id for update)
  returning 1
), counted as (
  update topics set subscriber_count = subscriber_count - (select count(*) from gone)
  where id = $1 and exists (select from gone)
)
select count(*)::int as removed from gone;

-- audiences_remove_user (features/people/audiences/store.ts)
with gone as (
  delete from topic_subscribers where environment_id = $1 and external_user_id = $2 returning topic_id
)
update topics set subscriber_count = subscriber_count - 1
where id in (select id from topics where id in (select topic_id from gone) order by id for no key update);

-- audiences_update_topic (features/people/audiences/store.ts)
update topics set name = $2, description = $3 where id = $1 returning id, environment_id, key, name, description, subscriber_count;

-- preferences_load_consents (features/people/preferences/consent.ts)
select i.id, i.channel, c.is_critical, c.default_opt_in, c.default_channels, p.opted_in, p.source,
  q.start_minute, q.end_minute, q.timezone
from json_to_recordset($1::json) as i (id uuid, environment_id uuid, user_key text, category text, channel text)
join categories c on c.environment_id = i.environment_id and c.key = i.category
left join preferences p on p.environment_id = i.environment_id and p.user_key = i.user_key
  and p.category_key = i.category and p.channel = i.channel
left join quiet_hours q on q.environment_id = i.environment_id and q.user_key = i.user_key;

-- preferences_count_categories (features/people/preferences/store.ts)
select count(*)::int as count from categories where environment_id = $1;

-- preferences_delete_quiet_hours (features/people/preferences/store.ts)
delete from quiet_hours where environment_id = $1 and user_key = $2 returning 1 as one;

-- preferences_delete_users (features/people/preferences/store.ts)
with q as (delete from quiet_hours where environment_id = $1 and user_key = any ($2::text[]))
delete from preferences where environment_id = $1 and user_key = any ($2::text[]);

-- preferences_find_categories (features/people/preferences/store.ts)
select id, environment_id, key, name, description, is_critical, default_channels, default_opt_in, is_archived, push from categories
join unnest($1::uuid[], $2::text[]) as wanted (environment_id, key) using (environment_id, key);

-- preferences_find_category (features/people/preferences/store.ts)
select id, environment_id, key, name, description, is_critical, default_channels, default_opt_in, is_archived, push from categories where environment_id = $1 and key = $2;

-- preferences_find_quiet_hours (features/people/preferences/store.ts)
select start_minute, end_minute, timezone from quiet_hours where environment_id = $1 and user_key = $2;

-- preferences_insert_category (features/people/preferences/store.ts)
insert into categories (id, environment_id, key, name, description, is_critical, default_channels, default_opt_in, is_archived, push) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
on conflict (environment_id, key) do nothing
returning id, environment_id, key, name, description, is_critical, default_channels, default_opt_in, is_archived, push;

-- preferences_list_active_categories (features/people/preferences/store.ts)
select id, environment_id, key, name, description, is_critical, default_channels, default_opt_in, is_archived, push from categories where environment_id = $1 and not is_archived order by key;

-- preferences_list_cells (features/people/preferences/store.ts)
select category_key, channel, opted_in, source, updated_at from preferences where environment_id = $1 and user_key = $2;

-- preferences_lock_category (features/people/preferences/store.ts)
select id, environment_id, key, name, description, is_critical, default_channels, default_opt_in, is_archived, push from categories where environment_id = $1 and key = $2 for no key update;

-- preferences_update_category (features/people/preferences/store.ts)
update categories
set name = $3, description = $4, default_channels = $5, default_opt_in = $6, is_archived = $7, push = $8
where environment_id = $1 and key = $2
returning id, environment_id, key, name, description, is_critical, default_channels, default_opt_in, is_archived, push;

-- preferences_upsert_cells (features/people/preferences/store.ts)
insert into preferences (environment_id, user_key, category_key, channel, opted_in, source)
select $1, $2, category_key, channel, opted_in, $4
from json_to_recordset($3::json) as (category_key text, channel text, opted_in boolean)
order by category_key, channel -- everyone locks in this order: no deadlocks
on conflict (environment_id, user_key, category_key, channel) do update
  set opted_in = excluded.opted_in, source = excluded.source, updated_at = now()
returning category_key, channel, opted_in, source, updated_at;

-- preferences_upsert_quiet_hours (features/people/preferences/store.ts)
insert into quiet_hours (environment_id, user_key, start_minute, end_minute, timezone) values ($1, $2, $3, $4, $5)
on conflict (environment_id, user_key) do update
  set start_minute = excluded.start_minute, end_minute = excluded.end_minute, timezone = excluded.timezone,
    updated_at = now();

-- suppressions_delete (features/people/suppressions/store.ts)
delete from suppressions where environment_id = $1 and address = $2 returning id, environment_id, address, reason, source, diagnostic_detail, triggering_notification_id;

-- suppressions_delete_unsubscribed (features/people/suppressions/store.ts)
delete from suppressions s using unnest($1::uuid[], $2::text[]) as back (environment_id, address)
where s.environment_id = back.environment_id and s.address = back.address and s.reason = 'unsubscribed';

-- suppressions_find (features/people/suppressions/store.ts)
select id, environment_id, address, reason, source, diagnostic_detail, triggering_notification_id from suppressions where environment_id = $1 and address = $2;

-- suppressions_find_many (features/people/suppressions/store.ts)
select id, environment_id, address, reason, source, diagnostic_detail, triggering_notification_id from suppressions
join unnest($1::uuid[], $2::text[]) as wanted (environment_id, address) using (environment_id, address);

-- suppressions_insert (features/people/suppressions/store.ts)
insert into suppressions (id, environment_id, address, reason, source, diagnostic_detail, triggering_notification_id)
select distinct on (environment_id, address) id, environment_id, address, reason, source, diagnostic_detail, triggering_notification_id
from json_to_recordset($1::json) as (id uuid, environment_id uuid, address text, reason text, source text,
  diagnostic_detail text, triggering_notification_id uuid)
order by environment_id, address, id -- everyone locks in this order: no deadlocks
on conflict (environment_id, address) do nothing
returning id, environment_id, address, reason, source, diagnostic_detail, triggering_notification_id;

-- users_delete (features/people/users/store.ts)
delete from end_users where environment_id = $1 and external_user_id = $2 returning environment_id, external_user_id, email, phone, name, locale, timezone, chatone_user_id, attributes, created_at, updated_at;

-- users_find_many (features/people/users/store.ts)
select environment_id, external_user_id, email, phone, name, locale, timezone, chatone_user_id, attributes, created_at, updated_at from end_users
join unnest($1::uuid[], $2::text[]) as wanted (environment_id, external_user_id)
  using (environment_id, external_user_id);

-- users_find_taken (features/people/users/store.ts)
select wanted.id from unnest($2::text[]) as wanted (id)
where exists (
  select from end_users u where u.environment_id = $1 and lower(u.external_user_id) = lower(wanted.id));

-- users_replace (features/people/users/store.ts)
insert into end_users (environment_id, external_user_id, email, phone, name, locale, timezone, chatone_user_id, attributes) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
on conflict (environment_id, external_user_id) do update
  set email = excluded.email, phone = excluded.phone, name = excluded.name, locale = excluded.locale,
    timezone = excluded.timezone, chatone_user_id = excluded.chatone_user_id, attributes = excluded.attributes,
    updated_at = now()
returning environment_id, external_user_id, email, phone, name, locale, timezone, chatone_user_id, attributes, created_at, updated_at;

-- accounts_count_invitations (features/platform/accounts/invitations-store.ts)
select count(*)::int as open from invitations where organization_id = $1 and expires_at > $2;

-- accounts_delete_invitation (features/platform/accounts/invitations-store.ts)
delete from invitations where id = $1 returning id;

-- accounts_delete_invitations_by (features/platform/accounts/invitations-store.ts)
delete from invitations
where organization_id = $1 and invited_by_user_id = $2 and not role = any ($3::text[])
returning id, organization_id, email, role, invited_by_user_id, expires_at;

-- accounts_find_invitation (features/platform/accounts/invitations-store.ts)
select id, organization_id, email, role, invited_by_user_id, expires_at from invitations where organization_id = $1 and id = $2;

-- accounts_find_invitation_by_token (features/platform/accounts/invitations-store.ts)
select i.*, o.name as organization_name
from (select id, organization_id, email, role, invited_by_user_id, expires_at from invitations where token_hash = $1) i join organizations o on o.id = i.organization_id;

-- accounts_find_invitation_for_email (features/platform/accounts/invitations-store.ts)
select id, organization_id, email, role, invited_by_user_id, expires_at from invitations where organization_id = $1 and email = $2;

-- accounts_insert_invitation (features/platform/accounts/invitations-store.ts)
insert into invitations (id, organization_id, email, role, invited_by_user_id, expires_at, token_hash) values ($1, $2, $3, $4, $5, $6, $7);

-- accounts_list_invitations (features/platform/accounts/invitations-store.ts)
select id, organization_id, email, role, invited_by_user_id, expires_at from invitations
where organization_id = $1 and expires_at > $2 and ($3::uuid is null or id < $3)
order by id desc
limit $4;

-- accounts_find_key_by_hash (features/platform/accounts/keys-store.ts)
select k.id, k.created_by_user_id as user_id, e.organization_id, k.environment_id, e.kind as environment_kind, o.plan,
  k.preset, k.scopes, least(k.expires_at, k.retires_at) as ends_at, k.revoked_at is not null as revoked, m.state as move, m.moved_to
from api_keys k
join environments e on e.id = k.environment_id
join organizations o on o.id = e.organization_id
left join organization_moves m on m.organization_id = o.id
where k.key_hash = $1;

-- accounts_find_key_for_update (features/platform/accounts/keys-store.ts)
select id, name, last4, preset, scopes, created_by_user_id, created_at, expires_at, retires_at, last_used_at from api_keys where environment_id = $1 and id = $2 and revoked_at is null for update;

-- accounts_insert_key (features/platform/accounts/keys-store.ts)
insert into api_keys (id, environment_id, name, key_hash, last4, preset, scopes, created_by_user_id, expires_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
returning id, name, last4, preset, scopes, created_by_user_id, created_at, expires_at, retires_at, last_used_at;

-- accounts_mark_key_retiring (features/platform/accounts/keys-store.ts)
update api_keys set retires_at = least(retires_at, $2) where id = $1;

-- accounts_mark_key_revoked (features/platform/accounts/keys-store.ts)
update api_keys set revoked_at = now() where id = $1;

-- accounts_mark_key_used (features/platform/accounts/keys-store.ts)
update api_keys set last_used_at = now()
where id = $1 and (last_used_at is null or last_used_at < now() - interval '1 minute');

-- accounts_delete_old_invitations (features/platform/accounts/people-store.ts)
delete from invitations where expires_at < now();

-- accounts_delete_old_login_failures (features/platform/accounts/people-store.ts)
delete from login_failures where window_ends_at < now();

-- accounts_delete_old_sessions (features/platform/accounts/people-store.ts)
delete from sessions where expires_at < now();

-- accounts_delete_other_sessions (features/platform/accounts/people-store.ts)
delete from sessions where user_id = $1 and id is distinct from $2;

-- accounts_delete_session (features/platform/accounts/people-store.ts)
delete from sessions where user_id = $1 and id = $2 returning id;

-- accounts_find_session (features/platform/accounts/people-store.ts)
select s.id, s.user_id, u.email, u.name, s.expires_at, s.last_seen_at
from sessions s join users u on u.id = s.user_id
where s.token_hash = $1;

-- accounts_find_session_identity (features/platform/accounts/people-store.ts)
select s.user_id, s.expires_at, s.last_seen_at, e.id as environment_id, e.kind as environment_kind, e.organization_id,
  o.plan, m.role, move.state as move, move.moved_to
from sessions s
left join (
  memberships m
  join environments e on e.organization_id = m.organization_id
  join organizations o on o.id = m.organization_id
  left join organization_moves move on move.organization_id = m.organization_id
) on m.user_id = s.user_id and ($2::uuid is null or e.id = $2)
where s.token_hash = $1
order by move.state is not null, e.organization_id, e.kind = 'test' desc, e.id
limit 1;

-- accounts_find_user (features/platform/accounts/people-store.ts)
select id, name, password_hash from users where email = $1;

-- accounts_insert_session (features/platform/accounts/people-store.ts)
with person as (select id from users where id = $3 and password_hash = $4 for share)
insert into sessions (id, token_hash, user_id, expires_at)
select $1, $2, person.id, $5 from person
returning id;

-- accounts_insert_user (features/platform/accounts/people-store.ts)
insert into users (id, email, name, password_hash) values ($1, $2, $3, $4)
on conflict (email) do nothing
returning id;

-- accounts_list_sessions (features/platform/accounts/people-store.ts)
select id, created_at, last_seen_at, expires_at from sessions
where user_id = $1 and expires_at > $2 and last_seen_at > $3 and ($4::uuid is null or id < $4)
order by id desc
limit $5;

-- accounts_mark_session_seen (features/platform/accounts/people-store.ts)
with seen as (
  update sessions set last_seen_at = greatest(last_seen_at, now()) where token_hash = $1 returning user_id)
update memberships set last_seen_at = now()
from seen where memberships.user_id = seen.user_id and memberships.organization_id = $2;

-- accounts_replace_password (features/platform/accounts/people-store.ts)
update users set password_hash = $2 where id = $1;

-- accounts_update_password (features/platform/accounts/people-store.ts)
update users set password_hash = $3 where id = $1 and password_hash = $2 returning id;

-- accounts_update_user_name (features/platform/accounts/people-store.ts)
update users set name = $2 where id = $1;

-- accounts_delete_membership (features/platform/accounts/team-store.ts)
delete from memberships where organization_id = $1 and user_id = $2;

-- accounts_find_member (features/platform/accounts/team-store.ts)
select u.id, u.email, u.name, m.role, m.joined_at, m.last_seen_at
from memberships m join users u on u.id = m.user_id where m.organization_id = $1 and m.user_id = $2;

-- accounts_find_member_by_email (features/platform/accounts/team-store.ts)
select u.id, u.email, u.name, m.role, m.joined_at, m.last_seen_at
from memberships m join users u on u.id = m.user_id where m.organization_id = $1 and u.email = $2;

-- accounts_find_organization (features/platform/accounts/team-store.ts)
select organization_id from environments where id = $1;

-- accounts_find_other_owner (features/platform/accounts/team-store.ts)
select from memberships where organization_id = $1 and user_id <> $2 and role = 'owner' limit 1;

-- accounts_find_sender (features/platform/accounts/team-store.ts)
select e.kind as "environmentKind", e.organization_id as "organizationId", o.plan
from environments e join organizations o on o.id = e.organization_id where e.id = $1;

-- accounts_list_environments (features/platform/accounts/team-store.ts)
select id, name, kind, created_at from environments where organization_id = $1 order by id desc;

-- accounts_list_members (features/platform/accounts/team-store.ts)
select u.id, u.email, u.name, m.role, m.joined_at, m.last_seen_at
from memberships m join users u on u.id = m.user_id where m.organization_id = $1 and ($2::uuid is null or m.user_id < $2)
 order by m.user_id desc
 limit $3;

-- accounts_list_memberships (features/platform/accounts/team-store.ts)
select o.id as organization_id, o.name as organization_name, m.role, e.id, e.name, e.kind, e.created_at
from memberships m
join organizations o on o.id = m.organization_id
join environments e on e.organization_id = o.id
where m.user_id = $1
  and not exists (select from organization_moves v where v.organization_id = o.id and v.state <> 'leaving')
order by o.id, e.id;

-- accounts_list_organization_ids (features/platform/accounts/team-store.ts)
select organization_id from memberships m where user_id = $1
and not exists (select from organization_moves v where v.organization_id = m.organization_id);

-- accounts_lock_organization (features/platform/accounts/team-store.ts)
select from organizations where id = $1 for no key update;

-- accounts_lock_user (features/platform/accounts/team-store.ts)
select from users where id = $1 for no key update;

-- accounts_update_organization_name (features/platform/accounts/team-store.ts)
update organizations o set name = $2
from (select id, name from organizations where id = $1) former
where o.id = former.id
returning former.name;

-- accounts_update_plan_owner (features/platform/accounts/team-store.ts)
update organizations set plan_owner_id = (
  select user_id from memberships where organization_id = $1 and role = 'owner' order by joined_at, user_id limit 1)
where id = $1 and plan_owner_id = $2;

-- accounts_update_role (features/platform/accounts/team-store.ts)
update memberships set role = $3 where organization_id = $1 and user_id = $2;

-- accounts_count_login_attempt (features/platform/accounts/throttle.ts)
insert into login_failures as known (subject, failures, window_ends_at)
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
returning failures;

-- accounts_delete_login_failures (features/platform/accounts/throttle.ts)
delete from login_failures where subject = $1;

-- accounts_delete_login_failures_between (features/platform/accounts/throttle.ts)
delete from login_failures where subject between $1 and $2;

-- accounts_find_login_wait (features/platform/accounts/throttle.ts)
select ceil(extract(epoch from blocked_until - clock_timestamp()))::int as seconds from login_failures where subject = $1;

-- accounts_take_back_login_attempt (features/platform/accounts/throttle.ts)
update login_failures set failures = greatest(failures - 1, 0), blocked_until = '-infinity' where subject = $1;

-- audit_clear_values (features/platform/audit/store.ts)
update audit_entries a set before = null, after = null
from unnest($1::uuid[], $2::text[]) as erased (environment_id, target)
join environments e on e.id = erased.environment_id
where a.organization_id = e.organization_id and a.environment_id = e.id
  and a.target = erased.target and a.action = $3;

-- audit_insert_batch (features/platform/audit/store.ts)
insert into audit_entries
  (id, organization_id, environment_id, actor_kind, actor_id, action, target, before, after, request_id)
select * from json_to_recordset($1::json)
  as (id uuid, organization_id uuid, environment_id uuid, actor_kind text, actor_id uuid, action text, target text,
    before jsonb, after jsonb, request_id text);

-- audit_insert_entry (features/platform/audit/store.ts)
insert into audit_entries
  (id, organization_id, environment_id, actor_kind, actor_id, action, target, before, after, request_id,
   ip_address, user_agent)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12);

-- idempotency_remove_expired (features/platform/idempotency/expiry.ts)
delete from idempotency_claims where ctid = any (array(
  select ctid from idempotency_claims
  where ctid >= $1::tid and ctid < $2::tid and created_at < now() - interval '24 hours'
  for update skip locked))
returning 1 as one;

-- idempotency_remove_expired_texts (features/platform/idempotency/expiry.ts)
delete from idempotency_keys where ctid = any (array(
  select ctid from idempotency_keys where created_at < now() - interval '24 hours'
  order by created_at limit $1 for update skip locked))
returning 1 as one;

-- idempotency_claim (features/platform/idempotency/store.ts)
insert into idempotency_claims as known (key_hash, environment_id, body_hash, resource_id)
select idempotency_hash(environment_id, operation, key), environment_id, left(body_hash, 32)::uuid, resource_id from (select $1::uuid as environment_id, $2::text as operation, $3::text as key, $4::text as body_hash, $5::uuid as resource_id) claim
-- everyone locks in this order: no deadlocks
order by 1
on conflict (key_hash) do update
  set body_hash = excluded.body_hash, resource_id = excluded.resource_id, created_at = now()
  where known.created_at < now() - interval '24 hours'
returning resource_id;

-- idempotency_find (features/platform/idempotency/store.ts)
select resource_id, body_hash = left($4, 32)::uuid as is_same from idempotency_claims
where key_hash = idempotency_hash($1, $2, $3) and environment_id = $1;

-- idempotency_find_earlier (features/platform/idempotency/store.ts)
select resource_id from idempotency_claims
where key_hash = idempotency_hash($1, $2, $3) and environment_id = $1 and body_hash = left($4, 32)::uuid
  and created_at >= now() - interval '24 hours';

-- idempotency_find_known (features/platform/idempotency/store.ts)
select wanted.environment_id, wanted.operation, wanted.key
from json_to_recordset($1::json) as wanted (environment_id uuid, operation text, key text)
join idempotency_claims known on known.key_hash = idempotency_hash(wanted.environment_id, wanted.operation, wanted.key)
  and known.environment_id = wanted.environment_id
where known.created_at >= now() - interval '24 hours';

-- links_find_secret (features/platform/links/secrets.ts)
select environment_id, handle, sealed_secret from unsubscribe_secrets where handle = $1;

-- links_insert_secret (features/platform/links/secrets.ts)
insert into unsubscribe_secrets (environment_id, handle, sealed_secret) values ($1, $2, $3) on conflict (environment_id) do nothing;

-- links_list_secrets (features/platform/links/secrets.ts)
select environment_id, handle, sealed_secret from unsubscribe_secrets where environment_id = any ($1::uuid[]);

-- links_reseal_secret (features/platform/links/secrets.ts)
update unsubscribe_secrets set sealed_secret = $3 where environment_id = $1 and sealed_secret = $2;

-- objects_claim_unused (features/platform/objects/store.ts)
update stored_objects set state = 'unused', delete_at = now() + interval '5 minutes'
where id in (
  select o.id from stored_objects o
  where o.delete_at < now() and not exists (
    select from environments e join organization_moves m on m.organization_id = e.organization_id
    where e.id = o.environment_id)
  order by o.delete_at limit 100 for update of o skip locked)
returning id, key;

-- objects_delete (features/platform/objects/store.ts)
delete from stored_objects where id = any ($1::uuid[]);

-- objects_find_any (features/platform/objects/store.ts)
select id from stored_objects order by id limit 1;

-- objects_insert (features/platform/objects/store.ts)
insert into stored_objects (id, key, environment_id, notification_id, position, size_bytes, sha256, delete_at)
select id, key, $2, $3, position, size_bytes, decode(sha256, 'hex'), now() + interval '1 hours'
from json_to_recordset($1::json) as i (id uuid, key text, position smallint, size_bytes int, sha256 text);

-- objects_list (features/platform/objects/store.ts)
select id, key, notification_id, position, size_bytes, encode(sha256, 'hex') as sha256 from stored_objects
where notification_id = any ($1::uuid[]) and state = 'stored' and (position is null) = $2
order by notification_id, position;

-- objects_mark_stored (features/platform/objects/store.ts)
with stored as (
  update stored_objects set state = 'stored', delete_at = null
  where id = any ($1::uuid[]) and state = 'uploading' returning id)
select 1 / (count(*) = cardinality($1::uuid[]))::int from stored;

-- objects_release_bodies (features/platform/objects/store.ts)
update stored_objects set state = 'unused', delete_at = now()
where notification_id = any ($1::uuid[]) and state = 'stored' and position is null
returning notification_id, position, size_bytes, sha256;

-- objects_release_orphans (features/platform/objects/store.ts)
update stored_objects set state = 'unused', delete_at = now()
where id in (
  select o.id from stored_objects o
  where o.notification_id < $1 and o.state = 'stored'
    and not exists (select from notifications n where n.id = o.notification_id)
  order by o.notification_id limit 100 for update of o skip locked)
returning id;

-- connections_claim_refresh (features/providers/connections/chatone/store.ts)
update chatone_installations set refreshing_until = now() + interval '30 seconds'
 where id = $1 and revision = $2 and refresh_sealed is not null and (refreshing_until is null or refreshing_until < now())
 returning id, environment_id, team_id, team_name, bot_user_id, app_id, scopes, auto_join_public_channels, is_sandbox,
token_sealed, token_hash, token_expires_at, refresh_sealed, installed_at, installed_by_user_id, revision, status,
last_success_at, last_failure_at, last_failure_reason;

-- connections_count_token (features/providers/connections/chatone/store.ts)
select count(*)::int as count from chatone_installations where token_hash = $1 and id <> $2;

-- connections_delete_installation (features/providers/connections/chatone/store.ts)
delete from chatone_installations where id = $1;

-- connections_find_installation (features/providers/connections/chatone/store.ts)
select id, environment_id, team_id, team_name, bot_user_id, app_id, scopes, auto_join_public_channels, is_sandbox,
token_sealed, token_hash, token_expires_at, refresh_sealed, installed_at, installed_by_user_id, revision, status,
last_success_at, last_failure_at, last_failure_reason from chatone_installations where id = $1 and environment_id = $2;

-- connections_insert_installation (features/providers/connections/chatone/store.ts)
insert into chatone_installations (id, environment_id, team_id, team_name, bot_user_id, app_id, scopes, is_sandbox,
  token_sealed, token_hash, token_expires_at, refresh_sealed, installed_at, installed_by_user_id)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14);

-- connections_insert_oauth_state (features/providers/connections/chatone/store.ts)
with old as (delete from chatone_oauth_states where expires_at < now())
insert into chatone_oauth_states (id, expires_at) values ($1, $2);

-- connections_list_installations_by_id (features/providers/connections/chatone/store.ts)
select id, environment_id, team_id, team_name, bot_user_id, app_id, scopes, auto_join_public_channels, is_sandbox,
token_sealed, token_hash, token_expires_at, refresh_sealed, installed_at, installed_by_user_id, revision, status,
last_success_at, last_failure_at, last_failure_reason from chatone_installations where id = any ($1::uuid[]);

-- connections_list_named_installations (features/providers/connections/chatone/store.ts)
select w.position, i.id
from json_to_recordset($1::json) as w (position int, environment_id uuid, name text)
cross join lateral (
  select id from chatone_installations c
  where c.environment_id = w.environment_id and (w.name is null or c.team_id = w.name or c.id::text = lower(w.name))
  order by c.installed_at desc, c.id desc limit 1) i;

-- connections_lock_installation (features/providers/connections/chatone/store.ts)
select id, environment_id, team_id, team_name, bot_user_id, app_id, scopes, auto_join_public_channels, is_sandbox,
token_sealed, token_hash, token_expires_at, refresh_sealed, installed_at, installed_by_user_id, revision, status,
last_success_at, last_failure_at, last_failure_reason from chatone_installations where id = $1 and environment_id = $2 for update;

-- connections_lock_installing (features/providers/connections/chatone/store.ts)
select pg_advisory_xact_lock(hashtextextended('chatone_installations:' || $1::text, 0));

-- connections_lock_team (features/providers/connections/chatone/store.ts)
select id, environment_id, team_id, team_name, bot_user_id, app_id, scopes, auto_join_public_channels, is_sandbox,
token_sealed, token_hash, token_expires_at, refresh_sealed, installed_at, installed_by_user_id, revision, status,
last_success_at, last_failure_at, last_failure_reason from chatone_installations where environment_id = $1 and team_id = $2 for update;

-- connections_mark_refreshed (features/providers/connections/chatone/store.ts)
update chatone_installations set token_sealed = $3, token_hash = $4, token_expires_at = $5, refresh_sealed = $6,
  refreshing_until = null, revision = revision + 1
where id = $1 and revision = $2;

-- connections_mark_team_gone (features/providers/connections/chatone/store.ts)
update chatone_installations i set status = 'gone', last_failure_at = now(), last_failure_reason = $5
from environments e
where e.id = i.environment_id and i.team_id = $1 and i.app_id = $2 and i.status <> 'gone'
  and ($3::text[] is null or i.bot_user_id = any ($3::text[])) and i.installed_at <= $4
returning i.id, i.environment_id, e.organization_id;

-- connections_take_oauth_state (features/providers/connections/chatone/store.ts)
delete from chatone_oauth_states where id = $1 and expires_at > now() returning id;

-- connections_update_auto_join (features/providers/connections/chatone/store.ts)
update chatone_installations set auto_join_public_channels = $2 where id = $1;

-- connections_update_installation (features/providers/connections/chatone/store.ts)
update chatone_installations set team_name = $2, bot_user_id = $3, app_id = $4, scopes = $5, is_sandbox = $6,
  token_sealed = $7, token_hash = $8, token_expires_at = $9, refresh_sealed = $10, refreshing_until = null,
  installed_at = $11, installed_by_user_id = $12, revision = $13, status = $14
where id = $1;

-- connections_insert_email_settings (features/providers/connections/email/store.ts)
insert into email_settings (environment_id) values ($1) on conflict do nothing;

-- connections_list_email_settings (features/providers/connections/email/store.ts)
select environment_id, from_address, from_name, reply_to, sender_locked, track_opens, track_clicks, providers, xmin::text as version from email_settings where environment_id = any($1);

-- connections_lock_email_settings (features/providers/connections/email/store.ts)
select from_address, from_name, reply_to, sender_locked, track_opens, track_clicks, providers from email_settings where environment_id = $1 for update;

-- connections_update_email_settings (features/providers/connections/email/store.ts)
update email_settings
set from_address = $2, from_name = $3, reply_to = $4, sender_locked = $5, track_opens = $6, track_clicks = $7,
  providers = $8, updated_at = now()
where environment_id = $1;

-- connections_delete_endpoint (features/providers/connections/endpoints/store.ts)
delete from chat_endpoints where id = $1;

-- connections_find_endpoint (features/providers/connections/endpoints/store.ts)
select id, environment_id, channel, key, label, url_sealed, url_prefix, flavour, default_username,
default_avatar_url, revision, status, last_success_at, last_failure_at, last_failure_reason from chat_endpoints where id = $1 and environment_id = $2 and channel = $3;

-- connections_insert_endpoint (features/providers/connections/endpoints/store.ts)
insert into chat_endpoints (id, environment_id, channel, key, label, url_sealed, url_prefix, flavour, default_username,
  default_avatar_url)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
on conflict (environment_id, channel, key) do nothing
returning id;

-- connections_list_endpoints (features/providers/connections/endpoints/store.ts)
select id, environment_id, channel, key, label, url_sealed, url_prefix, flavour, default_username,
default_avatar_url, revision, status, last_success_at, last_failure_at, last_failure_reason from chat_endpoints where environment_id = $1 and channel = $2
   and ($3::uuid is null or id < $3) order by id desc limit $4;

-- connections_list_endpoints_by_id (features/providers/connections/endpoints/store.ts)
select id, environment_id, channel, key, label, url_sealed, url_prefix, flavour, default_username,
default_avatar_url, revision, status, last_success_at, last_failure_at, last_failure_reason from chat_endpoints where id = any ($1::uuid[]);

-- connections_list_named_endpoints (features/providers/connections/endpoints/store.ts)
select w.environment_id, w.channel, w.name, e.id, e.key
from json_to_recordset($1::json) as w (environment_id uuid, channel text, name text)
join chat_endpoints e on e.environment_id = w.environment_id and e.channel = w.channel
  and (e.key = w.name or e.id::text = lower(w.name));

-- connections_lock_endpoint (features/providers/connections/endpoints/store.ts)
select id, environment_id, channel, key, label, url_sealed, url_prefix, flavour, default_username,
default_avatar_url, revision, status, last_success_at, last_failure_at, last_failure_reason from chat_endpoints where id = $1 and environment_id = $2 and channel = $3 for update;

-- connections_update_endpoint (features/providers/connections/endpoints/store.ts)
update chat_endpoints set label = $2, url_sealed = $3, url_prefix = $4, flavour = $5, default_username = $6,
  default_avatar_url = $7, revision = $8, status = $9
where id = $1;

-- connections_list_all (features/providers/connections/overview.ts)
(select p.value->>'id' as id, p.value->>'name' as name, p.value->>'kind' as kind, 'email' as channel,
   (p.value->>'enabled')::boolean as enabled, 'active' as status, null as problem,
   null::timestamptz as last_success_at, null::timestamptz as last_failure_at
 from email_settings s, jsonb_array_elements(s.providers) with ordinality as p (value, place)
 where s.environment_id = $1 order by p.place)
union all
(select p.value->>'id', p.value->>'name', p.value->>'kind', 'sms', (p.value->>'enabled')::boolean,
   case when p.value->>'credentials_validated_at' is null and p.value->>'credentials_detail' <> '' then 'broken' else 'active' end,
   p.value->>'credentials_detail', null, null
 from sms_settings s, jsonb_array_elements(s.providers) with ordinality as p (value, place)
 where s.environment_id = $1 order by p.place)
union all
(select service.kind, service.kind, service.kind, 'in_app', true,
   case when service.is_ok is false then 'broken' else 'active' end, service.detail,
   case when service.is_ok then service.checked_at end, case when not service.is_ok then service.checked_at end
 from push_settings s cross join lateral (
   select p.*, (s.checks->p.kind->>'ok')::boolean as is_ok, s.checks->p.kind->>'detail' as detail,
     (s.checks->p.kind->>'at')::timestamptz as checked_at
   from (values (1, 'web_push', s.web_push), (2, 'apns', s.apns), (3, 'fcm', s.fcm)) as p (place, kind, settings)
 ) as service
 where s.environment_id = $1 and service.settings is not null order by service.place)
union all (select id::text, team_name, 'chatone', 'chatone', true, status, last_failure_reason, last_success_at, last_failure_at from chatone_installations
 where environment_id = $1 order by status = 'active', last_failure_at desc nulls last, id limit 50)
union all (select id::text, label, channel, channel, true, status, last_failure_reason, last_success_at, last_failure_at from chat_endpoints
 where environment_id = $1 order by status = 'active', last_failure_at desc nulls last, id limit 50);

-- connections_delete_push_settings (features/providers/connections/push/store.ts)
delete from push_settings where environment_id = $1;

-- connections_list_push_settings (features/providers/connections/push/store.ts)
select environment_id, ring, vapid, web_push, apns, fcm, checks, updated_at::text as saved_at, xmin::text as version from push_settings where environment_id = any ($1::uuid[]);

-- connections_lock_push_settings (features/providers/connections/push/store.ts)
select environment_id, ring, vapid, web_push, apns, fcm, checks from push_settings where environment_id = $1 for update;

-- connections_update_push_checks (features/providers/connections/push/store.ts)
update push_settings set checks = $3 where environment_id = $1 and updated_at = $2::timestamptz;

-- connections_upsert_push_settings (features/providers/connections/push/store.ts)
insert into push_settings (environment_id, ring, vapid, web_push, apns, fcm, checks) values ($1, $2, $3, $4, $5, $6, $7)
on conflict (environment_id) do update set
  ring = excluded.ring, vapid = excluded.vapid, web_push = excluded.web_push, apns = excluded.apns, fcm = excluded.fcm,
  checks = excluded.checks, updated_at = now();

-- connections_delete_sms_settings (features/providers/connections/sms/store.ts)
delete from sms_settings where environment_id = $1;

-- connections_list_sms_settings (features/providers/connections/sms/store.ts)
select environment_id, providers, xmin::text as version from sms_settings where environment_id = any ($1::uuid[]);

-- connections_lock_sms_settings (features/providers/connections/sms/store.ts)
select environment_id, providers from sms_settings where environment_id = $1 for update;

-- connections_update_sms_check (features/providers/connections/sms/store.ts)
update sms_settings s set providers = (
  select jsonb_agg(case when p.value = $2::jsonb then p.value || $3::jsonb else p.value end order by p.place)
  from jsonb_array_elements(s.providers) with ordinality as p (value, place))
where environment_id = $1 and s.providers @> jsonb_build_array($2::jsonb);

-- connections_upsert_sms_settings (features/providers/connections/sms/store.ts)
insert into sms_settings (environment_id, providers) values ($1, $2)
on conflict (environment_id) do update set providers = excluded.providers, updated_at = now();

-- incidents_delete_old (features/providers/incidents/store.ts)
delete from incidents where resolved_at < now() - interval '90 days';

-- incidents_insert (features/providers/incidents/store.ts)
with made as (
  insert into incidents (id, title, provider) values ($1, $2, $3) on conflict do nothing returning id
), noted as (
  insert into incident_updates (id, incident_id, message) select $4, id, $5 from made
)
select id from made;

-- incidents_insert_update (features/providers/incidents/store.ts)
with found as (
  update incidents set resolved_at = case when $4 then now() end
  where id = $1 and resolved_at is null returning id, title
), noted as (
  insert into incident_updates (id, incident_id, message) select $2, id, $3 from found
)
select title from found;

-- incidents_list_active (features/providers/incidents/store.ts)
select i.id, i.title, i.provider, i.resolved_at, coalesce((
select json_agg(u order by u.id desc) from (
  select id, message from incident_updates where incident_id = i.id order by id desc limit 20
) u), '[]') as updates from incidents i where resolved_at is null order by id desc;

-- incidents_list_providers (features/providers/incidents/store.ts)
select distinct on (provider) provider, case when resolved_at is null then id end as active_id, resolved_at
from incidents where provider is not null order by provider, id desc;

-- incidents_list_shown (features/providers/incidents/store.ts)
(select i.id, i.title, i.provider, i.resolved_at, coalesce((
select json_agg(u order by u.id desc) from (
  select id, message from incident_updates where incident_id = i.id order by id desc limit 20
) u), '[]') as updates from incidents i where resolved_at is null order by id desc limit 20)
 union all
 (select i.id, i.title, i.provider, i.resolved_at, coalesce((
select json_agg(u order by u.id desc) from (
  select id, message from incident_updates where incident_id = i.id order by id desc limit 20
) u), '[]') as updates from incidents i where resolved_at > now() - interval '14 days'
  order by resolved_at desc, id desc limit 20);

-- incidents_lock (features/providers/incidents/store.ts)
lock table incidents in share row exclusive mode;

-- connections_mark_chat_endpoints (features/providers/provider-health/connection-health.ts)
update chat_endpoints c set
  last_success_at = coalesce(i.success_at, c.last_success_at),
  last_failure_at = coalesce(i.failure_at, c.last_failure_at),
  last_failure_reason = coalesce(i.reason, c.last_failure_reason),
  status = coalesce(i.status, c.status)
from json_to_recordset($1::json) as i (id uuid, revision int, success_at timestamptz, failure_at timestamptz,
  reason text, status text)
where c.id = i.id and c.revision = i.revision;

-- connections_mark_chatone_installations (features/providers/provider-health/connection-health.ts)
update chatone_installations c set
  last_success_at = coalesce(i.success_at, c.last_success_at),
  last_failure_at = coalesce(i.failure_at, c.last_failure_at),
  last_failure_reason = coalesce(i.reason, c.last_failure_reason),
  status = coalesce(i.status, c.status)
from json_to_recordset($1::json) as i (id uuid, revision int, success_at timestamptz, failure_at timestamptz,
  reason text, status text)
where c.id = i.id and c.revision = i.revision;

-- providers_add_counts (features/providers/provider-health/health-store.ts)
insert into provider_health_counts as c (environment_id, provider, bucket, shard, name, messages, failed)
select environment_id, provider, to_timestamp(floor(extract(epoch from now()) * 1000 / 15000) * 15000 / 1000), $2,
  max(name), sum(messages), sum(failed)
from json_to_recordset($1::json) as (environment_id uuid, provider text, name text, messages int, failed int)
group by 1, 2
order by 1, 2 -- everyone locks in this order: no deadlocks
on conflict (environment_id, provider, bucket, shard) do update
  set name = excluded.name, messages = c.messages + excluded.messages, failed = c.failed + excluded.failed;

-- providers_claim_probe (features/providers/provider-health/health-store.ts)
update provider_health set probe_at = now() + make_interval(secs => $3::float8 / 1000)
where environment_id = $1 and provider = $2 and demoted_since is not null and probe_at <= now()
returning provider;

-- providers_count_outages (features/providers/provider-health/health-store.ts)
select count(*)::int as count from provider_health where outage_id is not null;

-- providers_delete_counts (features/providers/provider-health/health-store.ts)
delete from provider_health_counts where bucket < now() - interval '600000 milliseconds';

-- providers_delete_counts_of (features/providers/provider-health/health-store.ts)
delete from provider_health_counts where environment_id = $1 and provider = any ($2::text[]);

-- providers_delete_health (features/providers/provider-health/health-store.ts)
delete from provider_health where environment_id = $1 and provider = any ($2::text[]);

-- providers_demote (features/providers/provider-health/health-store.ts)
insert into provider_health as h (environment_id, provider, demoted_since, probe_at)
values ($1, $2, now(), now() + make_interval(secs => $4::float8 / 1000))
on conflict (environment_id, provider) do update set demoted_since = excluded.demoted_since, probe_at = excluded.probe_at
where h.demoted_since is null and h.restored_at < now() - make_interval(secs => $3::float8 / 1000);

-- providers_insert_health (features/providers/provider-health/health-store.ts)
insert into provider_health (environment_id, provider) values ($1, $2) on conflict do nothing;

-- providers_list_demoted (features/providers/provider-health/health-store.ts)
select environment_id, provider, (extract(epoch from probe_at - now()) * 1000)::float8 as probe_in_ms
from provider_health where environment_id = any ($1::uuid[]) and demoted_since is not null;

-- providers_list_health (features/providers/provider-health/health-store.ts)
select environment_id, provider, max(c.name) as name, h.outage_id, h.firing_since, h.demoted_since,
greatest(coalesce(sum(c.messages), 0), 0)::int as messages,
greatest(coalesce(sum(c.failed), 0), 0)::int as failed,
greatest(coalesce(sum(c.messages) filter (where c.bucket > h.restored_at or h.restored_at is null), 0), 0)::int as messages_since,
greatest(coalesce(sum(c.failed) filter (where c.bucket > h.restored_at or h.restored_at is null), 0), 0)::int as failed_since from (select * from provider_health_counts where bucket > now() - interval '300000 milliseconds') c
 left join provider_health h using (environment_id, provider) group by environment_id, provider, h.outage_id, h.firing_since, h.demoted_since;

-- providers_list_health_of (features/providers/provider-health/health-store.ts)
select environment_id, provider, max(c.name) as name, h.outage_id, h.firing_since, h.demoted_since,
greatest(coalesce(sum(c.messages), 0), 0)::int as messages,
greatest(coalesce(sum(c.failed), 0), 0)::int as failed,
greatest(coalesce(sum(c.messages) filter (where c.bucket > h.restored_at or h.restored_at is null), 0), 0)::int as messages_since,
greatest(coalesce(sum(c.failed) filter (where c.bucket > h.restored_at or h.restored_at is null), 0), 0)::int as failed_since
 from (select * from provider_health_counts where environment_id = $1 and bucket > now() - interval '300000 milliseconds') c
 full join (select * from provider_health where environment_id = $1) h using (environment_id, provider) group by environment_id, provider, h.outage_id, h.firing_since, h.demoted_since;

-- providers_list_health_touched (features/providers/provider-health/health-store.ts)
select environment_id, provider, max(c.name) as name, h.outage_id, h.firing_since, h.demoted_since,
greatest(coalesce(sum(c.messages), 0), 0)::int as messages,
greatest(coalesce(sum(c.failed), 0), 0)::int as failed,
greatest(coalesce(sum(c.messages) filter (where c.bucket > h.restored_at or h.restored_at is null), 0), 0)::int as messages_since,
greatest(coalesce(sum(c.failed) filter (where c.bucket > h.restored_at or h.restored_at is null), 0), 0)::int as failed_since
 from (select c.* from json_to_recordset($1::json) as i (environment_id uuid, provider text)
       join provider_health_counts c using (environment_id, provider) where bucket > now() - interval '300000 milliseconds') c
 left join provider_health h using (environment_id, provider) group by environment_id, provider, h.outage_id, h.firing_since, h.demoted_since;

-- providers_lock_health (features/providers/provider-health/health-store.ts)
select from provider_health where environment_id = $1 and provider = $2 for update;

-- providers_restore (features/providers/provider-health/health-store.ts)
update provider_health set demoted_since = null, restored_at = now()
where environment_id = $1 and provider = $2 and demoted_since < now() - make_interval(secs => $3::float8 / 1000);

-- providers_restore_all (features/providers/provider-health/health-store.ts)
update provider_health set demoted_since = null, restored_at = now()
where environment_id = $1 and provider = any ($2::text[]) and demoted_since is not null;

-- providers_update_health (features/providers/provider-health/health-store.ts)
update provider_health set
  outage_id = case when $4 then null else coalesce($3, outage_id) end,
  firing_since = case when $4 then null when $3::uuid is not null then now() else firing_since end,
  demoted_since = case when $5 then now() else demoted_since end,
  probe_at = case when $5 then now() + make_interval(secs => $6::float8 / 1000) else probe_at end
where environment_id = $1 and provider = $2
returning firing_since;

-- providers_count_organizations (features/providers/provider-health/public-outages.ts)
select count(*)::int as count from (select from organizations limit 2) few;

-- providers_has_public_work (features/providers/provider-health/public-outages.ts)
select exists (select from provider_health where outage_id is not null)
or exists (select from incidents where provider is not null and resolved_at is null) as has_work;

-- providers_list_shared_outages (features/providers/provider-health/public-outages.ts)
with known as (
  select distinct environment_id, provider from provider_health_counts
  where bucket > now() - interval '300000 milliseconds'
  union
  select environment_id, provider from provider_health where outage_id is not null
), used as (
  select e.organization_id, h.outage_id is not null as is_failing, h.firing_since,
    case k.provider when 'managed' then 'managed' else
      coalesce(
        (select p ->> 'kind' from jsonb_array_elements(s.providers) p where p ->> 'id' = k.provider),
        (select case p ->> 'kind' when 'managed' then 'managed_sms' else p ->> 'kind' end
         from jsonb_array_elements(t.providers) p where p ->> 'id' = k.provider)) end as provider
  from known k
  join environments e on e.id = k.environment_id
  left join provider_health h on h.environment_id = k.environment_id and h.provider = k.provider
  left join email_settings s on s.environment_id = k.environment_id
  left join sms_settings t on t.environment_id = k.environment_id
)
select provider, count(distinct organization_id)::int as total, max(firing_since) as latest,
  (count(distinct organization_id) filter (where is_failing))::int as failing
from used where provider <> 'http' group by provider having bool_or(is_failing);

-- providers_find_states (features/providers/provider-health/statuses.ts)
select (select json_agg(h) from (select environment_id, provider, max(c.name) as name, h.outage_id, h.firing_since, h.demoted_since,
greatest(coalesce(sum(c.messages), 0), 0)::int as messages,
greatest(coalesce(sum(c.failed), 0), 0)::int as failed,
greatest(coalesce(sum(c.messages) filter (where c.bucket > h.restored_at or h.restored_at is null), 0), 0)::int as messages_since,
greatest(coalesce(sum(c.failed) filter (where c.bucket > h.restored_at or h.restored_at is null), 0), 0)::int as failed_since
 from (select * from provider_health_counts where environment_id = $1 and bucket > now() - interval '300000 milliseconds') c
 full join (select * from provider_health where environment_id = $1) h using (environment_id, provider) group by environment_id, provider, h.outage_id, h.firing_since, h.demoted_since) h) as health,
   (select json_agg(p) from (
      select pace, provider, paused_until from provider_pauses
      where environment_id = any (array[$1, '00000000-0000-0000-0000-000000000000']::uuid[]) and paused_until > now()
      limit 500) p) as pauses;

-- providers_count_pauses (features/providers/provider-health/throttles.ts)
select count(*)::int as count from provider_pauses where paused_until > now();

-- providers_delete_pauses (features/providers/provider-health/throttles.ts)
delete from provider_pauses where paused_until < now() - interval '1 hour';

-- providers_extend_pauses (features/providers/provider-health/throttles.ts)
with input as (
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
returning p.environment_id, p.pace, (extract(epoch from p.paused_until - now()) * 1000)::float8 as left_ms;

-- providers_insert_pauses (features/providers/provider-health/throttles.ts)
insert into provider_pauses (environment_id, pace, paused_at, paused_until, strikes, since)
select environment_id, pace, '-infinity', now(), 0, now()
from json_to_recordset($1::json) as (environment_id uuid, pace text)
order by 1, 2
on conflict do nothing;

-- providers_list_pauses (features/providers/provider-health/throttles.ts)
select environment_id, pace, (extract(epoch from paused_until - now()) * 1000)::float8 as left_ms from provider_pauses where paused_until > now() order by paused_at desc limit $1;

-- providers_list_pauses_of (features/providers/provider-health/throttles.ts)
select environment_id, pace, (extract(epoch from paused_until - now()) * 1000)::float8 as left_ms from provider_pauses
where environment_id = any ($1::uuid[]) and paused_until > now();

-- webhooks_clear_next_attempts (features/webhooks/deliveries-store.ts)
update webhook_deliveries set next_attempt_at = null where id = any ($1::uuid[]) and next_attempt_at is not null;

-- webhooks_discard_deliveries (features/webhooks/deliveries-store.ts)
update webhook_deliveries set status = 'permanent_failure', next_attempt_at = null, failed_at = now(),
  error = 'discarded: A user discarded the pending deliveries of the endpoint.'
where id = any ($1::uuid[]);

-- webhooks_find_attempts (features/webhooks/deliveries-store.ts)
select number, attempted_at, http_status_code, latency_ms, response_snippet, error from webhook_attempts
where delivery_id = $1 and number < $2 order by number desc limit $3;

-- webhooks_find_deliveries_of_notification (features/webhooks/deliveries-store.ts)
select d.id, d.endpoint_id, d.event_id, d.event_type, d.status, d.http_status_code, d.response_snippet, d.latency_ms, d.error,
 d.attempt_count, d.next_attempt_at, lease.leased_at, e.status as endpoint_status from webhook_events v join webhook_deliveries d on d.event_id = v.id left join webhook_endpoints e on e.id = d.endpoint_id left join queue_leased lease on lease.id = d.id and lease.kind = 3
where v.notification_id = $2 and v.environment_id = $1
order by d.id limit 1000;

-- webhooks_find_delivery (features/webhooks/deliveries-store.ts)
select d.id, d.endpoint_id, d.event_id, d.event_type, d.status, d.http_status_code, d.response_snippet, d.latency_ms, d.error,
 d.attempt_count, d.next_attempt_at, lease.leased_at, e.status as endpoint_status, v.body from webhook_deliveries d left join webhook_endpoints e on e.id = d.endpoint_id left join queue_leased lease on lease.id = d.id and lease.kind = 3 join webhook_events v on v.id = d.event_id
where d.id = $1 and d.endpoint_id = $2 and d.environment_id = $3;

-- webhooks_load_deliveries (features/webhooks/deliveries-store.ts)
select d.id, d.environment_id, d.endpoint_id, d.event_id, d.status, d.attempt_count, d.step, v.body, v.chain,
  e.url, e.sealed_query, e.status as endpoint_status, e.timeout_seconds, e.secrets, e.failing_since
from webhook_deliveries d
join webhook_events v on v.id = d.event_id
join webhook_endpoints e on e.id = d.endpoint_id
where d.id = any ($1::uuid[]);

-- webhooks_lock_delivery (features/webhooks/deliveries-store.ts)
select status from webhook_deliveries where id = $1 and endpoint_id = $2 and environment_id = $3 for update;

-- webhooks_lock_pending (features/webhooks/deliveries-store.ts)
select d.id from (select id from queue_later where kind = 3 and environment_id = $2) job join webhook_deliveries d on d.id = job.id
where d.endpoint_id = $1 and d.status = 'pending' and job.id > $3
order by job.id limit $4 for update of d;

-- webhooks_reopen_deliveries (features/webhooks/deliveries-store.ts)
update webhook_deliveries set status = 'pending', step = 0, next_attempt_at = null, failed_at = null where id = any ($1::uuid[]);

-- webhooks_reopen_failed (features/webhooks/deliveries-store.ts)
update webhook_deliveries set status = 'pending', step = 0, next_attempt_at = null, failed_at = null where id = any (array(
  select id from webhook_deliveries
  where endpoint_id = $1 and environment_id = $2 and failed_at >= $3 and id > $4
    and (error is null or error not like 'discarded: %')
  order by id limit $5 for update))
returning id;

-- webhooks_settle_deliveries (features/webhooks/deliveries-store.ts)
with input as (
  select * from json_to_recordset($1::json) as (id uuid, status text, step smallint, next_attempt_at timestamptz,
    failed_at timestamptz, error text, attempted_at timestamptz, number int, http_status_code int, latency_ms int,
    response_snippet text)
), attempts as (
  insert into webhook_attempts (delivery_id, number, attempted_at, http_status_code, latency_ms, response_snippet, error)
  select id, number, attempted_at, http_status_code, latency_ms, response_snippet, error
  from input where attempted_at is not null
)
update webhook_deliveries d set status = i.status, step = i.step, next_attempt_at = i.next_attempt_at,
  failed_at = i.failed_at, error = i.error,
  attempt_count = case when i.attempted_at is null then d.attempt_count else i.number end,
  http_status_code = case when i.attempted_at is null then d.http_status_code else i.http_status_code end,
  latency_ms = case when i.attempted_at is null then d.latency_ms else i.latency_ms end,
  response_snippet = case when i.attempted_at is null then d.response_snippet else i.response_snippet end
from input i where d.id = i.id;

-- webhooks_count_endpoints (features/webhooks/endpoints-store.ts)
select count(*)::int as count from webhook_endpoints where environment_id = $1 and status <> 'disabled';

-- webhooks_disable_endpoints (features/webhooks/endpoints-store.ts)
with target as (
   select id from webhook_endpoints
   where status = 'active' and (id = any ($1::uuid[]) or (id = any ($2::uuid[]) and failing_since <= $3))
   order by id for update)
 update webhook_endpoints e set status = 'auto_disabled',
   disabled_reason = case when e.id = any ($1::uuid[]) then 'gone' else 'failing' end
 from target t, environments v where e.id = t.id and v.id = e.environment_id
 returning e.id, e.environment_id, e.url, e.sealed_query, e.status, e.event_filters, e.description, e.timeout_seconds, e.secrets, e.signing_secret_prefix,
failing_since, e.disabled_reason, v.organization_id;

-- webhooks_find_endpoint (features/webhooks/endpoints-store.ts)
select id, environment_id, url, sealed_query, status, event_filters, description, timeout_seconds, secrets, signing_secret_prefix,
failing_since, disabled_reason from webhook_endpoints where id = $1 and environment_id = $2;

-- webhooks_find_endpoints (features/webhooks/endpoints-store.ts)
select id, environment_id, url, sealed_query, status, event_filters, description, timeout_seconds, secrets, signing_secret_prefix,
failing_since, disabled_reason from webhook_endpoints where id = any ($1::uuid[]) and status <> 'disabled';

-- webhooks_find_listeners (features/webhooks/endpoints-store.ts)
select id, environment_id, event_filters from webhook_endpoints
where environment_id = any ($1::uuid[]) and status in ('active', 'paused');

-- webhooks_insert_endpoint (features/webhooks/endpoints-store.ts)
insert into webhook_endpoints (id, environment_id, url, url_hash, status, event_filters, description, timeout_seconds,
  secrets, signing_secret_prefix, sealed_query)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
on conflict (environment_id, url_hash) where status <> 'disabled' do nothing
returning id;

-- webhooks_list_unsealed_urls (features/webhooks/endpoints-store.ts)
select id, url from webhook_endpoints where sealed_query is null and url like '%?%' order by id limit $1;

-- webhooks_lock_endpoint (features/webhooks/endpoints-store.ts)
select id, environment_id, url, sealed_query, status, event_filters, description, timeout_seconds, secrets, signing_secret_prefix,
failing_since, disabled_reason from webhook_endpoints where id = $1 and environment_id = $2 for update;

-- webhooks_lock_paused (features/webhooks/endpoints-store.ts)
select id from webhook_endpoints where id = any ($1::uuid[]) and status = 'paused' order by id for share;

-- webhooks_mark_failing (features/webhooks/endpoints-store.ts)
update webhook_endpoints set failing_since = $2 where id = any ($1::uuid[]) and failing_since is null;

-- webhooks_mark_well (features/webhooks/endpoints-store.ts)
update webhook_endpoints set failing_since = null where id = any ($1::uuid[]) and failing_since is not null;

-- webhooks_seal_url (features/webhooks/endpoints-store.ts)
update webhook_endpoints set url = $3, sealed_query = $4 where id = $1 and url = $2 and sealed_query is null;

-- webhooks_update_endpoint (features/webhooks/endpoints-store.ts)
update webhook_endpoints set url = $2, url_hash = coalesce($3, url_hash), status = $4, event_filters = $5, description = $6,
  timeout_seconds = $7, failing_since = $8, disabled_reason = $9, sealed_query = $10
where id = $1;

-- webhooks_update_secrets (features/webhooks/endpoints-store.ts)
update webhook_endpoints set secrets = $2, signing_secret_prefix = $3 where id = $1;

-- webhooks_erase_events (features/webhooks/events.ts)
with events as (
  update webhook_events w set body = json_build_object('id', w.id, 'type', type, 'created_at', body::json -> 'created_at',
    'data', json_build_object('id', w.notification_id, 'deleted', true))::text
  from unnest($1::uuid[], $2::uuid[]) as erased (environment_id, notification_id)
  where w.notification_id = erased.notification_id and w.environment_id = erased.environment_id
  returning w.id),
deliveries as (
  update webhook_deliveries d set response_snippet = null from events e
  where d.event_id = e.id and d.status <> 'pending'
  returning d.id)
update webhook_attempts a set response_snippet = null from deliveries d where a.delivery_id = d.id;

-- webhooks_forget (features/webhooks/events.ts)
with old as (
  select id from webhook_events e where id > $1 and id < $2
    and not exists (
      select from webhook_deliveries d where d.event_id = e.id and d.status = 'pending'
        and (select p.status from webhook_endpoints p where p.id = d.endpoint_id) <> 'paused')
  order by id limit $3
), deliveries as (
  delete from webhook_deliveries where event_id in (select id from old) returning id
), attempts as (
  delete from webhook_attempts where delivery_id in (select id from deliveries)
), jobs as (
  delete from queue_later where kind = 3 and id in (select id from deliveries)
), gone as (
  delete from webhook_events where id in (select id from old)
)
select max(id::text) as last from old;

-- webhooks_insert_events (features/webhooks/events.ts)
with events as (
  insert into webhook_events (id, environment_id, type, notification_id, chain, body)
  select * from json_to_recordset($1::json)
    as (id uuid, environment_id uuid, type text, notification_id uuid, chain text, body text)
), deliveries as (
  insert into webhook_deliveries (id, environment_id, endpoint_id, event_id, event_type)
  select * from json_to_recordset($2::json)
    as (id uuid, environment_id uuid, endpoint_id uuid, event_id uuid, event_type text)
  returning endpoint_id
)
select id from webhook_endpoints
where id = any (array(select endpoint_id from deliveries)) and status = 'paused';

-- webhooks_find_environment_secrets (features/webhooks/secrets.ts)
select environment_id, secrets from webhook_environment_secrets where environment_id = any ($1::uuid[]);

-- webhooks_insert_environment_secrets (features/webhooks/secrets.ts)
insert into webhook_environment_secrets (environment_id, secrets) values ($1, $2) on conflict do nothing;

-- webhooks_lock_environment_secrets (features/webhooks/secrets.ts)
select secrets from webhook_environment_secrets where environment_id = $1 for update;

-- webhooks_update_environment_secrets (features/webhooks/secrets.ts)
update webhook_environment_secrets set secrets = $2 where environment_id = $1;

-- runs_close_digests (features/workflows/runs/digests.ts)
delete from digests where run_id = any ($1::uuid[]);

-- runs_delete_digest_items (features/workflows/runs/digests.ts)
delete from digest_items where run_id = any ($1::uuid[]);

-- runs_delete_full_digests (features/workflows/runs/digests.ts)
delete from digests d using json_to_recordset($1::json) as i (workflow_id uuid, step_id text, key text)
where d.workflow_id = i.workflow_id and d.step_id = i.step_id and d.key = i.key;

-- runs_insert_digest_items (features/workflows/runs/digests.ts)
insert into digest_items (run_id, source_run_id, item)
select run_id, source_run_id, item from json_to_recordset($1::json) as (run_id uuid, source_run_id uuid, item json);

-- runs_list_digest_items (features/workflows/runs/digests.ts)
select run_id, item from digest_items where run_id = any ($1::uuid[]) order by run_id, source_run_id;

-- runs_list_open_digests (features/workflows/runs/digests.ts)
select run_id from digests where run_id = any ($1::uuid[]);

-- runs_lock_digests (features/workflows/runs/digests.ts)
insert into digests as d (workflow_id, step_id, key, run_id, item_count, item_size, closes_at)
select workflow_id, step_id, key, run_id, 0, 0, closes_at
from json_to_recordset($1::json)
  as (workflow_id uuid, step_id text, key text, run_id uuid, closes_at timestamptz)
order by workflow_id, step_id, key
on conflict (workflow_id, step_id, key) do update set item_count = d.item_count
returning workflow_id, step_id, key, run_id, item_count, item_size, closes_at;

-- runs_lock_open_digests (features/workflows/runs/digests.ts)
select run_id from digests where run_id = any ($1::uuid[]) order by workflow_id, step_id, key for update;

-- runs_update_digests (features/workflows/runs/digests.ts)
update digests d set run_id = i.run_id, item_count = i.item_count, item_size = i.item_size,
  closes_at = i.closes_at
from json_to_recordset($1::json)
  as i (workflow_id uuid, step_id text, key text, run_id uuid, item_count int, item_size int,
    closes_at timestamptz)
where d.workflow_id = i.workflow_id and d.step_id = i.step_id and d.key = i.key;

-- runs_list_of_person (features/workflows/runs/eraser.ts)
with named as materialized (
  select id from runs
  where environment_id = $1 and external_user_id = $2 and id < $5 and id > $6 order by id limit $7
), addressed as (
  select found.id from (select distinct lower(theirs) as address from unnest($3::text[]) theirs) of_person
  cross join lateral (
    select id from runs
    where environment_id = $1 and lower(address) = of_person.address
      and (position('@' in address) > 0 or address = any ($3::text[]))
      and (external_user_id is null or lower(external_user_id) = any (array(select lower(alias) from unnest($4::text[]) alias)))
      and id < $5 and id > $6 and id <= coalesce((select id from named order by id offset $7 - 1), $5)
    order by id limit $7) found
), slice as materialized (
  select id from named union select id from addressed order by id limit $7
)
select id from slice order by id;

-- runs_redact (features/workflows/runs/eraser.ts)
with steps as (update run_steps set output = null where run_id = any ($1::uuid[]) and output is not null),
items as (update digest_items set item = '{}' where source_run_id = any ($1::uuid[]))
update runs set trigger_data = '{}', external_user_id = null, address = null, failure_reason = null
where id = any ($1::uuid[]);

-- runs_forget (features/workflows/runs/housekeeping.ts)
with old as (
  select id from runs where id > $1 and id < $2 and completed_at < $3 order by id limit $4
), steps as (
  delete from run_steps where run_id in (select id from old)
), items as (
  delete from digest_items where run_id in (select id from old)
), gone as (
  delete from runs where id in (select id from old)
)
select max(id::text) as last from old;

-- runs_find (features/workflows/runs/store.ts)
select r.id, r.environment_id, r.workflow_id, r.version, r.status, r.current_step_id, r.external_user_id, r.trigger_data,
  r.failure_reason, r.completed_at, w.key as workflow_key
from runs r join workflows w on w.id = r.workflow_id where r.id = $1 and r.environment_id = $2;

-- runs_insert (features/workflows/runs/store.ts)
with input as materialized (
  select * from json_to_recordset($1::json) as (id uuid, environment_id uuid, workflow_id uuid, version int,
    external_user_id text, address text, trigger_data json, chain text, operation text, key text, body_hash text, lane smallint,
    run_at timestamptz, tag bigint)
),
fresh as (
insert into idempotency_claims as known (key_hash, environment_id, body_hash, resource_id)
select idempotency_hash(environment_id, operation, key), environment_id, left(body_hash, 32)::uuid, resource_id from (select *, id as resource_id from input where key is not null) claims
-- everyone locks in this order: no deadlocks
order by 1
on conflict (key_hash) do update
  set body_hash = excluded.body_hash, resource_id = excluded.resource_id, created_at = now()
  where known.created_at < now() - interval '24 hours'
returning resource_id),
taken as materialized (select * from input where key is null or id in (select resource_id from fresh)),

 queue_postponed as (
   insert into queue_later (kind, id, lane, environment_id, run_at)
   select 5, id, lane, environment_id, run_at from (select id, lane, environment_id, run_at, tag from taken) work where run_at is not null
 ),

 queue_source as (select 5::smallint as kind, id, lane, environment_id, null::jsonb as note, tag from (select id, lane, environment_id, run_at, tag from taken) work where run_at is null),
 queue_arriving as (
   select kind, lane, environment_id, count(*)::int as burst from queue_source where tag is null group by 1, 2, 3
 ),
 queue_floors as (
   select kind, lane, coalesce(
     (select r.tag - 1 from queue_ready r
      where r.kind = l.kind and r.lane = l.lane and r.tag >= ($2::bigint[])[l.kind * 3 + l.lane + 1]
      order by r.tag limit 1),
     (select t.last_tag from queue_turns t where t.kind = l.kind and t.lane = l.lane order by t.last_tag desc limit 1),
     0) as tag
   from (select distinct kind, lane from queue_arriving) l
 ),
 queue_taken_turns as (
   insert into queue_turns as turn (kind, lane, environment_id, last_tag, burst)
   select a.kind, a.lane, a.environment_id, f.tag + a.burst, a.burst
   from queue_arriving a join queue_floors f using (kind, lane)
   -- Everyone locks in this order: no deadlocks. Deliveries come last, as in transactions, which end with what they announce.
   order by a.kind = 3, 1, 2, 3
   on conflict (kind, lane, environment_id) do update
     set last_tag = greatest(turn.last_tag, excluded.last_tag - excluded.burst) + excluded.burst, burst = excluded.burst
   returning kind, lane, environment_id, last_tag - burst as before
 ),
 queue_enqueued as (
 insert into queue_ready (id, kind, lane, tag, environment_id, note)
 select s.id, s.kind, s.lane, coalesce(s.tag,
   t.before + row_number() over (partition by s.kind, s.lane, s.environment_id, s.tag is null order by s.id)),
   s.environment_id, s.note
 from queue_source s left join queue_taken_turns t using (kind, lane, environment_id)),
inserted as (
  insert into runs (id, environment_id, workflow_id, version, status, external_user_id, address, trigger_data, chain)
  select id, environment_id, workflow_id, version, 'pending', external_user_id, address, trigger_data, chain from taken
)
select id from taken;

-- runs_list_steps (features/workflows/runs/store.ts)
select seq, step_id, kind, attempt_id, status, outcome, notification_id, output, next_step_id, next_scheduled_at,
  started_at, completed_at
from run_steps where run_id = $1 order by seq;

-- runs_load (features/workflows/runs/store.ts)
select r.id, r.environment_id, r.workflow_id, r.version, r.status, r.external_user_id, r.address, r.trigger_data, r.chain,
  r.state, e.kind as environment_kind, e.organization_id, o.plan, v.id as event_id, v.name as event_name, v.data as event_data, s.moves,
  u.timezone as recipient_timezone,
  floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now
from runs r
join environments e on e.id = r.environment_id
join organizations o on o.id = e.organization_id
left join end_users u on u.environment_id = r.environment_id and u.external_user_id = r.external_user_id
left join run_sends s on s.run_id = r.id
left join run_waits w on w.run_id = r.id
left join workflow_events v on v.id = w.event_id
where r.id = any ($1::uuid[]);

-- runs_lock (features/workflows/runs/store.ts)
select id, status from runs where id = any ($1::uuid[]) order by id for update;

-- runs_mark_cancelling (features/workflows/runs/store.ts)
update runs set status = 'cancelling' where id = any ($1::uuid[]);

-- runs_update (features/workflows/runs/store.ts)
update runs r set status = i.status, current_step_id = i.current_step_id, state = i.state,
  external_user_id = i.external_user_id, address = i.address, failure_reason = i.failure_reason,
  completed_at = i.completed_at
from json_to_recordset($1::json) as i (id uuid, status text, current_step_id text, state json, external_user_id text,
  address text, failure_reason text, completed_at timestamptz)
where r.id = i.id;

-- runs_upsert_steps (features/workflows/runs/store.ts)
insert into run_steps (run_id, seq, step_id, kind, attempt_id, status, outcome, notification_id, event_id, output,
  next_step_id, next_scheduled_at, started_at, completed_at)
select "runId", seq, "stepId", kind, "attemptId", status, outcome, "notificationId", "eventId", output, "nextStepId",
  to_timestamp("nextScheduledAt" / 1000.0), to_timestamp("startedAt" / 1000.0), to_timestamp("completedAt" / 1000.0)
from json_to_recordset($1::json) as ("runId" uuid, seq int, "stepId" text, kind text, "attemptId" text, status text,
  outcome text, "notificationId" uuid, "eventId" uuid, output json, "nextStepId" text, "nextScheduledAt" float8,
  "startedAt" float8, "completedAt" float8)
on conflict (run_id, seq) do update set status = excluded.status, outcome = excluded.outcome,
  notification_id = excluded.notification_id, event_id = excluded.event_id, output = excluded.output,
  next_step_id = excluded.next_step_id, next_scheduled_at = excluded.next_scheduled_at,
  completed_at = excluded.completed_at;

-- runs_delete_expired_throttles (features/workflows/runs/throttles.ts)
delete from throttles where ctid = any (array(
  select ctid from throttles where expires_at < now() order by expires_at limit $1 for update skip locked))
returning 1 as one;

-- runs_lock_throttles (features/workflows/runs/throttles.ts)
insert into throttles as t (workflow_id, step_id, key_hash, passes, expires_at)
select workflow_id, step_id, decode(key_hash, 'hex'), '{}', now()
from json_to_recordset($1::json) as (workflow_id uuid, step_id text, key_hash text)
order by workflow_id, step_id, key_hash -- everyone locks in this order: no deadlocks
on conflict (workflow_id, step_id, key_hash) do update set passes = t.passes
returning workflow_id, step_id, encode(key_hash, 'hex') as key_hash, passes::float8[];

-- runs_update_throttles (features/workflows/runs/throttles.ts)
update throttles t set passes = i.passes, expires_at = i.expires_at
from json_to_recordset($1::json)
  as i (workflow_id uuid, step_id text, key_hash text, passes bigint[], expires_at timestamptz)
where t.workflow_id = i.workflow_id and t.step_id = i.step_id and t.key_hash = decode(i.key_hash, 'hex');

-- runs_claim_waits (features/workflows/runs/waits-store.ts)
update run_waits w set event_id = i.event_id
from unnest($1::uuid[], $2::uuid[]) as i (run_id, event_id) where w.run_id = i.run_id;

-- runs_delete_sends (features/workflows/runs/waits-store.ts)
delete from run_sends where run_id = any ($1::uuid[]);

-- runs_delete_spent_events (features/workflows/runs/waits-store.ts)
delete from workflow_events e where id = any ($1::uuid[])
and not exists (select from workflow_event_keys k where k.event_id = e.id)
and not exists (select from run_waits w where w.event_id = e.id);

-- runs_delete_waits (features/workflows/runs/waits-store.ts)
delete from run_waits where run_id = any ($1::uuid[]);

-- runs_find_past_events (features/workflows/runs/waits-store.ts)
select i.run_id, past.event_id
from json_to_recordset($1::json) as i (run_id uuid, wait_key text, lowest_id uuid)
join runs r on r.id = i.run_id
cross join lateral (
  select k.event_id from workflow_event_keys k join workflow_events e on e.id = k.event_id
  where k.wait_key = decode(i.wait_key, 'hex') and k.event_id >= i.lowest_id and e.id >= i.lowest_id
    and e.arrived_at >= greatest(r.triggered_at, now() - make_interval(days => 7))
    and (e.run_id is null or e.run_id = i.run_id)
    and not exists (select from run_steps s where s.run_id = i.run_id and s.event_id = e.id)
  order by k.event_id limit 1
) past;

-- runs_find_sending_run (features/workflows/runs/waits-store.ts)
select split_part(idempotency_key, ':', 2)::uuid as run_id, chain from notifications
where id = $1 and environment_id = $2 and chain is not null and idempotency_key is not null;

-- runs_insert_event (features/workflows/runs/waits-store.ts)
with event as (insert into workflow_events (id, run_id, name, data, environment_id) values ($1, $2, $3, $4, $6))
insert into workflow_event_keys (wait_key, event_id) select decode(key, 'hex'), $1 from unnest($5::text[]) as key;

-- runs_insert_sends (features/workflows/runs/waits-store.ts)
insert into run_sends (notification_id, run_id, wait_for)
select notification_id, run_id, wait_for
from json_to_recordset($1::json) as (notification_id uuid, run_id uuid, wait_for text);

-- runs_insert_waits (features/workflows/runs/waits-store.ts)
insert into run_waits (run_id, wait_key)
select run_id, decode(wait_key, 'hex') from json_to_recordset($1::json) as (run_id uuid, wait_key text);

-- runs_lock_open_wait (features/workflows/runs/waits-store.ts)
select run_id from run_waits where run_id = $2 and wait_key = any ($1::bytea[]) and event_id is null for update;

-- runs_lock_open_waits (features/workflows/runs/waits-store.ts)
select run_id from run_waits where wait_key = any ($1::bytea[]) and event_id is null order by run_id for update;

-- runs_lock_sends (features/workflows/runs/waits-store.ts)
select run_id, moves from run_sends where run_id = any ($1::uuid[]) order by notification_id for update;

-- runs_lock_wait_keys (features/workflows/runs/waits-store.ts)
select pg_advisory_xact_lock(key) from unnest($1::bigint[]) as key;

-- runs_lock_waits (features/workflows/runs/waits-store.ts)
select run_id, event_id from run_waits where run_id = any ($1::uuid[]) order by run_id for update;

-- runs_move_sends (features/workflows/runs/waits-store.ts)
update run_sends s set moves = moves + 1
from (
  select s.notification_id from run_sends s
  join unnest($1::uuid[], $2::text[]) as i (notification_id, status) on i.notification_id = s.notification_id
  where s.wait_for = 'sent' or i.status <> 'sent'
  order by 1 for update of s
) as moved
where s.notification_id = moved.notification_id
returning s.run_id;

-- runs_remove_old_events (features/workflows/runs/waits-store.ts)
delete from workflow_events where id = any (array(
  select id from workflow_events e where id < $1::uuid
    and not exists (select from run_waits w where w.event_id = e.id)
  order by id limit $2))
returning 1 as one;

-- runs_share_wait_keys (features/workflows/runs/waits-store.ts)
select pg_advisory_xact_lock_shared(key) from unnest($1::bigint[]) as key;

-- workflows_activate_version (features/workflows/workflows/store.ts)
update workflow_versions set activated_at = now(), deactivated_at = null where workflow_id = $1 and version = $2;

-- workflows_count_triggers (features/workflows/workflows/store.ts)
select workflow_id, sum(triggered)::float8 as count from workflow_activity
where workflow_id = any ($1::uuid[]) and slot > $2 group by workflow_id;

-- workflows_deactivate_versions (features/workflows/workflows/store.ts)
update workflow_versions set deactivated_at = now()
where workflow_id = $1 and activated_at is not null and deactivated_at is null;

-- workflows_find (features/workflows/workflows/store.ts)
select id, environment_id, key, name, description, status, active_version, latest_version, updated_at from workflows where environment_id = $1 and key = $2;

-- workflows_find_live (features/workflows/workflows/store.ts)
select id from environments where organization_id = $1 and kind = 'live' order by id limit 1;

-- workflows_find_version (features/workflows/workflows/store.ts)
select workflow_id, version, id, body, secrets_sealed, template_keys, activated_at, deactivated_at
from workflow_versions where workflow_id = $1 and version = $2;

-- workflows_insert (features/workflows/workflows/store.ts)
insert into workflows (id, environment_id, key, name, description)
select $1, $2, $3, $4, $5 where (select count(*) from workflows where environment_id = $2) < $6
on conflict (environment_id, key) do nothing
returning id, environment_id, key, name, description, status, active_version, latest_version, updated_at;

-- workflows_insert_patterns (features/workflows/workflows/store.ts)
insert into workflow_patterns (workflow_id, hash, event_name, paths, lookback)
select $1, decode(hash, 'hex'), event_name, array(select json_array_elements_text(paths)), lookback
from json_to_recordset($2::json) as (hash text, event_name text, paths json, lookback boolean)
on conflict do nothing;

-- workflows_insert_version (features/workflows/workflows/store.ts)
insert into workflow_versions (workflow_id, version, id, body, secrets_sealed, template_keys)
values ($1, $2, $3, $4, $5, $6);

-- workflows_list_bodies (features/workflows/workflows/store.ts)
select v.workflow_id, v.version, v.id, w.key, v.body, v.secrets_sealed
from unnest($1::uuid[], $2::int[]) as wanted (workflow_id, version)
join workflow_versions v using (workflow_id, version)
join workflows w on w.id = v.workflow_id;

-- workflows_list_patterns (features/workflows/workflows/store.ts)
select paths, bool_or(lookback) as lookback from workflow_patterns
where workflow_id = $1 and event_name = $2 group by paths;

-- workflows_list_template_users (features/workflows/workflows/store.ts)
select w.key from workflows w
join workflow_versions v on v.workflow_id = w.id and v.version = w.active_version
where w.environment_id = $1 and w.status = 'active' and $2 = any (v.template_keys)
order by w.key limit 20;

-- workflows_list_unsealed (features/workflows/workflows/store.ts)
select id, body from workflow_versions where secrets_sealed is null limit $1;

-- workflows_list_versions (features/workflows/workflows/store.ts)
select workflow_id, version, id, activated_at, deactivated_at from workflow_versions
where workflow_id = $1 and ($2::uuid is null or id < $2)
order by version desc limit $3;

-- workflows_list_with_secrets (features/workflows/workflows/store.ts)
select id, body, secrets_sealed from workflow_versions
where workflow_id = $1 and (secrets_sealed is null or secrets_sealed <> '{}')
order by version desc limit $2;

-- workflows_lock (features/workflows/workflows/store.ts)
select id, environment_id, key, name, description, status, active_version, latest_version, updated_at from workflows where environment_id = $1 and key = $2 for update;

-- workflows_seal_version (features/workflows/workflows/store.ts)
update workflow_versions set body = $2, secrets_sealed = $3
where id = $1 and secrets_sealed is null;

-- workflows_update (features/workflows/workflows/store.ts)
update workflows
set name = $2, description = $3, status = $4, active_version = $5, latest_version = $6, updated_at = now()
where id = $1
returning id, environment_id, key, name, description, status, active_version, latest_version, updated_at;

-- http_insert_rate_buckets (http/access.ts)
insert into rate_buckets (key_id, tokens, refilled_at)
select key_id, tokens, now() from unnest($1::uuid[], $2::float8[]) as d (key_id, tokens) order by key_id
on conflict (key_id) do nothing;

-- http_take_rate_tokens (http/access.ts)
with demand as (
  select * from unnest($1::uuid[], $2::float8[], $3::float8[], $4::float8[]) as d (key_id, rate, capacity, wanted)
), locked as (
  select key_id, tokens, refilled_at from rate_buckets where key_id = any($1) order by key_id for update
), filled as (
  select key_id, wanted, now.at,
    least(capacity, tokens + rate * greatest(0, extract(epoch from now.at - refilled_at))) as tokens
  from locked join demand using (key_id), (select clock_timestamp() as at) as now
)
update rate_buckets as b
set tokens = f.tokens - least(f.wanted, floor(f.tokens)), refilled_at = greatest(b.refilled_at, f.at)
from filled f
where b.key_id = f.key_id
returning b.key_id, least(f.wanted, floor(f.tokens)) as granted, b.tokens;

-- compact_find_slice_end (operator/compact.ts)
select max(id::text)::uuid as id, count(*)::int as count
from (select id from notifications where id > $1 order by id limit 1000) as slice;

-- compact_lock_old_form (operator/compact.ts)
select id, resent_from, events, trace, history from notifications
where id > $1 and id <= $2 and (events <> '[]' or trace <> '[]')
order by id for no key update skip locked;

-- compact_rewrite (operator/compact.ts)
update notifications n set history = i.history, events = '[]', trace = '[]'
from json_to_recordset($1::json) as i (id uuid, history text) where n.id = i.id;

-- queue_find_ready (queue/fairness.ts)
select kind, lane, tag::float8 from unnest($1::smallint[]) as kind, unnest($2::smallint[]) as lane cross join lateral (
select r.tag from queue_ready r
where r.kind = kind.kind and r.lane = lane.lane and r.tag >= ($3::bigint[])[kind.kind * 3 + lane.lane + 1]
order by r.tag limit 1) first;

-- queue_reserve_tags (queue/fairness.ts)
with queue_arriving as (
  select * from json_to_recordset($1::json) as (kind smallint, lane smallint, environment_id uuid, burst int)
), queue_floors as (
   select kind, lane, coalesce(
     (select r.tag - 1 from queue_ready r
      where r.kind = l.kind and r.lane = l.lane and r.tag >= ($2::bigint[])[l.kind * 3 + l.lane + 1]
      order by r.tag limit 1),
     (select t.last_tag from queue_turns t where t.kind = l.kind and t.lane = l.lane order by t.last_tag desc limit 1),
     0) as tag
   from (select distinct kind, lane from queue_arriving) l
 ),
 queue_taken_turns as (
   insert into queue_turns as turn (kind, lane, environment_id, last_tag, burst)
   select a.kind, a.lane, a.environment_id, f.tag + a.burst, a.burst
   from queue_arriving a join queue_floors f using (kind, lane)
   -- Everyone locks in this order: no deadlocks. Deliveries come last, as in transactions, which end with what they announce.
   order by a.kind = 3, 1, 2, 3
   on conflict (kind, lane, environment_id) do update
     set last_tag = greatest(turn.last_tag, excluded.last_tag - excluded.burst) + excluded.burst, burst = excluded.burst
   returning kind, lane, environment_id, last_tag - burst as before
 )
select kind, lane, environment_id, (before + 1)::float8 as first, burst
from queue_taken_turns join queue_arriving using (kind, lane, environment_id);

-- queue_heartbeat (queue/heartbeat.ts)
insert into workers (id, alive_until) values ($1, now() + make_interval(secs => $2))
on conflict (id) do update set alive_until = excluded.alive_until
returning now();

-- queue_remove_dead_workers (queue/heartbeat.ts)
delete from workers w where alive_until < now() - interval '1 hour'
and not exists (select from queue_leased l where l.worker_id = w.id);

-- queue_remove_worker (queue/heartbeat.ts)
delete from workers where id = $1;

-- queue_count_waiting_for (queue/later-store.ts)
with recursive names as (
  (select waits_for as name from queue_later where environment_id = $1 and waits_for >= $5 and waits_for < $6
   order by waits_for limit 1)
  union all
  select (select l.waits_for from queue_later l
    where l.environment_id = $1 and l.waits_for > n.name and l.waits_for < $6 order by l.waits_for limit 1)
  from names n where n.name is not null
)
select name, waiting.count, waiting.oldest_at from names cross join lateral (
  select count(*)::int as count, min(waits_since) as oldest_at from (
    select waits_since from queue_later where environment_id = $1 and waits_for = name and kind = $2 limit $4) first) waiting
where starts_with(name, $3) and waiting.count > 0;

-- queue_find_due (queue/later-store.ts)
select run_at from queue_later where id = $1 and kind = $2;

-- queue_list_waiting_for (queue/later-store.ts)
select given.name, l.id, l.note from unnest($2::text[]) as given (name) cross join lateral (
  select lane, waits_since, id, note from queue_later
  where environment_id = $1 and waits_for = given.name and kind = $3
  order by lane, waits_since, id limit $4) l
order by given.name, l.lane, l.waits_since, l.id;

-- queue_postpone (queue/later-store.ts)
insert into queue_later (kind, id, lane, environment_id, note, run_at, waits_for, waits_since)
select * from json_to_recordset($1::json)
  as (kind smallint, id uuid, lane smallint, environment_id uuid, note jsonb, run_at timestamptz, waits_for text,
    waits_since timestamptz);

-- queue_promote (queue/later-store.ts)
with
 queue_source as (
 delete from queue_later where ctid = any (array(
   select ctid from queue_later where run_at <= now() order by run_at limit $1 for update skip locked))
 returning kind, id, lane, environment_id, note, null::bigint as tag),
 queue_arriving as (
   select kind, lane, environment_id, count(*)::int as burst from queue_source where tag is null group by 1, 2, 3
 ),
 queue_floors as (
   select kind, lane, coalesce(
     (select r.tag - 1 from queue_ready r
      where r.kind = l.kind and r.lane = l.lane and r.tag >= ($2::bigint[])[l.kind * 3 + l.lane + 1]
      order by r.tag limit 1),
     (select t.last_tag from queue_turns t where t.kind = l.kind and t.lane = l.lane order by t.last_tag desc limit 1),
     0) as tag
   from (select distinct kind, lane from queue_arriving) l
 ),
 queue_taken_turns as (
   insert into queue_turns as turn (kind, lane, environment_id, last_tag, burst)
   select a.kind, a.lane, a.environment_id, f.tag + a.burst, a.burst
   from queue_arriving a join queue_floors f using (kind, lane)
   -- Everyone locks in this order: no deadlocks. Deliveries come last, as in transactions, which end with what they announce.
   order by a.kind = 3, 1, 2, 3
   on conflict (kind, lane, environment_id) do update
     set last_tag = greatest(turn.last_tag, excluded.last_tag - excluded.burst) + excluded.burst, burst = excluded.burst
   returning kind, lane, environment_id, last_tag - burst as before
 )
 insert into queue_ready (id, kind, lane, tag, environment_id, note)
 select s.id, s.kind, s.lane, coalesce(s.tag,
   t.before + row_number() over (partition by s.kind, s.lane, s.environment_id, s.tag is null order by s.id)),
   s.environment_id, s.note
 from queue_source s left join queue_taken_turns t using (kind, lane, environment_id)
returning kind;

-- queue_release_waiting (queue/later-store.ts)
with
 queue_source as (
 delete from queue_later where ctid = any (array(
   select ctid from queue_later
   where environment_id = $1 and waits_for = $2 and kind = $3 and waits_since <= $4
   order by lane, waits_since, id limit $5 for update skip locked))
 returning kind, id, case when lane = 0 then lane else 2::smallint end as lane, environment_id,
   coalesce(note, '{}') || $7::jsonb as note, null::bigint as tag),
 queue_arriving as (
   select kind, lane, environment_id, count(*)::int as burst from queue_source where tag is null group by 1, 2, 3
 ),
 queue_floors as (
   select kind, lane, coalesce(
     (select r.tag - 1 from queue_ready r
      where r.kind = l.kind and r.lane = l.lane and r.tag >= ($6::bigint[])[l.kind * 3 + l.lane + 1]
      order by r.tag limit 1),
     (select t.last_tag from queue_turns t where t.kind = l.kind and t.lane = l.lane order by t.last_tag desc limit 1),
     0) as tag
   from (select distinct kind, lane from queue_arriving) l
 ),
 queue_taken_turns as (
   insert into queue_turns as turn (kind, lane, environment_id, last_tag, burst)
   select a.kind, a.lane, a.environment_id, f.tag + a.burst, a.burst
   from queue_arriving a join queue_floors f using (kind, lane)
   -- Everyone locks in this order: no deadlocks. Deliveries come last, as in transactions, which end with what they announce.
   order by a.kind = 3, 1, 2, 3
   on conflict (kind, lane, environment_id) do update
     set last_tag = greatest(turn.last_tag, excluded.last_tag - excluded.burst) + excluded.burst, burst = excluded.burst
   returning kind, lane, environment_id, last_tag - burst as before
 )
 insert into queue_ready (id, kind, lane, tag, environment_id, note)
 select s.id, s.kind, s.lane, coalesce(s.tag,
   t.before + row_number() over (partition by s.kind, s.lane, s.environment_id, s.tag is null order by s.id)),
   s.environment_id, s.note
 from queue_source s left join queue_taken_turns t using (kind, lane, environment_id)
returning id;

-- queue_run_now (queue/later-store.ts)
with
 queue_source as (
 delete from queue_later where kind = $1 and id = any ($2::uuid[])
 returning kind, id, lane, environment_id, note, null::bigint as tag),
 queue_arriving as (
   select kind, lane, environment_id, count(*)::int as burst from queue_source where tag is null group by 1, 2, 3
 ),
 queue_floors as (
   select kind, lane, coalesce(
     (select r.tag - 1 from queue_ready r
      where r.kind = l.kind and r.lane = l.lane and r.tag >= ($3::bigint[])[l.kind * 3 + l.lane + 1]
      order by r.tag limit 1),
     (select t.last_tag from queue_turns t where t.kind = l.kind and t.lane = l.lane order by t.last_tag desc limit 1),
     0) as tag
   from (select distinct kind, lane from queue_arriving) l
 ),
 queue_taken_turns as (
   insert into queue_turns as turn (kind, lane, environment_id, last_tag, burst)
   select a.kind, a.lane, a.environment_id, f.tag + a.burst, a.burst
   from queue_arriving a join queue_floors f using (kind, lane)
   -- Everyone locks in this order: no deadlocks. Deliveries come last, as in transactions, which end with what they announce.
   order by a.kind = 3, 1, 2, 3
   on conflict (kind, lane, environment_id) do update
     set last_tag = greatest(turn.last_tag, excluded.last_tag - excluded.burst) + excluded.burst, burst = excluded.burst
   returning kind, lane, environment_id, last_tag - burst as before
 )
 insert into queue_ready (id, kind, lane, tag, environment_id, note)
 select s.id, s.kind, s.lane, coalesce(s.tag,
   t.before + row_number() over (partition by s.kind, s.lane, s.environment_id, s.tag is null order by s.id)),
   s.environment_id, s.note
 from queue_source s left join queue_taken_turns t using (kind, lane, environment_id)
returning id;

-- queue_take_many_waiting (queue/later-store.ts)
with later as (
  delete from queue_later where ctid = any (array(
    select ctid from queue_later where id = any ($1::uuid[]) and kind = $2 order by id for update))
  returning id), ready as (
  delete from queue_ready where ctid = any (array(
    select ctid from queue_ready where id = any ($1::uuid[]) and kind = $2 order by id for update))
  returning id), parked as (
  delete from queue_parked where ctid = any (array(
    select ctid from queue_parked where id = any ($1::uuid[]) and kind = $2 order by id for update))
  returning id)
select id from later union all select id from ready union all select id from parked;

-- queue_take_parked (queue/later-store.ts)
delete from queue_parked where id = $1 and kind = $2 returning kind, id, lane, environment_id, note;

-- queue_take_waiting (queue/later-store.ts)
with l as (
  delete from queue_later where id = $1 and kind = $2
  returning kind, id, lane, environment_id, note, run_at, waits_for, waits_since),
r as (delete from queue_ready where id = $1 and kind = $2 returning kind, id, lane, environment_id, note)
select * from l union all select *, null, null, null from r;

-- queue_wake (queue/later-store.ts)
with
 queue_source as (
 delete from queue_later where ctid = any (array(
   select ctid from queue_later
   where environment_id = $1 and waits_for = $2 and kind = $3 and waits_since < $4
   order by lane limit $5 for update skip locked))
 returning kind, id, lane, environment_id, note, null::bigint as tag),
 queue_arriving as (
   select kind, lane, environment_id, count(*)::int as burst from queue_source where tag is null group by 1, 2, 3
 ),
 queue_floors as (
   select kind, lane, coalesce(
     (select r.tag - 1 from queue_ready r
      where r.kind = l.kind and r.lane = l.lane and r.tag >= ($6::bigint[])[l.kind * 3 + l.lane + 1]
      order by r.tag limit 1),
     (select t.last_tag from queue_turns t where t.kind = l.kind and t.lane = l.lane order by t.last_tag desc limit 1),
     0) as tag
   from (select distinct kind, lane from queue_arriving) l
 ),
 queue_taken_turns as (
   insert into queue_turns as turn (kind, lane, environment_id, last_tag, burst)
   select a.kind, a.lane, a.environment_id, f.tag + a.burst, a.burst
   from queue_arriving a join queue_floors f using (kind, lane)
   -- Everyone locks in this order: no deadlocks. Deliveries come last, as in transactions, which end with what they announce.
   order by a.kind = 3, 1, 2, 3
   on conflict (kind, lane, environment_id) do update
     set last_tag = greatest(turn.last_tag, excluded.last_tag - excluded.burst) + excluded.burst, burst = excluded.burst
   returning kind, lane, environment_id, last_tag - burst as before
 )
 insert into queue_ready (id, kind, lane, tag, environment_id, note)
 select s.id, s.kind, s.lane, coalesce(s.tag,
   t.before + row_number() over (partition by s.kind, s.lane, s.environment_id, s.tag is null order by s.id)),
   s.environment_id, s.note
 from queue_source s left join queue_taken_turns t using (kind, lane, environment_id)
returning id;

-- queue_add_to_notes (queue/store.ts)
update queue_leased l set note = coalesce(l.note, '{}') || i.note
from json_to_recordset($1::json) as i (id uuid, note jsonb)
where l.id = i.id and l.kind = $2 and l.worker_id = $3
returning l.id;

-- queue_begin (queue/store.ts)
update queue_leased l set note = i.note
from json_to_recordset($1::json) as i (id uuid, note jsonb)
where l.id = i.id and l.kind = $2 and l.worker_id = $3
returning l.id;

-- queue_claim (queue/store.ts)
with taken as (
  delete from queue_ready where ctid = any (array(
    select first.ctid from unnest($2::bigint[]) with ordinality as l (low, number) cross join lateral (
      select ctid from queue_ready
      where kind = $1 and lane = l.number - 1 and tag >= l.low order by tag limit $3 for update skip locked) first
    limit $3))
  returning kind, id, lane, environment_id, note, tag
), leased as (
  insert into queue_leased (kind, id, lane, environment_id, note, worker_id)
  select kind, id, lane, environment_id, note, $4 from taken
  returning id, leased_at
)
select kind, id, lane, environment_id, note, leased_at, tag::float8 from taken join leased using (id);

-- queue_claim_parked (queue/store.ts)
with taken as (
  delete from queue_parked where ctid = any (array(
    select ctid from queue_parked where kind = $1 and place = $2 order by lane, id limit $3 for update skip locked))
  returning kind, id, lane, environment_id, note
)
insert into queue_leased (kind, id, lane, environment_id, note, worker_id)
select kind, id, lane, environment_id, note, $4 from taken
returning kind, id, lane, environment_id, note, leased_at;

-- queue_depth (queue/store.ts)
select k.kind, l.lane,
  (select count(*)::int from (
     select from queue_ready r where r.kind = k.kind and r.lane = l.lane order by r.tag limit 10000) c) as waiting
from unnest($1::smallint[]) as k (kind), unnest($2::smallint[]) as l (lane);

-- queue_enqueue (queue/store.ts)
with
queue_source as (select * from json_to_recordset($1::json)
   as (kind smallint, id uuid, lane smallint, environment_id uuid, note jsonb, tag bigint)),
queue_arriving as (
  select kind, lane, environment_id, count(*)::int as burst from queue_source where tag is null group by 1, 2, 3
),
queue_floors as (
  select kind, lane, coalesce(
    (select r.tag - 1 from queue_ready r
     where r.kind = l.kind and r.lane = l.lane and r.tag >= ($2::bigint[])[l.kind * 3 + l.lane + 1]
     order by r.tag limit 1),
    (select t.last_tag from queue_turns t where t.kind = l.kind and t.lane = l.lane order by t.last_tag desc limit 1),
    0) as tag
  from (select distinct kind, lane from queue_arriving) l
),
queue_taken_turns as (
  insert into queue_turns as turn (kind, lane, environment_id, last_tag, burst)
  select a.kind, a.lane, a.environment_id, f.tag + a.burst, a.burst
  from queue_arriving a join queue_floors f using (kind, lane)
  -- Everyone locks in this order: no deadlocks. Deliveries come last, as in transactions, which end with what they announce.
  order by a.kind = 3, 1, 2, 3
  on conflict (kind, lane, environment_id) do update
    set last_tag = greatest(turn.last_tag, excluded.last_tag - excluded.burst) + excluded.burst, burst = excluded.burst
  returning kind, lane, environment_id, last_tag - burst as before
)
insert into queue_ready (id, kind, lane, tag, environment_id, note)
select s.id, s.kind, s.lane, coalesce(s.tag,
  t.before + row_number() over (partition by s.kind, s.lane, s.environment_id, s.tag is null order by s.id)),
  s.environment_id, s.note
from queue_source s left join queue_taken_turns t using (kind, lane, environment_id);

-- queue_find_old_leases (queue/store.ts)
select kind, id from queue_leased where worker_id = $1 and leased_at < now() - make_interval(secs => $2);

-- queue_find_parked_keys (queue/store.ts)
select k.kind, keys.place as concurrency_key, keys.environment_id
from unnest($1::smallint[]) as k (kind) cross join lateral (
  with recursive found as (
    (select place, environment_id from queue_parked where kind = k.kind order by place limit 1)
    union all
    select next.place, next.environment_id from found f cross join lateral (
      select p.place, p.environment_id from queue_parked p
      where p.kind = k.kind and p.place > f.place order by p.place limit 1) next
  )
  select place, environment_id from found limit $2) keys;

-- queue_finish (queue/store.ts)
delete from queue_leased where kind = $1 and id = any ($2::uuid[]) and worker_id = $3 returning id;

-- queue_park (queue/store.ts)
with input as (select * from json_to_recordset($1::json) as (id uuid, concurrency_key text)),
leased as (
  delete from queue_leased where kind = $2 and worker_id = $3 and id = any (array(select id from input))
  returning kind, id, lane, environment_id, note)
insert into queue_parked (kind, id, lane, environment_id, note, place)
select l.kind, l.id, l.lane, l.environment_id, l.note, i.concurrency_key from leased l join input i using (id)
returning id;

-- queue_release (queue/store.ts)
with
queue_source as (
delete from queue_leased where kind = $1 and id = any ($2::uuid[]) and worker_id = $3
returning kind, id, lane, environment_id, note, null::bigint as tag),
queue_arriving as (
  select kind, lane, environment_id, count(*)::int as burst from queue_source where tag is null group by 1, 2, 3
),
queue_floors as (
  select kind, lane, coalesce(
    (select r.tag - 1 from queue_ready r
     where r.kind = l.kind and r.lane = l.lane and r.tag >= ($4::bigint[])[l.kind * 3 + l.lane + 1]
     order by r.tag limit 1),
    (select t.last_tag from queue_turns t where t.kind = l.kind and t.lane = l.lane order by t.last_tag desc limit 1),
    0) as tag
  from (select distinct kind, lane from queue_arriving) l
),
queue_taken_turns as (
  insert into queue_turns as turn (kind, lane, environment_id, last_tag, burst)
  select a.kind, a.lane, a.environment_id, f.tag + a.burst, a.burst
  from queue_arriving a join queue_floors f using (kind, lane)
  -- Everyone locks in this order: no deadlocks. Deliveries come last, as in transactions, which end with what they announce.
  order by a.kind = 3, 1, 2, 3
  on conflict (kind, lane, environment_id) do update
    set last_tag = greatest(turn.last_tag, excluded.last_tag - excluded.burst) + excluded.burst, burst = excluded.burst
  returning kind, lane, environment_id, last_tag - burst as before
)
insert into queue_ready (id, kind, lane, tag, environment_id, note)
select s.id, s.kind, s.lane, coalesce(s.tag,
  t.before + row_number() over (partition by s.kind, s.lane, s.environment_id, s.tag is null order by s.id)),
  s.environment_id, s.note
from queue_source s left join queue_taken_turns t using (kind, lane, environment_id);

-- queue_rescue (queue/store.ts)
with
 queue_source as (
 delete from queue_leased where ctid = any (array(
   select l.ctid from queue_leased l
   where now() < $2 and not exists (select from workers w where w.id = l.worker_id and w.alive_until > now())
   limit $1 for update skip locked))
 returning kind, id, lane, environment_id, note, null::bigint as tag),
 queue_arriving as (
   select kind, lane, environment_id, count(*)::int as burst from queue_source where tag is null group by 1, 2, 3
 ),
 queue_floors as (
   select kind, lane, coalesce(
     (select r.tag - 1 from queue_ready r
      where r.kind = l.kind and r.lane = l.lane and r.tag >= ($3::bigint[])[l.kind * 3 + l.lane + 1]
      order by r.tag limit 1),
     (select t.last_tag from queue_turns t where t.kind = l.kind and t.lane = l.lane order by t.last_tag desc limit 1),
     0) as tag
   from (select distinct kind, lane from queue_arriving) l
 ),
 queue_taken_turns as (
   insert into queue_turns as turn (kind, lane, environment_id, last_tag, burst)
   select a.kind, a.lane, a.environment_id, f.tag + a.burst, a.burst
   from queue_arriving a join queue_floors f using (kind, lane)
   -- Everyone locks in this order: no deadlocks. Deliveries come last, as in transactions, which end with what they announce.
   order by a.kind = 3, 1, 2, 3
   on conflict (kind, lane, environment_id) do update
     set last_tag = greatest(turn.last_tag, excluded.last_tag - excluded.burst) + excluded.burst, burst = excluded.burst
   returning kind, lane, environment_id, last_tag - burst as before
 )
 insert into queue_ready (id, kind, lane, tag, environment_id, note)
 select s.id, s.kind, s.lane, coalesce(s.tag,
   t.before + row_number() over (partition by s.kind, s.lane, s.environment_id, s.tag is null order by s.id)),
   s.environment_id, s.note
 from queue_source s left join queue_taken_turns t using (kind, lane, environment_id)
returning kind;

-- queue_snooze (queue/store.ts)
with leased as (
  delete from queue_leased where kind = $1 and id = any ($2::uuid[]) and worker_id = $3
  returning kind, id, lane, environment_id, note)
insert into queue_later (kind, id, lane, environment_id, note, run_at)
select kind, id, lane, environment_id, note, now() + make_interval(secs => $4) from leased;
