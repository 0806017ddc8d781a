-- Organizations on their way to another installation (operator/move): at the source until they are deleted there, at the target until
-- they are active.
create table organization_moves (
  organization_id uuid primary key, -- no reference: at the target the move begins before the organization exists
  move_id uuid not null, -- one export file
  state text not null check (state in ('leaving', 'moved', 'arriving')),
  moved_to text, -- the address that the source names once the organization has moved
  receipt text, -- the checksum of the export file: the source hands over only to a target that has read all of it
  activation_code text, -- at the source: what the target needs to become active, shown once the source can no longer send
  activation_hash bytea not null, -- its hash, which is in the file
  rows_done bigint not null default 0, -- at the target: the rows of the file that are committed
  began_at timestamptz not null default now()
);

-- Work of such organizations: no worker claims it.
create table queue_held (
  environment_id uuid not null,
  kind smallint not null,
  id uuid not null,
  lane smallint not null,
  run_at timestamptz, -- null: it was ready
  note jsonb,
  waits_for text,
  waits_since timestamptz,
  primary key (environment_id, kind, id)
);

-- Null for events of earlier releases, which are deleted after eight days.
alter table workflow_events add column environment_id uuid;

-- The fence: triggers with this function exist only during a move, and only for the rows of the organization in their argument.
-- Housekeeping and the operator pass (db/move-fence.ts).
create function refuse_moving_organization() returns trigger language plpgsql as $$
declare
  move organization_moves;
begin
  if current_setting('carillon.passes_fence', true) = 'on' then
    if tg_op = 'DELETE' then return old; end if;
    return new;
  end if;
  select * into move from organization_moves where organization_id = tg_argv[0]::uuid;
  if move.state = 'moved' then
    raise exception 'organization % has moved', tg_argv[0] using errcode = 'CM421', detail = move.moved_to;
  end if;
  raise exception 'organization % is being moved', tg_argv[0] using errcode = 'CM503';
end $$;
