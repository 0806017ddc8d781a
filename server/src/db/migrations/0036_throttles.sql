-- The last passes of throttle steps. A row is locked by whoever wants to pass, and deleted when its window is over.
create table throttles (
  workflow_id uuid not null,
  step_id text not null,
  key_hash bytea not null, -- keys may name people
  passes bigint[] not null, -- Unix milliseconds, at most as many as the limit; those of runs that wait are in the future
  expires_at timestamptz not null,
  primary key (workflow_id, step_id, key_hash)
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
create index throttles_by_expiry on throttles (expires_at);
