-- outside of a transaction: sends go on while the existing rows are read
-- Which notifications failed, were suppressed, bounced or were complained about. It takes the place of an index by status, which
-- made every change of a status write to all indexes of the table: without it these updates are HOT (docs/adr/0023).
create table if not exists notification_rare_statuses (
  environment_id uuid not null,
  status text not null,
  id uuid not null,
  primary key (environment_id, status, id)
);

-- A trigger, so that no writer can forget it, the previous release included.
create or replace function track_rare_status() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    delete from notification_rare_statuses where environment_id = old.environment_id and status = old.status and id = old.id;
  end if;
  if tg_op <> 'DELETE' and new.status in ('failed', 'suppressed', 'bounced', 'complained') then
    insert into notification_rare_statuses (environment_id, status, id) values (new.environment_id, new.status, new.id)
    on conflict do nothing;
  end if;
  return null;
end $$;

create or replace trigger rare_status_inserted after insert on notifications
  for each row when (new.status in ('failed', 'suppressed', 'bounced', 'complained'))
  execute function track_rare_status();

create or replace trigger rare_status_updated after update of status on notifications
  for each row when (old.status is distinct from new.status
    and (old.status in ('failed', 'suppressed', 'bounced', 'complained') or new.status in ('failed', 'suppressed', 'bounced', 'complained')))
  execute function track_rare_status();

create or replace trigger rare_status_deleted after delete on notifications
  for each row when (old.status in ('failed', 'suppressed', 'bounced', 'complained'))
  execute function track_rare_status();

-- in slices
with slice as materialized (
  select id from notifications where id > $1::uuid order by id limit 5000
), rare as materialized (
  -- The lock keeps a row from being deleted before it is listed here.
  select environment_id, status, id from notifications
  where id > $1::uuid and id <= (select max(id::text)::uuid from slice) and status in ('failed', 'suppressed', 'bounced', 'complained')
  for key share
), listed as (
  insert into notification_rare_statuses (environment_id, status, id) select environment_id, status, id from rare on conflict do nothing
)
select max(id::text) as last from slice;

-- Scheduled, deferred and retried sends of an environment.
create index concurrently if not exists queue_later_by_environment on queue_later (environment_id, kind, id);

drop index if exists notifications_by_status;

-- Room for the versions of a row that its attempts and receipts write: an update is HOT if the next version fits the same page.
-- Vacuum comes often and reads the newest pages alone, instead of a fifth of a large table at once.
do $$
declare
  part record;
begin
  for part in
    select inhrelid::regclass as name, case inhparent when 'notifications'::regclass then 50 else 100 end as fillfactor
    from pg_inherits where inhparent in ('notifications'::regclass, 'notification_contents'::regclass)
  loop
    execute format(
      'alter table %s set (fillfactor = %s, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05)',
      part.name, part.fillfactor);
  end loop;
end $$;
