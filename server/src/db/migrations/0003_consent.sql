-- Who is written to: the people an application sends to, by the id it knows them by ----------------------------

create table end_users (
  environment_id uuid not null references environments,
  external_user_id text not null,
  email text,
  phone text,
  name text,
  locale text,
  timezone text,
  chatone_user_id text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (environment_id, external_user_id)
);

-- Who wants what ------------------------------------------------------------------------------------------------

create table categories (
  environment_id uuid not null references environments,
  key text not null,
  id uuid not null,
  name text not null,
  description text,
  is_critical boolean not null,
  default_channels text[] not null,
  default_opt_in boolean not null,
  is_archived boolean not null default false,
  primary key (environment_id, key)
);
create index categories_by_id on categories (environment_id, id);

-- Only what somebody decided; everything else follows from the category. `user_key` is the external_user_id, else the
-- address, with the spellings of one email address made equal.
create table preferences (
  environment_id uuid not null references environments,
  user_key text not null,
  category_key text not null,
  channel text not null,
  opted_in boolean not null,
  source text not null check (source in ('api', 'recipient', 'unsubscribe')),
  updated_at timestamptz not null default now(),
  primary key (environment_id, user_key, category_key, channel)
);

create table quiet_hours (
  environment_id uuid not null references environments,
  user_key text not null,
  start_minute smallint not null check (start_minute between 0 and 1439), -- of the local day
  end_minute smallint not null check (end_minute between 0 and 1439),
  timezone text not null,
  updated_at timestamptz not null default now(),
  primary key (environment_id, user_key)
);

-- Addresses are normalised: one row for all spellings of an email address or a phone number.
create table suppressions (
  environment_id uuid not null references environments,
  address text not null,
  id uuid not null,
  reason text not null check (reason in ('hard_bounce', 'complaint', 'manual_add', 'unsubscribed')),
  source text not null check (source in ('provider', 'manual', 'recipient')),
  diagnostic_detail text,
  triggering_notification_id uuid,
  primary key (environment_id, address)
);
create index suppressions_by_id on suppressions (environment_id, id);
create index suppressions_by_reason on suppressions (environment_id, reason, id);

-- What the links in emails are made with. `handle` stands in the link and tells nothing about the environment.
create table unsubscribe_secrets (
  environment_id uuid primary key references environments,
  handle bytea not null unique,
  sealed_secret text not null
);

-- What was used ---------------------------------------------------------------------------------------------------

-- Sends accepted in Live, by calendar month (UTC). Shards keep batches that commit at the same time off each other's rows.
create table usage_counters (
  organization_id uuid not null references organizations,
  month date not null,
  channel text not null,
  shard smallint not null,
  sends bigint not null,
  primary key (organization_id, month, channel, shard)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
