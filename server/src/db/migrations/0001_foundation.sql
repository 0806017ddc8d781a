-- Tenancy ------------------------------------------------------------------------------------------------

create table organizations (
  id uuid primary key,
  name text not null,
  plan text not null check (plan in ('free', 'pro', 'scale', 'unmetered')),
  created_at timestamptz not null default now()
);

create table environments (
  id uuid primary key,
  organization_id uuid not null references organizations,
  kind text not null check (kind in ('test', 'live')),
  name text not null,
  created_at timestamptz not null default now()
);
create index environments_by_organization on environments (organization_id);

create table users (
  id uuid primary key,
  email text not null unique, -- lower case
  name text not null,
  password_hash text not null,
  created_at timestamptz not null default now()
);

create table memberships (
  organization_id uuid not null references organizations,
  user_id uuid not null references users,
  role text not null check (role in ('owner', 'admin', 'developer', 'viewer')),
  primary key (user_id, organization_id)
);

create table sessions (
  token_hash bytea primary key,
  user_id uuid not null references users on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index sessions_by_expiry on sessions (expires_at);

-- One row per throttled subject (an email address or a network address, hashed).
create table login_failures (
  subject bytea primary key,
  failures integer not null,
  window_ends_at timestamptz not null
);
create index login_failures_by_window on login_failures (window_ends_at);

create table api_keys (
  id uuid primary key,
  environment_id uuid not null references environments,
  name text not null,
  key_hash bytea not null unique,
  last4 text not null,
  preset text, -- means whatever the preset holds today, also scopes that a later release adds
  scopes text[],
  created_by_user_id uuid not null references users,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  retires_at timestamptz, -- the end of its grace, once it was rotated; expires_at stays as its maker chose it
  last_used_at timestamptz,
  revoked_at timestamptz,
  check (num_nonnulls(preset, scopes) = 1)
);
create index api_keys_by_environment on api_keys (environment_id, id);

-- Unlogged: every request of a limited key writes here, and after a crash all that is lost is who was being slowed down.
create unlogged table rate_buckets (
  key_id uuid primary key references api_keys on delete cascade,
  tokens double precision not null,
  refilled_at timestamptz not null
);

create table audit_entries (
  id uuid primary key,
  organization_id uuid not null references organizations,
  environment_id uuid,
  actor_kind text not null check (actor_kind in ('key', 'user', 'system')),
  actor_id uuid,
  action text not null,
  target text not null,
  before jsonb,
  after jsonb,
  request_id text
);
create index audit_entries_by_organization on audit_entries (organization_id, id);

-- Ids of the encryption keys that secrets in this database were sealed with.
create table encryption_keys (
  id text primary key,
  first_used_at timestamptz not null default now()
);

-- Work queue: rows are moved, never marked (see queue/README.md) ------------------------------------------

create table workers (
  id uuid primary key,
  started_at timestamptz not null default now(),
  alive_until timestamptz not null
);

create table queue_later (
  id uuid not null,
  kind smallint not null,
  lane smallint not null,
  environment_id uuid not null,
  run_at timestamptz not null,
  note jsonb,
  primary key (id, kind)
);
create index queue_later_by_time on queue_later (run_at);

create table queue_ready (
  id uuid not null,
  kind smallint not null,
  lane smallint not null,
  tag bigint not null,
  environment_id uuid not null,
  note jsonb,
  primary key (id, kind)
);
create index queue_ready_in_order on queue_ready (kind, lane, tag);

create table queue_leased (
  id uuid not null,
  kind smallint not null,
  lane smallint not null,
  environment_id uuid not null,
  worker_id uuid not null,
  leased_at timestamptz not null default now(),
  note jsonb, -- what the handler wrote down before it did something that cannot be undone
  primary key (id, kind)
);
create index queue_leased_by_worker on queue_leased (worker_id);

-- The last tag given to each environment, per kind and lane: start-time fair queueing.
create table queue_turns (
  kind smallint not null,
  lane smallint not null,
  environment_id uuid not null,
  last_tag bigint not null,
  burst integer not null,
  primary key (kind, lane, environment_id)
);
create index queue_turns_by_tag on queue_turns (kind, lane, last_tag);

-- Narrow tables that turn over constantly: vacuum early and at full speed.
alter table queue_later set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
alter table queue_ready set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
alter table queue_leased set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
alter table queue_turns set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);

-- Notifications ------------------------------------------------------------------------------------------

create table idempotency_keys (
  environment_id uuid not null,
  operation text not null,
  key text not null,
  body_hash bytea not null,
  resource_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (environment_id, operation, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- The life of a notification. `sending` is never stored: it is a queued notification with a lease (queue_leased).
create table notifications (
  id uuid primary key,
  environment_id uuid not null,
  channel text not null,
  status text not null,
  priority text not null,
  address text,
  recipient_name text,
  external_user_id text,
  category text,
  template_key text,
  idempotency_key text,
  action_url text,
  resent_from uuid,
  attempt_count integer not null default 0,
  round integer not null default 0, -- completed passes through the provider chain
  send_at timestamptz,
  sent_at timestamptz,
  suppression_reason text,
  last_error text,
  events jsonb not null,
  trace jsonb not null default '[]' -- gate verdicts and provider attempts, in order
);
create index notifications_by_environment on notifications (environment_id, id);
create index notifications_by_status on notifications (environment_id, status, id);
create index notifications_by_channel on notifications (environment_id, channel, id);
create index notifications_by_address on notifications (environment_id, address, id);
create index notifications_by_user on notifications (environment_id, external_user_id, id) where external_user_id is not null;
create index notifications_by_category on notifications (environment_id, category, id) where category is not null;
create index notifications_by_template on notifications (environment_id, template_key, id) where template_key is not null;

-- What it says; apart from its life, so that status changes do not rewrite bodies.
create table notification_contents (
  notification_id uuid primary key,
  subject text,
  html_body text,
  text_body text,
  template_data jsonb not null default '{}',
  from_name text,
  reply_to text,
  attachments jsonb -- [{filename, content_type, size_bytes}]; null when there were none
);

create table attachment_bytes (
  notification_id uuid not null,
  position smallint not null,
  bytes bytea not null,
  primary key (notification_id, position)
);
alter table attachment_bytes alter column bytes set storage external; -- mostly compressed formats already

-- Channel settings and the sandbox -----------------------------------------------------------------------

create table email_settings (
  environment_id uuid primary key references environments,
  from_address text,
  from_name text,
  reply_to text,
  sender_locked boolean not null default false,
  track_opens boolean not null default false,
  track_clicks boolean not null default false,
  providers jsonb not null default '[]', -- in chain order; secrets sealed
  updated_at timestamptz not null default now()
);

create table sandbox_messages (
  environment_id uuid not null,
  id uuid not null,
  notification_id uuid not null,
  channel text not null,
  provider text not null,
  recipient text not null,
  payload json not null, -- never searched; json is stored as it came, which is cheaper than jsonb
  payload_bytes integer not null, -- so that a page of the list can be kept small without reading the payloads
  primary key (environment_id, id),
  unique (notification_id, provider)
);
