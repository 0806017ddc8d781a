-- The runaway brake: limits on what an environment sends, what they hold, and freezes.
create table brake_rules (
  id uuid primary key,
  environment_id uuid not null references environments (id),
  key text not null,
  name text not null,
  scope text not null check (scope in ('environment', 'key', 'category', 'workflow', 'recipient', 'chain', 'spike')),
  match jsonb not null,
  per_template boolean not null,
  period text not null check (period in ('minute', 'hour', 'day')),
  unit text not null check (unit in ('messages', 'money')),
  max_amount bigint not null,
  action text not null check (action in ('hold', 'delay', 'suppress', 'notify', 'refuse')),
  hold_expires_hours integer not null,
  includes_critical boolean not null,
  is_enabled boolean not null,
  unique (environment_id, key)
);

-- What was sent, by rule and by what the rule limits, in small slots of time. Recipients are hashed: rows live for a day.
create table brake_counts (
  environment_id uuid not null,
  rule text not null,
  subject text not null,
  slot_at timestamptz not null,
  amount bigint not null,
  expires_at timestamptz not null,
  primary key (environment_id, rule, subject, slot_at)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
create index brake_counts_expired on brake_counts (expires_at);

-- Since when a rule stops notifications, and when it last did: one event for each time that it starts.
create table brake_engagements (
  environment_id uuid not null,
  rule text not null,
  engaged_at timestamptz not null,
  last_at timestamptz not null,
  detail text not null,
  primary key (environment_id, rule)
);

create table brake_freezes (
  environment_id uuid not null references environments (id),
  channel text not null, -- or 'all'
  reason text,
  hold_expires_hours integer not null,
  frozen_by uuid,
  frozen_at timestamptz not null,
  primary key (environment_id, channel)
);

-- Decisions about held notifications, and how far they are carried out. The held work itself is in queue_later (waits_for).
create table brake_releases (
  id uuid primary key,
  environment_id uuid not null references environments (id),
  hold text not null, -- the key of a rule, or freeze:CHANNEL
  action text not null check (action in ('release', 'cancel')),
  status text not null check (status in ('running', 'done', 'cancelled')),
  total bigint not null,
  done bigint not null default 0,
  held_before timestamptz not null, -- what is held later is not part of it
  started_at timestamptz not null,
  completed_at timestamptz
);
create index brake_releases_by_environment on brake_releases (environment_id, id);

-- The API key or the workflow that sent a notification. Runs that trigger runs form a chain (ID;DEPTH), which their notifications and
-- events carry.
alter table notifications add column source_id uuid, add column chain text;
alter table runs add column chain text; -- null: the run begins a chain of its own
alter table webhook_events add column chain text;
