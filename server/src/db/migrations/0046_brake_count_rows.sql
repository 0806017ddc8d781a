-- A row for each subject instead of one for each slot: an update changes no index, and the total of the window needs no other row. Windows
-- start anew.
drop table brake_counts;
create table brake_counts (
  subject uuid primary key,
  environment_id uuid not null,
  slot_at timestamptz not null,
  amount bigint not null,
  -- Of the rule, when it counted last.
  most bigint not null,
  window_seconds int not null,
  -- The earlier slots of the window, and their sum.
  past bigint not null default 0,
  past_slots timestamptz[],
  past_amounts bigint[]
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
