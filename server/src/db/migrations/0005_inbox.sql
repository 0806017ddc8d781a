-- What signs end-user tokens -----------------------------------------------------------------------------------

create table inbox_keys (
  id uuid primary key,
  environment_id uuid not null references environments,
  sealed_key text not null,
  created_at timestamptz not null default now(),
  retires_at timestamptz -- the end of its overlap, once it was rotated
);
create unique index inbox_keys_current on inbox_keys (environment_id) where retires_at is null;
create index inbox_keys_by_environment on inbox_keys (environment_id);

-- Each opens one stream once. Unlogged: a crash of the database loses at most the tickets of half a minute.
create unlogged table inbox_tickets (
  ticket_hash bytea primary key,
  environment_id uuid not null,
  external_user_id text not null,
  token_expires_at timestamptz not null,
  expires_at timestamptz not null
);
create index inbox_tickets_by_expiry on inbox_tickets (expires_at);

-- The inbox of one user ----------------------------------------------------------------------------------------

-- One row a user; whoever changes the inbox locks it first. So the count is exact, and `last_seq` numbers the changes of one
-- user in the order of their commits. Numbering starts at the time of the row's creation in milliseconds: an inbox that
-- was erased and begun anew never gives a number twice.
create table inboxes (
  environment_id uuid not null references environments,
  external_user_id text not null,
  unread bigint not null default 0 check (unread >= 0),
  last_seq bigint not null default (extract(epoch from clock_timestamp()) * 1000)::bigint,
  primary key (environment_id, external_user_id)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);

-- `id` is the notification's. `position` is a UUIDv7 made on arrival: it orders the feed and gives created_at, because what
-- was scheduled or put off arrives later than it was accepted.
create table inbox_items (
  id uuid primary key,
  environment_id uuid not null,
  external_user_id text not null,
  position uuid not null,
  subject text,
  html_body text,
  text_body text,
  action_url text,
  data jsonb not null,
  bytes integer not null, -- so that a page can be kept small without reading the bodies
  read_at timestamptz,
  first_read_at timestamptz, -- stays when the item is marked unread again
  archived_at timestamptz
);
-- Several small indexes rather than one, so that a page costs the same whichever part of a large inbox it shows.
create index inbox_items_in_order on inbox_items (environment_id, external_user_id, position) where archived_at is null;
create index inbox_items_unread on inbox_items (environment_id, external_user_id, position)
  where archived_at is null and read_at is null;
create index inbox_items_read on inbox_items (environment_id, external_user_id, position)
  where archived_at is null and read_at is not null;
create index inbox_items_archived on inbox_items (environment_id, external_user_id) where archived_at is not null;

-- What changed, for streams that are open and streams that come back. Kept for an hour.
create table inbox_events (
  environment_id uuid not null,
  external_user_id text not null,
  seq bigint not null,
  type text not null,
  item_id uuid,
  occurred_at timestamptz not null,
  primary key (environment_id, external_user_id, seq)
);
create index inbox_events_by_age on inbox_events (occurred_at);
alter table inbox_events set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
