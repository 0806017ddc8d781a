-- Work whose place is full waits here, out of the way of everything else (queue/README.md) ----------------------

create table queue_parked (
  id uuid not null,
  kind smallint not null,
  lane smallint not null,
  environment_id uuid not null,
  place text not null,
  note jsonb,
  primary key (id, kind)
);
create index queue_parked_by_place on queue_parked (kind, place, lane, id);
alter table queue_parked set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);

-- Outbound webhooks ----------------------------------------------------------------------------------------------

create table webhook_endpoints (
  id uuid primary key,
  environment_id uuid not null references environments,
  url text not null,
  url_hash bytea not null, -- of the normal form, so that two spellings of one URL are the same
  status text not null check (status in ('active', 'paused', 'auto_disabled', 'disabled')),
  event_filters text[] not null,
  description text not null,
  timeout_seconds smallint not null check (timeout_seconds between 1 and 30),
  secrets jsonb not null, -- sealed, newest first; those that were rotated out have the time until which they sign too
  signing_secret_prefix text not null,
  failing_since timestamptz, -- the first failure after the last success; null while all is well
  disabled_reason text check (disabled_reason in ('gone', 'failing')) -- why it is auto_disabled
);
create unique index webhook_endpoints_by_url on webhook_endpoints (environment_id, url_hash) where status <> 'disabled';
create index webhook_endpoints_by_environment on webhook_endpoints (environment_id, id);

-- Signs what the webhook channel posts to a URL that is not an endpoint's.
create table webhook_environment_secrets (
  environment_id uuid primary key references environments,
  secrets jsonb not null
);

-- The id is the `webhook-id`; `body` is posted as it stands, so that every attempt sends the same bytes.
create table webhook_events (
  id uuid primary key,
  environment_id uuid not null,
  type text not null,
  notification_id uuid,
  body text not null
);
create index webhook_events_by_notification on webhook_events (notification_id) where notification_id is not null;

-- One event on its way to one endpoint. `in_flight` is never stored: it is a pending delivery with a lease.
create table webhook_deliveries (
  id uuid primary key,
  environment_id uuid not null,
  endpoint_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  status text not null default 'pending' check (status in ('pending', 'succeeded', 'failed', 'permanent_failure')),
  attempt_count integer not null default 0,
  step smallint not null default 0, -- attempts of this pass through the schedule; a retry by hand begins a new pass
  next_attempt_at timestamptz,
  http_status_code integer, -- this and the rest: what the last attempt brought
  latency_ms integer,
  response_snippet text,
  error text,
  failed_at timestamptz -- set with the two failures only, so that the way to success touches no index
) with (fillfactor = 80);
create index webhook_deliveries_by_endpoint on webhook_deliveries (endpoint_id, id);
create index webhook_deliveries_by_event on webhook_deliveries (event_id);
create index webhook_deliveries_failed on webhook_deliveries (endpoint_id, id) where failed_at is not null;

create table webhook_attempts (
  delivery_id uuid not null,
  number integer not null,
  attempted_at timestamptz not null,
  http_status_code integer,
  latency_ms integer not null,
  response_snippet text,
  error text, -- null: it succeeded
  primary key (delivery_id, number)
);
