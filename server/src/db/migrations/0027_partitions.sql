-- outside of a transaction: the existing rows are checked before the tables are exchanged, and sends go on meanwhile
-- notifications and notification_contents become partitioned by id, and thus by time (db/partitions.ts). The existing tables
-- become the first partitions. Their end is a day ahead: until then the service makes the next ones.
do $$
declare
  part record;
  bound uuid;
begin
  for part in select * from (values ('notifications', 'id'), ('notification_contents', 'notification_id')) as t (name, key)
  loop
    continue when (select relkind from pg_class where oid = part.name::regclass) = 'p'
      or exists (select from pg_constraint where conrelid = part.name::regclass and conname = 'partition_end');
    -- Both tables end at the same id: the first one has decided, if an attempt was interrupted between the two.
    select coalesce(
      (select substring(pg_get_constraintdef(oid) from '''([0-9a-f-]{36})''')::uuid from pg_constraint where conname = 'partition_end' limit 1),
      (lpad(to_hex((extract(epoch from date_trunc('day', greatest(
        now(),
        to_timestamp(('x' || left(replace((select id::text from notifications order by id desc limit 1), '-', ''), 12))::bit(48)::bigint / 1000.0)
      ), 'UTC') + interval '2 days') * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid) into bound;
    execute format('alter table %I add constraint partition_end check (%I < %L) not valid', part.name, part.key, bound);
  end loop;
end $$;

-- Reads every row, under a lock that stops neither reads nor writes.
do $$
declare
  part record;
begin
  for part in select conrelid::regclass as name from pg_constraint where conname = 'partition_end' and not convalidated
  loop
    execute format('alter table %s validate constraint partition_end', part.name);
  end loop;
end $$;

-- The exchange reads no rows: the constraints prove that all of them belong to the first partitions, whose indexes stay.
do $$
declare
  part record;
  item record;
  bound text;
begin
  if (select relkind from pg_class where oid = 'notifications'::regclass) = 'p' then
    return;
  end if;
  lock table notifications, notification_contents in access exclusive mode;
  for part in
    select name, name || '_p0' as first, key from (values ('notifications', 'id'), ('notification_contents', 'notification_id')) as t (name, key)
  loop
    execute format('alter table %I rename to %I', part.name, part.first);
    for item in select relname from pg_index join pg_class on oid = indexrelid where indrelid = part.first::regclass
    loop
      execute format('alter index %I rename to %I', item.relname, replace(item.relname, part.name, part.first));
    end loop;
    execute format('create table %I (like %I including defaults including storage) partition by range (%I)', part.name, part.first, part.key);
    execute format('alter table %I add primary key (%I)', part.name, part.key);
    for item in select pg_get_indexdef(indexrelid) as definition from pg_index where indrelid = part.first::regclass and not indisprimary
    loop
      execute replace(item.definition, part.first, part.name);
    end loop;
    select substring(pg_get_constraintdef(oid) from '''([0-9a-f-]{36})''') into bound
    from pg_constraint where conrelid = part.first::regclass and conname = 'partition_end';
    execute format('alter table %I attach partition %I for values from (minvalue) to (%L)', part.name, part.first, bound);
    execute format('alter table %I drop constraint partition_end', part.first);
    execute format('create table %I partition of %I default', part.name || '_default', part.name);
    for item in
      select attname, attstattarget from pg_attribute
      where attrelid = part.first::regclass and attnum > 0 and not attisdropped and attstattarget >= 0
    loop
      execute format('alter table %I alter %I set statistics %s', part.name, item.attname, item.attstattarget);
      execute format('alter table %I alter %I set statistics %s', part.name || '_default', item.attname, item.attstattarget);
    end loop;
  end loop;
end $$;
