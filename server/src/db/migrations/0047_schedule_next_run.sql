-- Lists show the next run of a schedule without computing it. Null until the next slot of a schedule that exists already: then they show
-- the slot.
alter table schedules add column next_run_at timestamptz;
