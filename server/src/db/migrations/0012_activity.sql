-- Figures to look at, not to settle accounts by (features/activity) -------------------------------------------

-- What happened to notifications. Everything is there twice: by minute for some hours, by ten minutes for seven days, so that a
-- look at a week reads no more rows than one at an hour. Each process adds up in memory and writes every few seconds.
create table activity (
  environment_id uuid not null,
  step smallint not null, -- seconds: 60 or 600
  at timestamptz not null, -- when the step began
  channel text not null,
  accepted integer not null,
  sent integer not null,
  delivered integer not null,
  failed integer not null,
  suppressed integer not null,
  bounced integer not null,
  complained integer not null,
  retried integer not null,
  latency integer[], -- sends by how long they took, in the classes of kernel/latency.ts; null: nothing was sent
  primary key (environment_id, step, at, channel)
) with (fillfactor = 70);
create index activity_by_age on activity (step, at);

-- Calls to webhook endpoints, by five minutes: an environment may have a thousand endpoints.
create table webhook_activity (
  environment_id uuid not null,
  endpoint_id uuid not null,
  slot timestamptz not null,
  succeeded integer not null,
  failed integer not null,
  latency integer[] not null,
  primary key (endpoint_id, slot)
) with (fillfactor = 70);
create index webhook_activity_by_environment on webhook_activity (environment_id, slot);
create index webhook_activity_by_age on webhook_activity (slot);

-- Who asked for the pause, by the id that people know it by; several may share one pace.
alter table provider_pauses add column provider text;
