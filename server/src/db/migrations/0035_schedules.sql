-- Recurring triggers. An active schedule has exactly one row in the queue, its timer, which is due at the next slot.
create table schedules (
  id uuid primary key,
  environment_id uuid not null references environments,
  key text not null,
  name text not null,
  target json not null, -- in the order of its author: files are compared with it
  cron text not null,
  rule json, -- the rule that the cron expression was made from
  timezone text not null,
  per_recipient_timezone boolean not null,
  starts_at timestamptz,
  ends_at timestamptz,
  missed_runs text not null check (missed_runs in ('skip', 'run_once')),
  status text not null check (status in ('active', 'paused', 'ended')),
  active_since timestamptz not null, -- slots before it never run
  next_slot timestamptz, -- null unless it is active
  timer_id uuid not null, -- the work item; a change gets a new one, so that a timer that is already claimed does nothing
  updated_at timestamptz not null default now(),
  unique (environment_id, key)
);
create index schedules_by_environment on schedules (environment_id, id);
create unique index schedules_by_timer on schedules (timer_id);

-- Slots that have run or were missed.
create table schedule_runs (
  id uuid primary key, -- its time is when it began
  environment_id uuid not null,
  schedule_id uuid not null references schedules on delete cascade,
  slot timestamptz not null,
  is_manual boolean not null,
  status text not null check (status in ('running', 'completed', 'failed', 'missed')),
  definition jsonb, -- what it does, as the schedule said when it began; null when it has ended
  last_user text, -- the last member of the audience that has been handled
  run_id uuid, -- of a target without an audience
  started_count integer not null default 0,
  skipped_count integer not null default 0,
  missed_count integer not null default 0,
  failure_reason text,
  completed_at timestamptz
);
create unique index schedule_runs_once on schedule_runs (schedule_id, slot) where not is_manual;
create index schedule_runs_by_schedule on schedule_runs (schedule_id, id);
create index schedule_runs_running on schedule_runs (environment_id) where status = 'running';
