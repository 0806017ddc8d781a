-- Events and trace in a compact form (docs/adr/0035): new rows have it in `history`, and `events` and `trace` keep what earlier releases wrote.
alter table notifications add column history text;
alter table notifications alter column history set statistics 0;
alter table notifications alter column events set default '[]';

-- Reads what features/notifications/notifications/history.ts writes; a test compares the two.
create function readable_history(id uuid, resent_from uuid, events jsonb, trace jsonb, history text) returns jsonb
language plpgsql stable parallel safe as $$
declare
  types constant text[] := array['Queued', 'Sending', 'Sent', 'Retrying', 'Failed', 'Suppressed', 'Held', 'Released', 'Delivered', 'Bounced',
    'Complained', 'DeliveryDelayed', 'Opened', 'Clicked', 'FailedOver', 'AttemptFailed'];
  gates constant text[] := array['broadcast', 'still_wanted', 'suppression_list', 'category_preference', 'quiet_hours', 'brake'];
  sentences constant text[] := array['Round {} of {} failed; the next is at {}', 'Throttled; the next attempt is at {}', 'Scheduled for {}.',
    'The address has been on the suppression list since {} ({}).', 'The recipient opted out of the category {} on {} ({}).',
    'The category {} is off on {} unless the recipient opts in.', 'Quiet hours of the recipient ({}): delayed until {}.',
    'Gave up after {} rounds; last: {}', 'Waited {} s for throttled providers; checked {} times.'];
  start constant bigint := ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint;
  texts text[] := '{}';
  entry jsonb;
  kind text;
  at text;
  given jsonb;
  detail text;
  parts text[];
  variable jsonb;
  place int;
  is_event boolean;
begin
  for entry in select value from jsonb_array_elements(('[' || coalesce(history, '') || ']')::jsonb) loop
    kind := entry ->> 0;
    is_event := jsonb_typeof(entry -> 0) = 'number';
    if kind = 'e' then
      events := events || (entry -> 1);
      continue;
    elsif kind = 't' then
      trace := trace || (entry -> 1);
      continue;
    elsif not is_event and kind not in ('p', 'g', 'd', 'a') then
      continue; -- of a later release
    end if;
    at := readable_time(start, entry -> 1);
    given := case kind when 'p' then null when 'g' then entry -> 4 when 'd' then entry -> 4 when 'a' then entry -> 5 else entry -> 2 end;
    detail := given #>> '{}';
    if jsonb_typeof(given) = 'number' then
      detail := texts[array_length(texts, 1) - (given #>> '{}')::int];
    elsif jsonb_typeof(given) = 'array' then
      parts := string_to_array(sentences[(given ->> 0)::int + 1], '{}');
      detail := parts[1];
      place := 1;
      for variable in select value from jsonb_array_elements(given - 0) loop
        place := place + 1;
        detail := concat(detail, readable_time(start, variable), parts[place]);
      end loop;
    end if;
    if is_event then
      events := events || jsonb_build_object('type', coalesce(types[kind::int + 1], 'Unknown'), 'occurred_at', at, 'detail', detail,
        'suppression_reason', entry -> 3);
    elsif kind = 'p' then
      trace := trace || jsonb_build_object('at', at, 'kind', 'passed', 'gates', case when jsonb_typeof(entry -> 2) = 'array' then entry -> 2 else
        (select coalesce(jsonb_agg(name order by bit), '[]') from unnest(gates) with ordinality as gate (name, bit)
         where (entry ->> 2)::int & (1 << (bit - 1)::int) <> 0) end);
    elsif kind = 'a' then
      texts := texts || concat(entry ->> 3, ': ', detail);
      trace := trace || (jsonb_build_object('at', at, 'kind', 'attempt', 'name', entry -> 3, 'provider_kind', coalesce(entry ->> 8, entry ->> 3),
        'verdict', case when entry ->> 4 = '0' then 'accepted' else entry ->> 4 end, 'detail', detail, 'code', entry -> 6,
        'provider_message_id', case when jsonb_typeof(entry -> 7) = 'array'
          then (select to_jsonb(string_agg(part, id::text order by place_of)) from jsonb_array_elements_text(entry -> 7) with ordinality as p (part, place_of))
          else entry -> 7 end, 'latency_ms', entry -> 2) || case when jsonb_typeof(entry -> 9) is distinct from 'array' then '{}'
        else jsonb_build_object('exchange', jsonb_build_object('method', entry -> 9 -> 0, 'url', entry -> 9 -> 1, 'request_bytes', entry -> 9 -> 2,
          'status', entry -> 9 -> 3, 'response_bytes', entry -> 9 -> 4)) end);
    else
      if detail is not null then texts := texts || detail; end if;
      trace := trace || jsonb_build_object('at', at, 'kind', case kind when 'g' then 'gate' else 'decision' end, 'name', entry -> 2,
        'verdict', entry -> 3, 'detail', detail);
    end if;
  end loop;
  if not exists (select from jsonb_array_elements(events) as event where event ->> 'type' = 'Queued') then
    events := jsonb_build_array(jsonb_build_object('type', 'Queued', 'occurred_at', readable_time(start, '0'),
      'detail', 'Resent from ' || resent_from::text, 'suppression_reason', null)) || events;
  end if;
  return jsonb_build_object('events', events, 'trace', trace);
end $$;

create function readable_time(start bigint, given jsonb) returns text language sql stable parallel safe as $$
  select case when jsonb_typeof(given) <> 'number' then given #>> '{}' else
    to_char(to_timestamp((case when abs((given #>> '{}')::bigint) < 100000000000 then start else 0 end + (given #>> '{}')::bigint) / 1000.0)
      at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') end
$$;

-- For people with psql.
create view notifications_readable as
select n.id, readable_time(('x' || left(replace(n.id::text, '-', ''), 12))::bit(48)::bigint, '0') as created_at, n.environment_id, n.channel,
  n.status, n.priority, n.address, n.recipient_name, n.external_user_id, n.category, n.template_key, n.idempotency_key, n.action_url,
  n.resent_from, n.broadcast_id, n.attempt_count, n.send_at, n.sent_at, n.suppression_reason, n.last_error,
  read.history -> 'events' as events, read.history -> 'trace' as trace
from notifications n
cross join lateral (select readable_history(n.id, n.resent_from, n.events, n.trace, n.history) as history offset 0) as read;

-- A settled row has hardly more bytes than an accepted one.
do $$
declare
  part regclass;
begin
  for part in select inhrelid::regclass from pg_inherits where inhparent = 'notifications'::regclass loop
    execute format('alter table %s set (fillfactor = 90)', part);
  end loop;
end $$;
