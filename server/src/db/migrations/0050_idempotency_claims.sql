-- outside of a transaction: the keys of the last day are copied in slices, and requests go on meanwhile
-- An idempotency key as a hash of 128 bits in a table with one index, instead of its text in two (docs/adr/0036).
create table if not exists idempotency_claims (
  key_hash uuid primary key, -- a uuid takes 8 bytes less in each entry of the index than a bytea
  environment_id uuid not null,
  body_hash uuid not null,
  resource_id uuid not null,
  created_at timestamptz not null default now()
);

-- A line feed is in no operation, so no two claims have the same text. `stable`, as convert_to is: then it is inlined.
create or replace function idempotency_hash(environment_id uuid, operation text, key text) returns uuid
language sql stable parallel safe as $$
  select encode(substr(sha256(convert_to(environment_id::text || e'\n' || operation || e'\n' || key, 'UTF8')), 1, 16), 'hex')::uuid
$$;

-- Processes of the previous release write the old table. The new one decides for them, too: a key that this release has accepted fails
-- their statement, as another process of their own would.
create or replace function copy_idempotency_key() returns trigger language plpgsql as $$
begin
  insert into idempotency_claims as known (key_hash, environment_id, body_hash, resource_id, created_at)
  values (idempotency_hash(new.environment_id, new.operation, new.key), new.environment_id,
    left(encode(new.body_hash, 'hex') || repeat('0', 32), 32)::uuid, new.resource_id, new.created_at)
  on conflict (key_hash) do update
    set body_hash = excluded.body_hash, resource_id = excluded.resource_id, created_at = excluded.created_at
    where known.created_at < now() - interval '24 hours' or known.resource_id = excluded.resource_id;
  if not found then
    raise unique_violation using constraint = 'idempotency_keys_pkey', message = 'this idempotency key is known to a newer release';
  end if;
  return null;
end $$;

create or replace trigger idempotency_key_written after insert or update on idempotency_keys
  for each row execute function copy_idempotency_key();

-- in slices
with slice as materialized (
  -- The position is a time in microseconds, written as a uuid.
  select environment_id, operation, key, body_hash, resource_id, created_at from idempotency_keys
  where created_at > greatest(now() - interval '24 hours',
    to_timestamp(0) + ('x' || left(replace($1::uuid::text, '-', ''), 16))::bit(64)::bigint * interval '1 microsecond')
  order by created_at fetch first 5000 rows with ties
), copied as (
  insert into idempotency_claims (key_hash, environment_id, body_hash, resource_id, created_at)
  select idempotency_hash(environment_id, operation, key), environment_id,
    left(encode(body_hash, 'hex') || repeat('0', 32), 32)::uuid, resource_id, created_at
  from slice order by 1 on conflict do nothing
)
select lpad(to_hex((extract(epoch from max(created_at)) * 1000000)::bigint), 16, '0') || repeat('0', 16) as last from slice;
