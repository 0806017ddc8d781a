-- Counts are found by one hash of the rule and its subject, which is quicker than two texts. Windows start anew.
drop table brake_counts;
create table brake_counts (
  environment_id uuid not null,
  subject uuid not null,
  slot_at timestamptz not null,
  amount bigint not null,
  expires_at timestamptz not null,
  primary key (environment_id, subject, slot_at)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
create index brake_counts_expired on brake_counts (expires_at);
