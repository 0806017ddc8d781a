-- Definitions ------------------------------------------------------------------------------------------------

create table workflows (
  id uuid primary key,
  environment_id uuid not null references environments,
  key text not null,
  name text not null,
  description text,
  status text not null default 'draft' check (status in ('draft', 'active', 'disabled')),
  active_version integer, -- stays when it is disabled: activating it again is one call
  latest_version integer not null default 0,
  updated_at timestamptz not null default now(),
  unique (environment_id, key)
);
create index workflows_by_environment on workflows (environment_id, id);

-- Never changed once written: runs are pinned to one.
create table workflow_versions (
  workflow_id uuid not null references workflows,
  version integer not null,
  id uuid not null, -- its time is created_at
  body text not null, -- as it was given
  template_keys text[] not null, -- those it names literally
  activated_at timestamptz,
  primary key (workflow_id, version)
);

-- What the versions that were ever active wait for, so that an event's keys can be computed from its data.
create table workflow_patterns (
  workflow_id uuid not null references workflows,
  hash bytea not null, -- of the columns below, which may be long
  event_name text not null,
  paths text[] not null,
  lookback boolean not null,
  primary key (workflow_id, hash)
);

-- Runs -------------------------------------------------------------------------------------------------------

-- A run that has not ended has exactly one row in the queue: ready or leased while there is something to do, later while it
-- waits. Whatever wakes it moves that row.
create table runs (
  id uuid primary key,
  environment_id uuid not null,
  workflow_id uuid not null,
  version integer not null,
  status text not null,
  current_step_id text,
  external_user_id text,
  trigger_data json not null,
  state json, -- the engine's own memory; null before the first step and after the last
  failure_reason text,
  triggered_at timestamptz not null default now(), -- by the database's clock, like the arrival of events
  completed_at timestamptz
) with (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
create index runs_by_workflow on runs (workflow_id, id);
create index runs_by_status on runs (workflow_id, status, id);
create index runs_by_user on runs (environment_id, external_user_id, id) where external_user_id is not null;

create table run_steps (
  run_id uuid not null,
  seq integer not null,
  step_id text not null,
  kind text not null,
  attempt_id text not null,
  status text not null,
  outcome text,
  notification_id uuid,
  event_id uuid, -- what woke it
  output json,
  next_step_id text,
  next_scheduled_at timestamptz,
  started_at timestamptz not null,
  completed_at timestamptz,
  primary key (run_id, seq)
);

-- Runs that wait for an event. The key is a hash of the workflow, the name of the event and the values to match. An event
-- claims a wait by writing its id here, a timeout by removing the row: the row lock decides which of them it is.
create table run_waits (
  run_id uuid primary key,
  wait_key bytea not null,
  event_id uuid
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
create index run_waits_open on run_waits (wait_key) where event_id is null;
create index run_waits_claimed on run_waits (event_id) where event_id is not null;

-- Events that woke a run or that a run may yet look back for. Kept for days.
create table workflow_events (
  id uuid primary key,
  run_id uuid, -- posted to this run alone
  name text not null,
  data json not null,
  arrived_at timestamptz not null default clock_timestamp()
);

create table workflow_event_keys (
  wait_key bytea not null,
  event_id uuid not null references workflow_events on delete cascade,
  primary key (wait_key, event_id)
);
create index workflow_event_keys_by_event on workflow_event_keys (event_id);

-- Runs that wait for a notification to get somewhere. Empty for everybody else, so the dispatcher's look costs nothing.
create table run_sends (
  notification_id uuid primary key,
  run_id uuid not null,
  wait_for text not null check (wait_for in ('sent', 'delivered')),
  moves integer not null default 0 -- how often it got somewhere: a run that is just going to wait must not miss one
);
create index run_sends_by_run on run_sends (run_id);

-- Open digests. Whoever adds an item locks the row; whoever closes one removes it. So an item is in one or opens the next.
create table digests (
  workflow_id uuid not null,
  step_id text not null,
  key text not null,
  run_id uuid not null, -- the one that survives
  item_count integer not null,
  item_size integer not null, -- characters of all of them
  closes_at timestamptz not null,
  primary key (workflow_id, step_id, key)
);
create index digests_by_run on digests (run_id);

-- Until the surviving run has read them.
create table digest_items (
  run_id uuid not null, -- the surviving one
  source_run_id uuid not null,
  item json not null,
  primary key (run_id, source_run_id)
);
create index digest_items_by_source on digest_items (source_run_id);
