-- outside of a transaction: sends go on while the existing rows get their chain
-- SMS settings hold a chain of providers, like email settings. Each has id, kind, name, enabled, config (credentials, sealed),
-- from_number, from_sender_id, credentials_validated_at and credentials_detail.
alter table sms_settings add column if not exists providers jsonb;
alter table sms_settings drop constraint if exists sms_settings_kind_check;

-- The previous release reads and writes the columns of one provider. Settings that it writes become a chain of one; from a
-- chain it gets the first provider. The columns and the trigger go with the release after this one.
create or replace function keep_sms_chain() returns trigger language plpgsql as $$
declare
  first jsonb;
begin
  if new.providers is null or tg_op = 'UPDATE' and new.providers is not distinct from old.providers
    and (new.id, new.kind, new.from_number, new.from_sender_id, new.config, new.credentials_validated_at, new.credentials_detail)
      is distinct from
      (old.id, old.kind, old.from_number, old.from_sender_id, old.config, old.credentials_validated_at, old.credentials_detail)
  then
    new.providers := jsonb_build_array(jsonb_build_object(
      'id', new.id, 'kind', new.kind, 'name', new.kind, 'enabled', true, 'config', new.config,
      'from_number', new.from_number, 'from_sender_id', new.from_sender_id,
      'credentials_validated_at',
        to_char(new.credentials_validated_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'credentials_detail', new.credentials_detail));
  end if;
  first := new.providers -> 0;
  if first is null then
    return new;
  end if;
  new.id := first ->> 'id';
  new.kind := first ->> 'kind';
  new.from_number := first ->> 'from_number';
  new.from_sender_id := first ->> 'from_sender_id';
  new.config := first -> 'config';
  new.credentials_validated_at := first ->> 'credentials_validated_at';
  new.credentials_detail := coalesce(first ->> 'credentials_detail', '');
  return new;
end $$;

create or replace trigger sms_chain before insert or update on sms_settings
  for each row execute function keep_sms_chain();

-- in slices
with slice as materialized (
  select environment_id from sms_settings where environment_id > $1::uuid order by environment_id limit 1000
), filled as (
  update sms_settings s set kind = s.kind from slice
  where s.environment_id = slice.environment_id and s.providers is null
)
select max(environment_id::text) as last from slice;
