-- A slot of a schedule may start a broadcast.
alter table schedule_runs add column broadcast_id uuid;

-- Users whose moment of send_at_local is outside of this period are skipped.
alter table broadcasts add column local_from timestamptz, add column local_until timestamptz;
