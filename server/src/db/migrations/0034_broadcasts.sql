-- One message to an audience. The row is its definition and its progress; the lock on it orders slices, pauses and cancellations.
create table broadcasts (
  id uuid primary key,
  environment_id uuid not null references environments (id),
  status text not null check (status in ('scheduled', 'preparing', 'running', 'paused', 'done', 'cancelled')),
  -- The status to return to, and why the service itself paused.
  paused_from text,
  pause_reason text,
  name text not null,
  request json not null, -- as it was given
  filter jsonb not null, -- the audience, checked
  channels text[] not null,
  contents json not null, -- by channel: texts, pinned template version, connection
  template_key text,
  template_data jsonb not null,
  category text,
  action_url text,
  starts_at timestamptz,
  send_at_local text,
  timezone text not null,
  rate_per_second integer,
  -- Counts up with each change that replaces the work item: an older one ends without effect.
  epoch integer not null default 0,
  -- The last user that was reached; null once all were.
  cursor text,
  total integer not null default 0,
  recipients integer not null default 0,
  skipped integer not null default 0,
  counts jsonb not null default '{}',
  -- How many were sent to for each moment of send_at_local, for the rate limit.
  local_moments jsonb not null default '{}',
  first_id uuid,
  last_id uuid,
  last_send_at timestamptz,
  next_slice_at timestamptz,
  started_at timestamptz,
  -- Since when, and from where, the rate for the estimated end is measured.
  measured_at timestamptz,
  measured_done integer not null default 0,
  completed_at timestamptz
) with (fillfactor = 50);
create index broadcasts_by_environment on broadcasts (environment_id, id);
create index broadcasts_open on broadcasts (environment_id) where completed_at is null;

-- Changes of status of their notifications, added to `counts` by the slices. Rows that are only added lock nothing: counters
-- would make the workers wait for each other.
create table broadcast_changes (
  broadcast_id uuid not null,
  old_status text not null,
  new_status text not null
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
create index broadcast_changes_by_broadcast on broadcast_changes (broadcast_id);

alter table notifications add column broadcast_id uuid;

-- A trigger, so that no writer can forget it. It costs other notifications the comparison with null.
create function track_broadcast_status() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    insert into broadcast_changes values (old.broadcast_id, old.status, 'deleted');
  else
    insert into broadcast_changes values (new.broadcast_id, old.status, new.status);
  end if;
  return null;
end $$;

create trigger broadcast_status_updated after update of status on notifications
  for each row when (new.broadcast_id is not null and old.status is distinct from new.status)
  execute function track_broadcast_status();

create trigger broadcast_recipient_deleted after delete on notifications
  for each row when (old.broadcast_id is not null and old.status = 'queued')
  execute function track_broadcast_status();
