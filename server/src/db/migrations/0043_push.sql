-- Push: the devices of users, the services that reach them, and when an inbox item rings.

-- One row at most for an environment. `vapid` outlives web push: its subscriptions accept no other key.
create table push_settings (
  environment_id uuid primary key references environments (id) on delete cascade,
  ring jsonb not null, -- {mode, after_seconds}
  vapid jsonb, -- {public_key, private_key}; like all private keys, sealed
  web_push jsonb, -- {contact}
  apns jsonb, -- {team_id, key_id, bundle_id, environment, private_key}
  fcm jsonb, -- {project_id, client_email, token_uri, private_key}
  checks jsonb not null default '{}', -- the last check of each service: {ok, detail, at}
  updated_at timestamptz not null default now()
);

-- `identity` is the hash of the address: a device belongs to the user who registered it last.
create table devices (
  id uuid primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  external_user_id text not null,
  kind text not null check (kind in ('web_push', 'apns', 'fcm')),
  identity bytea not null,
  service text not null, -- the host of the push service
  address text not null, -- the endpoint with its keys, or the token; sealed
  label text,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(), -- when the device was last registered
  last_outcome text,
  last_outcome_detail text,
  last_outcome_at timestamptz,
  unique (environment_id, identity)
) with (fillfactor = 80);
create index devices_by_user on devices (environment_id, external_user_id, last_seen_at);
create index devices_by_spelling on devices (environment_id, lower(external_user_id));

-- Pages on which a user sees the inbox. Unlogged: a page says every half minute that it is still visible.
create unlogged table inbox_presences (
  environment_id uuid not null,
  external_user_id text not null,
  page text not null,
  visible_until timestamptz not null,
  primary key (environment_id, external_user_id, page)
);
create index inbox_presences_by_end on inbox_presences (visible_until);

-- When the item rang devices: reading it withdraws the push.
alter table inbox_items add column rung_at timestamptz;

-- {mode, after_seconds}; null leaves it to the category, then to the environment.
alter table categories add column push jsonb;
alter table template_versions add column push jsonb;
