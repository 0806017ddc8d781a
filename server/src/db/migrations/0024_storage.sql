-- How much an environment with a quota stores: what was measured last, and what was accepted since. Written every few seconds by
-- each process that accepts, and by housekeeping.
create table environment_storage (
  environment_id uuid primary key references environments,
  measured_bytes bigint not null default 0,
  added_bytes bigint not null default 0,
  measured_at timestamptz not null default '-infinity',
  measure_after timestamptz not null default '-infinity'
) with (fillfactor = 50);
