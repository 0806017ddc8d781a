-- What providers have told already, so that nothing they repeat counts twice. Written in the transaction of its effect; kept
-- for longer than any provider repeats itself. The id is a hash: providers choose theirs, of any length.
create table callback_events (
  environment_id uuid not null,
  provider_id uuid not null,
  event_hash bytea not null,
  seen_at timestamptz not null,
  primary key (environment_id, provider_id, event_hash)
);
create index callback_events_by_age on callback_events (seen_at);
alter table callback_events set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
