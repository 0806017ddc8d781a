-- What the migrations add up to. Generated (npm run generate), to read and to compare; never run.

create table activity (
  environment_id uuid not null,
  step smallint not null,
  at timestamp with time zone not null,
  channel text not null,
  accepted integer not null,
  sent integer not null,
  delivered integer not null,
  failed integer not null,
  suppressed integer not null,
  bounced integer not null,
  complained integer not null,
  retried integer not null,
  latency integer[],
  constraint activity_pkey PRIMARY KEY (environment_id, step, at, channel)
) with (fillfactor=70);
CREATE INDEX activity_by_age ON public.activity USING btree (step, at);

create table api_keys (
  id uuid not null,
  environment_id uuid not null,
  name text not null,
  key_hash bytea not null,
  last4 text not null,
  preset text,
  scopes text[],
  created_by_user_id uuid not null,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone,
  retires_at timestamp with time zone,
  last_used_at timestamp with time zone,
  revoked_at timestamp with time zone,
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_key_hash_key UNIQUE (key_hash),
  constraint api_keys_check CHECK ((num_nonnulls(preset, scopes) = 1)),
  constraint api_keys_created_by_user_id_fkey FOREIGN KEY (created_by_user_id) REFERENCES users(id),
  constraint api_keys_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id)
);
CREATE INDEX api_keys_by_environment ON public.api_keys USING btree (environment_id, id);

create table attachment_bytes (
  notification_id uuid not null,
  "position" smallint not null,
  bytes bytea storage external not null,
  constraint attachment_bytes_pkey PRIMARY KEY (notification_id, "position")
);

create table audit_entries (
  id uuid not null,
  organization_id uuid not null,
  environment_id uuid,
  actor_kind text not null,
  actor_id uuid,
  action text not null,
  target text not null,
  before jsonb,
  after jsonb,
  request_id text,
  ip_address text,
  user_agent text,
  constraint audit_entries_pkey PRIMARY KEY (id),
  constraint audit_entries_actor_kind_check CHECK ((actor_kind = ANY (ARRAY['key'::text, 'user'::text, 'system'::text]))),
  constraint audit_entries_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
CREATE INDEX audit_entries_by_action ON public.audit_entries USING btree (organization_id, environment_id, action, id);
CREATE INDEX audit_entries_by_actor ON public.audit_entries USING btree (organization_id, environment_id, actor_id, id);
CREATE INDEX audit_entries_by_environment ON public.audit_entries USING btree (organization_id, environment_id, id);
CREATE INDEX audit_entries_by_target ON public.audit_entries USING btree (organization_id, environment_id, target, id);

create table brake_counts (
  subject uuid not null,
  environment_id uuid not null,
  slot_at timestamp with time zone not null,
  amount bigint not null,
  most bigint not null,
  window_seconds integer not null,
  past bigint default 0 not null,
  past_slots timestamp with time zone[],
  past_amounts bigint[],
  constraint brake_counts_pkey PRIMARY KEY (subject)
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_cost_delay=0);

create table brake_engagements (
  environment_id uuid not null,
  rule text not null,
  engaged_at timestamp with time zone not null,
  last_at timestamp with time zone not null,
  detail text not null,
  constraint brake_engagements_pkey PRIMARY KEY (environment_id, rule)
);

create table brake_freezes (
  environment_id uuid not null,
  channel text not null,
  reason text,
  hold_expires_hours integer not null,
  frozen_by uuid,
  frozen_at timestamp with time zone not null,
  constraint brake_freezes_pkey PRIMARY KEY (environment_id, channel),
  constraint brake_freezes_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id)
);

create table brake_releases (
  id uuid not null,
  environment_id uuid not null,
  hold text not null,
  action text not null,
  status text not null,
  total bigint not null,
  done bigint default 0 not null,
  held_before timestamp with time zone not null,
  started_at timestamp with time zone not null,
  completed_at timestamp with time zone,
  constraint brake_releases_pkey PRIMARY KEY (id),
  constraint brake_releases_action_check CHECK ((action = ANY (ARRAY['release'::text, 'cancel'::text]))),
  constraint brake_releases_status_check CHECK ((status = ANY (ARRAY['running'::text, 'done'::text, 'cancelled'::text]))),
  constraint brake_releases_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id)
);
CREATE INDEX brake_releases_by_environment ON public.brake_releases USING btree (environment_id, id);

create table brake_rules (
  id uuid not null,
  environment_id uuid not null,
  key text not null,
  name text not null,
  scope text not null,
  match jsonb not null,
  per_template boolean not null,
  period text not null,
  unit text not null,
  max_amount bigint not null,
  action text not null,
  hold_expires_hours integer not null,
  includes_critical boolean not null,
  is_enabled boolean not null,
  constraint brake_rules_pkey PRIMARY KEY (id),
  constraint brake_rules_environment_id_key_key UNIQUE (environment_id, key),
  constraint brake_rules_action_check CHECK ((action = ANY (ARRAY['hold'::text, 'delay'::text, 'suppress'::text, 'notify'::text, 'refuse'::text]))),
  constraint brake_rules_period_check CHECK ((period = ANY (ARRAY['minute'::text, 'hour'::text, 'day'::text]))),
  constraint brake_rules_scope_check CHECK ((scope = ANY (ARRAY['environment'::text, 'key'::text, 'category'::text, 'workflow'::text, 'recipient'::text, 'chain'::text, 'spike'::text]))),
  constraint brake_rules_unit_check CHECK ((unit = ANY (ARRAY['messages'::text, 'money'::text]))),
  constraint brake_rules_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id)
);

create table brands (
  environment_id uuid not null,
  name text,
  logo_url text,
  accent_color text,
  constraint brands_pkey PRIMARY KEY (environment_id),
  constraint brands_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id) ON DELETE CASCADE
);

create table broadcast_changes (
  broadcast_id uuid not null,
  old_status text not null,
  new_status text not null
) with (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=5000);
CREATE INDEX broadcast_changes_by_broadcast ON public.broadcast_changes USING btree (broadcast_id);

create table broadcasts (
  id uuid not null,
  environment_id uuid not null,
  status text not null,
  paused_from text,
  pause_reason text,
  name text not null,
  request json not null,
  filter jsonb not null,
  channels text[] not null,
  contents json not null,
  template_key text,
  template_data jsonb not null,
  category text,
  action_url text,
  starts_at timestamp with time zone,
  send_at_local text,
  timezone text not null,
  rate_per_second integer,
  epoch integer default 0 not null,
  cursor text,
  total integer default 0 not null,
  recipients integer default 0 not null,
  skipped integer default 0 not null,
  counts jsonb default '{}'::jsonb not null,
  local_moments jsonb default '{}'::jsonb not null,
  first_id uuid,
  last_id uuid,
  last_send_at timestamp with time zone,
  next_slice_at timestamp with time zone,
  started_at timestamp with time zone,
  measured_at timestamp with time zone,
  measured_done integer default 0 not null,
  completed_at timestamp with time zone,
  local_from timestamp with time zone,
  local_until timestamp with time zone,
  source_id uuid,
  constraint broadcasts_pkey PRIMARY KEY (id),
  constraint broadcasts_status_check CHECK ((status = ANY (ARRAY['scheduled'::text, 'preparing'::text, 'running'::text, 'paused'::text, 'done'::text, 'cancelled'::text]))),
  constraint broadcasts_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id)
) with (fillfactor=50);
CREATE INDEX broadcasts_by_environment ON public.broadcasts USING btree (environment_id, id);
CREATE INDEX broadcasts_open ON public.broadcasts USING btree (environment_id) WHERE (completed_at IS NULL);

create table bulk_actions (
  id uuid not null,
  environment_id uuid not null,
  action text not null,
  filter jsonb not null,
  status text not null,
  before uuid not null,
  total integer,
  done integer default 0 not null,
  skipped integer default 0 not null,
  started_at timestamp with time zone default now() not null,
  completed_at timestamp with time zone,
  source_id uuid,
  constraint bulk_actions_pkey PRIMARY KEY (id),
  constraint bulk_actions_action_check CHECK ((action = ANY (ARRAY['redrive'::text, 'cancel'::text]))),
  constraint bulk_actions_status_check CHECK ((status = ANY (ARRAY['running'::text, 'completed'::text, 'cancelled'::text]))),
  constraint bulk_actions_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id) ON DELETE CASCADE
);
CREATE INDEX bulk_actions_by_end ON public.bulk_actions USING btree (completed_at);
CREATE INDEX bulk_actions_by_environment ON public.bulk_actions USING btree (environment_id, id);

create table callback_events (
  environment_id uuid not null,
  provider_id uuid not null,
  event_hash bytea not null,
  seen_at timestamp with time zone not null,
  constraint callback_events_pkey PRIMARY KEY (environment_id, provider_id, event_hash)
) with (autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=5000, autovacuum_vacuum_cost_delay=0);
CREATE INDEX callback_events_by_age ON public.callback_events USING btree (seen_at);

create table categories (
  environment_id uuid not null,
  key text not null,
  id uuid not null,
  name text not null,
  description text,
  is_critical boolean not null,
  default_channels text[] not null,
  default_opt_in boolean not null,
  is_archived boolean default false not null,
  push jsonb,
  constraint categories_pkey PRIMARY KEY (environment_id, key),
  constraint categories_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id)
);
CREATE INDEX categories_by_id ON public.categories USING btree (environment_id, id);

create table chat_endpoints (
  id uuid not null,
  environment_id uuid not null,
  channel text not null,
  key text not null,
  label text not null,
  url_sealed text not null,
  url_prefix text not null,
  flavour text,
  default_username text,
  default_avatar_url text,
  revision integer default 1 not null,
  status text default 'active'::text not null,
  last_success_at timestamp with time zone,
  last_failure_at timestamp with time zone,
  last_failure_reason text,
  constraint chat_endpoints_pkey PRIMARY KEY (id),
  constraint chat_endpoints_environment_id_channel_key_key UNIQUE (environment_id, channel, key),
  constraint chat_endpoints_channel_check CHECK ((channel = ANY (ARRAY['chattwo'::text, 'chatthree'::text]))),
  constraint chat_endpoints_status_check CHECK ((status = ANY (ARRAY['active'::text, 'broken'::text, 'gone'::text]))),
  constraint chat_endpoints_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id)
) with (fillfactor=80);

create table chatone_installations (
  id uuid not null,
  environment_id uuid not null,
  team_id text not null,
  team_name text not null,
  bot_user_id text not null,
  app_id text,
  scopes text[] not null,
  auto_join_public_channels boolean default false not null,
  is_sandbox boolean default false not null,
  token_sealed text not null,
  token_hash bytea not null,
  token_expires_at timestamp with time zone,
  refresh_sealed text,
  refreshing_until timestamp with time zone,
  installed_at timestamp with time zone not null,
  installed_by_user_id uuid not null,
  revision integer default 1 not null,
  status text default 'active'::text not null,
  last_success_at timestamp with time zone,
  last_failure_at timestamp with time zone,
  last_failure_reason text,
  constraint chatone_installations_pkey PRIMARY KEY (id),
  constraint chatone_installations_environment_id_team_id_key UNIQUE (environment_id, team_id),
  constraint chatone_installations_status_check CHECK ((status = ANY (ARRAY['active'::text, 'broken'::text, 'gone'::text]))),
  constraint chatone_installations_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint chatone_installations_installed_by_user_id_fkey FOREIGN KEY (installed_by_user_id) REFERENCES users(id)
) with (fillfactor=80);
CREATE INDEX chatone_installations_by_team ON public.chatone_installations USING btree (team_id);
CREATE INDEX chatone_installations_by_token ON public.chatone_installations USING btree (token_hash);

create table chatone_oauth_states (
  id uuid not null,
  expires_at timestamp with time zone not null,
  constraint chatone_oauth_states_pkey PRIMARY KEY (id)
);

create table devices (
  id uuid not null,
  environment_id uuid not null,
  external_user_id text not null,
  kind text not null,
  identity bytea not null,
  service text not null,
  address text not null,
  label text,
  created_at timestamp with time zone default now() not null,
  last_seen_at timestamp with time zone default now() not null,
  last_outcome text,
  last_outcome_detail text,
  last_outcome_at timestamp with time zone,
  constraint devices_pkey PRIMARY KEY (id),
  constraint devices_environment_id_identity_key UNIQUE (environment_id, identity),
  constraint devices_kind_check CHECK ((kind = ANY (ARRAY['web_push'::text, 'apns'::text, 'fcm'::text]))),
  constraint devices_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id) ON DELETE CASCADE
) with (fillfactor=80);
CREATE INDEX devices_by_spelling ON public.devices USING btree (environment_id, lower(external_user_id));
CREATE INDEX devices_by_user ON public.devices USING btree (environment_id, external_user_id, last_seen_at);

create table digest_items (
  run_id uuid not null,
  source_run_id uuid not null,
  item json not null,
  constraint digest_items_pkey PRIMARY KEY (run_id, source_run_id)
);
CREATE INDEX digest_items_by_source ON public.digest_items USING btree (source_run_id);

create table digests (
  workflow_id uuid not null,
  step_id text not null,
  key text not null,
  run_id uuid not null,
  item_count integer not null,
  item_size integer not null,
  closes_at timestamp with time zone not null,
  constraint digests_pkey PRIMARY KEY (workflow_id, step_id, key)
);
CREATE INDEX digests_by_run ON public.digests USING btree (run_id);

create table email_settings (
  environment_id uuid not null,
  from_address text,
  from_name text,
  reply_to text,
  sender_locked boolean default false not null,
  track_opens boolean default false not null,
  track_clicks boolean default false not null,
  providers jsonb default '[]'::jsonb not null,
  updated_at timestamp with time zone default now() not null,
  constraint email_settings_pkey PRIMARY KEY (environment_id),
  constraint email_settings_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id)
);

create table encryption_keys (
  id text not null,
  first_used_at timestamp with time zone default now() not null,
  constraint encryption_keys_pkey PRIMARY KEY (id)
);

create table end_users (
  environment_id uuid not null,
  external_user_id text not null,
  email text,
  phone text,
  name text,
  locale text,
  timezone text,
  chatone_user_id text,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  attributes jsonb default '{}'::jsonb not null,
  constraint end_users_pkey PRIMARY KEY (environment_id, external_user_id),
  constraint end_users_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id)
);
CREATE INDEX end_users_by_email_prefix ON public.end_users USING btree (environment_id, lower(email) text_pattern_ops);
CREATE INDEX end_users_by_id_prefix ON public.end_users USING btree (environment_id, lower(external_user_id) text_pattern_ops);
CREATE INDEX end_users_in_order ON public.end_users USING btree (environment_id, created_at, external_user_id);

create table environment_storage (
  environment_id uuid not null,
  measured_bytes bigint default 0 not null,
  added_bytes bigint default 0 not null,
  measured_at timestamp with time zone default '-infinity'::timestamp with time zone not null,
  measure_after timestamp with time zone default '-infinity'::timestamp with time zone not null,
  constraint environment_storage_pkey PRIMARY KEY (environment_id),
  constraint environment_storage_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id)
) with (fillfactor=50);

create table environments (
  id uuid not null,
  organization_id uuid not null,
  kind text not null,
  name text not null,
  created_at timestamp with time zone default now() not null,
  constraint environments_pkey PRIMARY KEY (id),
  constraint environments_kind_check CHECK ((kind = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint environments_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
CREATE INDEX environments_by_organization ON public.environments USING btree (organization_id);

create table idempotency_claims (
  key_hash uuid not null,
  environment_id uuid not null,
  body_hash uuid not null,
  resource_id uuid not null,
  created_at timestamp with time zone default now() not null,
  constraint idempotency_claims_pkey PRIMARY KEY (key_hash)
);

create table idempotency_keys (
  environment_id uuid not null,
  operation text not null,
  key text not null,
  body_hash bytea not null,
  resource_id uuid not null,
  created_at timestamp with time zone default now() not null,
  constraint idempotency_keys_pkey PRIMARY KEY (environment_id, operation, key)
);
CREATE INDEX idempotency_keys_by_age ON public.idempotency_keys USING btree (created_at);
CREATE TRIGGER idempotency_key_written AFTER INSERT OR UPDATE ON public.idempotency_keys FOR EACH ROW EXECUTE FUNCTION copy_idempotency_key();

create table inbox_events (
  environment_id uuid not null,
  external_user_id text not null,
  seq bigint not null,
  type text not null,
  item_id uuid,
  occurred_at timestamp with time zone not null,
  constraint inbox_events_pkey PRIMARY KEY (environment_id, external_user_id, seq)
) with (autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=5000, autovacuum_vacuum_cost_delay=0);
CREATE INDEX inbox_events_by_age ON public.inbox_events USING btree (occurred_at);

create table inbox_items (
  id uuid not null,
  environment_id uuid not null,
  external_user_id text not null,
  "position" uuid not null,
  subject text,
  html_body text,
  text_body text,
  action_url text,
  data jsonb not null,
  bytes integer not null,
  read_at timestamp with time zone,
  first_read_at timestamp with time zone,
  archived_at timestamp with time zone,
  rung_at timestamp with time zone,
  category text,
  tags text[] default '{}'::text[] not null,
  actions jsonb default '[]'::jsonb not null,
  action_key text,
  action_at timestamp with time zone,
  snoozed_until timestamp with time zone,
  snooze_id uuid,
  arrived_at timestamp with time zone,
  constraint inbox_items_pkey PRIMARY KEY (id)
);
CREATE INDEX inbox_items_archived ON public.inbox_items USING btree (environment_id, external_user_id) WHERE (archived_at IS NOT NULL);
CREATE INDEX inbox_items_in_order ON public.inbox_items USING btree (environment_id, external_user_id, "position") WHERE (archived_at IS NULL);
CREATE INDEX inbox_items_read ON public.inbox_items USING btree (environment_id, external_user_id, "position") WHERE ((archived_at IS NULL) AND (read_at IS NOT NULL));
CREATE INDEX inbox_items_snoozed ON public.inbox_items USING btree (environment_id, external_user_id, "position") WHERE (snoozed_until IS NOT NULL);
CREATE INDEX inbox_items_unread ON public.inbox_items USING btree (environment_id, external_user_id, "position") WHERE ((archived_at IS NULL) AND (read_at IS NULL));

create table inbox_keys (
  id uuid not null,
  environment_id uuid not null,
  sealed_key text not null,
  created_at timestamp with time zone default now() not null,
  retires_at timestamp with time zone,
  constraint inbox_keys_pkey PRIMARY KEY (id),
  constraint inbox_keys_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id)
);
CREATE INDEX inbox_keys_by_environment ON public.inbox_keys USING btree (environment_id);
CREATE UNIQUE INDEX inbox_keys_current ON public.inbox_keys USING btree (environment_id) WHERE (retires_at IS NULL);

create unlogged table inbox_presences (
  environment_id uuid not null,
  external_user_id text not null,
  page text not null,
  visible_until timestamp with time zone not null,
  constraint inbox_presences_pkey PRIMARY KEY (environment_id, external_user_id, page)
);
CREATE INDEX inbox_presences_by_end ON public.inbox_presences USING btree (visible_until);

create unlogged table inbox_tickets (
  ticket_hash bytea not null,
  environment_id uuid not null,
  external_user_id text not null,
  token_expires_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint inbox_tickets_pkey PRIMARY KEY (ticket_hash)
);
CREATE INDEX inbox_tickets_by_expiry ON public.inbox_tickets USING btree (expires_at);

create table inboxes (
  environment_id uuid not null,
  external_user_id text not null,
  unread bigint default 0 not null,
  last_seq bigint default ((EXTRACT(epoch FROM clock_timestamp()) * (1000)::numeric))::bigint not null,
  constraint inboxes_pkey PRIMARY KEY (environment_id, external_user_id),
  constraint inboxes_unread_check CHECK ((unread >= 0)),
  constraint inboxes_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id)
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_threshold=2000, autovacuum_vacuum_cost_delay=0);
CREATE INDEX inboxes_by_spelling ON public.inboxes USING btree (environment_id, lower(external_user_id));

create table incident_updates (
  id uuid not null,
  incident_id uuid not null,
  message text not null,
  constraint incident_updates_pkey PRIMARY KEY (id),
  constraint incident_updates_incident_id_fkey FOREIGN KEY (incident_id) REFERENCES incidents(id) ON DELETE CASCADE
);
CREATE INDEX incident_updates_by_incident ON public.incident_updates USING btree (incident_id, id);

create table incidents (
  id uuid not null,
  title text not null,
  provider text,
  resolved_at timestamp with time zone,
  constraint incidents_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX incidents_active_by_provider ON public.incidents USING btree (provider) WHERE (resolved_at IS NULL);
CREATE INDEX incidents_by_resolved_at ON public.incidents USING btree (resolved_at, id);

create table invitations (
  id uuid not null,
  organization_id uuid not null,
  email text not null,
  role text not null,
  token_hash bytea not null,
  invited_by_user_id uuid not null,
  expires_at timestamp with time zone not null,
  constraint invitations_pkey PRIMARY KEY (id),
  constraint invitations_organization_id_email_key UNIQUE (organization_id, email),
  constraint invitations_token_hash_key UNIQUE (token_hash),
  constraint invitations_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'developer'::text, 'viewer'::text]))),
  constraint invitations_invited_by_user_id_fkey FOREIGN KEY (invited_by_user_id) REFERENCES users(id),
  constraint invitations_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
CREATE INDEX invitations_by_expiry ON public.invitations USING btree (expires_at);
CREATE INDEX invitations_by_organization ON public.invitations USING btree (organization_id, id);

create table login_failures (
  subject bytea not null,
  failures integer not null,
  window_ends_at timestamp with time zone not null,
  blocked_until timestamp with time zone default '-infinity'::timestamp with time zone not null,
  constraint login_failures_pkey PRIMARY KEY (subject)
);
CREATE INDEX login_failures_by_window ON public.login_failures USING btree (window_ends_at);

create table memberships (
  organization_id uuid not null,
  user_id uuid not null,
  role text not null,
  joined_at timestamp with time zone default now() not null,
  last_seen_at timestamp with time zone,
  constraint memberships_pkey PRIMARY KEY (user_id, organization_id),
  constraint memberships_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'developer'::text, 'viewer'::text]))),
  constraint memberships_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint memberships_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX memberships_by_organization ON public.memberships USING btree (organization_id, user_id);

create table migrations (
  name text not null,
  applied_at timestamp with time zone default now() not null,
  constraint migrations_pkey PRIMARY KEY (name)
);

create table notification_contents (
  notification_id uuid not null,
  subject text,
  html_body text,
  text_body text,
  template_data jsonb default '{}'::jsonb not null,
  from_name text,
  reply_to text,
  attachments jsonb,
  template_version_id uuid,
  template_locale text,
  structured json,
  rendered_at timestamp with time zone,
  text_alternative text,
  body_object uuid,
  inbox_extras jsonb,
  inline_format text,
  constraint notification_contents_pkey PRIMARY KEY (notification_id)
) partition by RANGE (notification_id);
alter table notification_contents alter subject set statistics 0;
alter table notification_contents alter html_body set statistics 0;
alter table notification_contents alter text_body set statistics 0;
alter table notification_contents alter template_data set statistics 0;
alter table notification_contents alter attachments set statistics 0;
alter table notification_contents alter text_alternative set statistics 0;

create table notification_rare_statuses (
  environment_id uuid not null,
  status text not null,
  id uuid not null,
  constraint notification_rare_statuses_pkey PRIMARY KEY (environment_id, status, id)
);

create table notifications (
  id uuid not null,
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
  attempt_count integer default 0 not null,
  round integer default 0 not null,
  send_at timestamp with time zone,
  sent_at timestamp with time zone,
  suppression_reason text,
  last_error text,
  events jsonb default '[]'::jsonb not null,
  trace jsonb default '[]'::jsonb not null,
  connection_id uuid,
  source_id uuid,
  chain text,
  broadcast_id uuid,
  history text,
  constraint notifications_pkey PRIMARY KEY (id)
) partition by RANGE (id);
alter table notifications alter events set statistics 0;
alter table notifications alter trace set statistics 0;
alter table notifications alter history set statistics 0;
CREATE INDEX notifications_by_category ON ONLY public.notifications USING btree (environment_id, category, id) WHERE (category IS NOT NULL);
CREATE INDEX notifications_by_environment ON ONLY public.notifications USING btree (environment_id, id);
CREATE INDEX notifications_by_recipient ON ONLY public.notifications USING btree (environment_id, lower(address), id);
CREATE INDEX notifications_by_template ON ONLY public.notifications USING btree (environment_id, template_key, id) WHERE (template_key IS NOT NULL);
CREATE INDEX notifications_by_user ON ONLY public.notifications USING btree (environment_id, external_user_id, id) WHERE (external_user_id IS NOT NULL);
CREATE TRIGGER broadcast_recipient_deleted AFTER DELETE ON public.notifications FOR EACH ROW WHEN (((old.broadcast_id IS NOT NULL) AND (old.status = 'queued'::text))) EXECUTE FUNCTION track_broadcast_status();
CREATE TRIGGER broadcast_status_updated AFTER UPDATE OF status ON public.notifications FOR EACH ROW WHEN (((new.broadcast_id IS NOT NULL) AND (old.status IS DISTINCT FROM new.status))) EXECUTE FUNCTION track_broadcast_status();
CREATE TRIGGER rare_status_deleted AFTER DELETE ON public.notifications FOR EACH ROW WHEN ((old.status = ANY (ARRAY['failed'::text, 'suppressed'::text, 'bounced'::text, 'complained'::text]))) EXECUTE FUNCTION track_rare_status();
CREATE TRIGGER rare_status_inserted AFTER INSERT ON public.notifications FOR EACH ROW WHEN ((new.status = ANY (ARRAY['failed'::text, 'suppressed'::text, 'bounced'::text, 'complained'::text]))) EXECUTE FUNCTION track_rare_status();
CREATE TRIGGER rare_status_updated AFTER UPDATE OF status ON public.notifications FOR EACH ROW WHEN (((old.status IS DISTINCT FROM new.status) AND ((old.status = ANY (ARRAY['failed'::text, 'suppressed'::text, 'bounced'::text, 'complained'::text])) OR (new.status = ANY (ARRAY['failed'::text, 'suppressed'::text, 'bounced'::text, 'complained'::text]))))) EXECUTE FUNCTION track_rare_status();

create table organization_moves (
  organization_id uuid not null,
  move_id uuid not null,
  state text not null,
  moved_to text,
  receipt text,
  activation_code text,
  activation_hash bytea not null,
  rows_done bigint default 0 not null,
  began_at timestamp with time zone default now() not null,
  constraint organization_moves_pkey PRIMARY KEY (organization_id),
  constraint organization_moves_state_check CHECK ((state = ANY (ARRAY['leaving'::text, 'moved'::text, 'arriving'::text])))
);

create table organizations (
  id uuid not null,
  name text not null,
  plan text not null,
  created_at timestamp with time zone default now() not null,
  plan_owner_id uuid,
  constraint organizations_pkey PRIMARY KEY (id),
  constraint organizations_plan_check CHECK ((plan = ANY (ARRAY['free'::text, 'pro'::text, 'scale'::text, 'unmetered'::text]))),
  constraint organizations_plan_owner_id_fkey FOREIGN KEY (plan_owner_id) REFERENCES users(id)
);
CREATE INDEX organizations_by_plan_account ON public.organizations USING btree (COALESCE(plan_owner_id, id));

create table preferences (
  environment_id uuid not null,
  user_key text not null,
  category_key text not null,
  channel text not null,
  opted_in boolean not null,
  source text not null,
  updated_at timestamp with time zone default now() not null,
  constraint preferences_pkey PRIMARY KEY (environment_id, user_key, category_key, channel),
  constraint preferences_source_check CHECK ((source = ANY (ARRAY['api'::text, 'recipient'::text, 'unsubscribe'::text]))),
  constraint preferences_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id)
);

create table prices (
  environment_id uuid not null,
  channel text not null,
  provider_kind text not null,
  prefix text not null,
  price_micros bigint not null,
  currency text not null,
  constraint prices_pkey PRIMARY KEY (environment_id, channel, provider_kind, prefix),
  constraint prices_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id)
);

create table provider_health (
  environment_id uuid not null,
  provider text not null,
  outage_id uuid,
  firing_since timestamp with time zone,
  demoted_since timestamp with time zone,
  restored_at timestamp with time zone default '-infinity'::timestamp with time zone not null,
  probe_at timestamp with time zone default now() not null,
  constraint provider_health_pkey PRIMARY KEY (environment_id, provider)
);

create unlogged table provider_health_counts (
  environment_id uuid not null,
  provider text not null,
  bucket timestamp with time zone not null,
  shard smallint not null,
  name text not null,
  messages integer not null,
  failed integer not null,
  constraint provider_health_counts_pkey PRIMARY KEY (environment_id, provider, bucket, shard)
);

create table provider_pauses (
  environment_id uuid not null,
  pace text not null,
  paused_at timestamp with time zone not null,
  paused_until timestamp with time zone not null,
  strikes smallint not null,
  since timestamp with time zone not null,
  provider text,
  constraint provider_pauses_pkey PRIMARY KEY (environment_id, pace)
);
CREATE INDEX provider_pauses_by_end ON public.provider_pauses USING btree (paused_until);

create table push_settings (
  environment_id uuid not null,
  ring jsonb not null,
  vapid jsonb,
  web_push jsonb,
  apns jsonb,
  fcm jsonb,
  checks jsonb default '{}'::jsonb not null,
  updated_at timestamp with time zone default now() not null,
  constraint push_settings_pkey PRIMARY KEY (environment_id),
  constraint push_settings_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id) ON DELETE CASCADE
);

create table queue_held (
  environment_id uuid not null,
  kind smallint not null,
  id uuid not null,
  lane smallint not null,
  run_at timestamp with time zone,
  note jsonb,
  waits_for text,
  waits_since timestamp with time zone,
  constraint queue_held_pkey PRIMARY KEY (environment_id, kind, id)
);

create table queue_later (
  id uuid not null,
  kind smallint not null,
  lane smallint not null,
  environment_id uuid not null,
  run_at timestamp with time zone not null,
  note jsonb,
  waits_for text,
  waits_since timestamp with time zone,
  constraint queue_later_pkey PRIMARY KEY (id, kind)
) with (autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_threshold=5000, autovacuum_vacuum_cost_delay=0);
CREATE INDEX queue_later_by_environment ON public.queue_later USING btree (environment_id, kind, id);
CREATE INDEX queue_later_by_time ON public.queue_later USING btree (run_at);
CREATE INDEX queue_later_by_wait ON public.queue_later USING btree (environment_id, waits_for, kind, lane, waits_since) WHERE (waits_for IS NOT NULL);

create table queue_leased (
  id uuid not null,
  kind smallint not null,
  lane smallint not null,
  environment_id uuid not null,
  worker_id uuid not null,
  leased_at timestamp with time zone default now() not null,
  note jsonb,
  constraint queue_leased_pkey PRIMARY KEY (id, kind)
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000, autovacuum_vacuum_cost_delay=0);
CREATE INDEX queue_leased_by_worker ON public.queue_leased USING btree (worker_id);

create table queue_parked (
  id uuid not null,
  kind smallint not null,
  lane smallint not null,
  environment_id uuid not null,
  place text not null,
  note jsonb,
  constraint queue_parked_pkey PRIMARY KEY (id, kind)
) with (autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_threshold=5000, autovacuum_vacuum_cost_delay=0);
CREATE INDEX queue_parked_by_place ON public.queue_parked USING btree (kind, place, lane, id);

create table queue_ready (
  id uuid not null,
  kind smallint not null,
  lane smallint not null,
  tag bigint not null,
  environment_id uuid not null,
  note jsonb,
  constraint queue_ready_pkey PRIMARY KEY (id, kind)
) with (autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_threshold=5000, autovacuum_vacuum_cost_delay=0);
CREATE INDEX queue_ready_in_order ON public.queue_ready USING btree (kind, lane, tag);

create table queue_turns (
  kind smallint not null,
  lane smallint not null,
  environment_id uuid not null,
  last_tag bigint not null,
  burst integer not null,
  constraint queue_turns_pkey PRIMARY KEY (kind, lane, environment_id)
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=2000, autovacuum_vacuum_cost_delay=0);
CREATE INDEX queue_turns_by_tag ON public.queue_turns USING btree (kind, lane, last_tag);

create table quiet_hours (
  environment_id uuid not null,
  user_key text not null,
  start_minute smallint not null,
  end_minute smallint not null,
  timezone text not null,
  updated_at timestamp with time zone default now() not null,
  constraint quiet_hours_pkey PRIMARY KEY (environment_id, user_key),
  constraint quiet_hours_end_minute_check CHECK (((end_minute >= 0) AND (end_minute <= 1439))),
  constraint quiet_hours_start_minute_check CHECK (((start_minute >= 0) AND (start_minute <= 1439))),
  constraint quiet_hours_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id)
);

create unlogged table rate_buckets (
  key_id uuid not null,
  tokens double precision not null,
  refilled_at timestamp with time zone not null,
  constraint rate_buckets_pkey PRIMARY KEY (key_id),
  constraint rate_buckets_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_keys(id) ON DELETE CASCADE
);

create table run_sends (
  notification_id uuid not null,
  run_id uuid not null,
  wait_for text not null,
  moves integer default 0 not null,
  constraint run_sends_pkey PRIMARY KEY (notification_id),
  constraint run_sends_wait_for_check CHECK ((wait_for = ANY (ARRAY['sent'::text, 'delivered'::text])))
);
CREATE INDEX run_sends_by_run ON public.run_sends USING btree (run_id);

create table run_steps (
  run_id uuid not null,
  seq integer not null,
  step_id text not null,
  kind text not null,
  attempt_id text not null,
  status text not null,
  outcome text,
  notification_id uuid,
  event_id uuid,
  output json,
  next_step_id text,
  next_scheduled_at timestamp with time zone,
  started_at timestamp with time zone not null,
  completed_at timestamp with time zone,
  constraint run_steps_pkey PRIMARY KEY (run_id, seq)
);

create table run_waits (
  run_id uuid not null,
  wait_key bytea not null,
  event_id uuid,
  constraint run_waits_pkey PRIMARY KEY (run_id)
) with (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=5000, autovacuum_vacuum_cost_delay=0);
CREATE INDEX run_waits_claimed ON public.run_waits USING btree (event_id) WHERE (event_id IS NOT NULL);
CREATE INDEX run_waits_open ON public.run_waits USING btree (wait_key) WHERE (event_id IS NULL);

create table runs (
  id uuid not null,
  environment_id uuid not null,
  workflow_id uuid not null,
  version integer not null,
  status text not null,
  current_step_id text,
  external_user_id text,
  trigger_data json not null,
  state json,
  failure_reason text,
  triggered_at timestamp with time zone default now() not null,
  completed_at timestamp with time zone,
  address text,
  chain text,
  constraint runs_pkey PRIMARY KEY (id)
) with (fillfactor=85, autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_cost_delay=0);
CREATE INDEX runs_by_address ON public.runs USING btree (environment_id, lower(address), id) WHERE (address IS NOT NULL);
CREATE INDEX runs_by_status ON public.runs USING btree (workflow_id, status, id);
CREATE INDEX runs_by_user ON public.runs USING btree (environment_id, external_user_id, id) WHERE (external_user_id IS NOT NULL);
CREATE INDEX runs_by_workflow ON public.runs USING btree (workflow_id, id);

create table sandbox_messages (
  environment_id uuid not null,
  id uuid not null,
  notification_id uuid not null,
  channel text not null,
  provider text not null,
  recipient text not null,
  payload json not null,
  payload_bytes integer not null,
  from_content text[],
  constraint sandbox_messages_pkey PRIMARY KEY (environment_id, id),
  constraint sandbox_messages_notification_id_provider_key UNIQUE (notification_id, provider)
);

create table schedule_runs (
  id uuid not null,
  environment_id uuid not null,
  schedule_id uuid not null,
  slot timestamp with time zone not null,
  is_manual boolean not null,
  status text not null,
  definition jsonb,
  last_user text,
  run_id uuid,
  started_count integer default 0 not null,
  skipped_count integer default 0 not null,
  missed_count integer default 0 not null,
  failure_reason text,
  completed_at timestamp with time zone,
  broadcast_id uuid,
  constraint schedule_runs_pkey PRIMARY KEY (id),
  constraint schedule_runs_status_check CHECK ((status = ANY (ARRAY['running'::text, 'completed'::text, 'failed'::text, 'missed'::text]))),
  constraint schedule_runs_schedule_id_fkey FOREIGN KEY (schedule_id) REFERENCES schedules(id) ON DELETE CASCADE
);
CREATE INDEX schedule_runs_by_schedule ON public.schedule_runs USING btree (schedule_id, id);
CREATE UNIQUE INDEX schedule_runs_once ON public.schedule_runs USING btree (schedule_id, slot) WHERE (NOT is_manual);
CREATE INDEX schedule_runs_running ON public.schedule_runs USING btree (environment_id) WHERE (status = 'running'::text);

create table schedules (
  id uuid not null,
  environment_id uuid not null,
  key text not null,
  name text not null,
  target json not null,
  cron text not null,
  rule json,
  timezone text not null,
  per_recipient_timezone boolean not null,
  starts_at timestamp with time zone,
  ends_at timestamp with time zone,
  missed_runs text not null,
  status text not null,
  active_since timestamp with time zone not null,
  next_slot timestamp with time zone,
  timer_id uuid not null,
  updated_at timestamp with time zone default now() not null,
  next_run_at timestamp with time zone,
  constraint schedules_pkey PRIMARY KEY (id),
  constraint schedules_environment_id_key_key UNIQUE (environment_id, key),
  constraint schedules_missed_runs_check CHECK ((missed_runs = ANY (ARRAY['skip'::text, 'run_once'::text]))),
  constraint schedules_status_check CHECK ((status = ANY (ARRAY['active'::text, 'paused'::text, 'ended'::text]))),
  constraint schedules_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id)
);
CREATE INDEX schedules_by_environment ON public.schedules USING btree (environment_id, id);
CREATE UNIQUE INDEX schedules_by_timer ON public.schedules USING btree (timer_id);

create table sessions (
  token_hash bytea not null,
  user_id uuid not null,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone not null,
  id uuid default gen_random_uuid() not null,
  last_seen_at timestamp with time zone default now() not null,
  constraint sessions_pkey PRIMARY KEY (token_hash),
  constraint sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX sessions_by_expiry ON public.sessions USING btree (expires_at);
CREATE INDEX sessions_by_user ON public.sessions USING btree (user_id, id);

create table sms_settings (
  environment_id uuid not null,
  id uuid not null,
  kind text not null,
  from_number text,
  from_sender_id text,
  config jsonb default '{}'::jsonb not null,
  credentials_validated_at timestamp with time zone,
  credentials_detail text default ''::text not null,
  updated_at timestamp with time zone default now() not null,
  providers jsonb,
  constraint sms_settings_pkey PRIMARY KEY (environment_id),
  constraint sms_settings_id_key UNIQUE (id),
  constraint sms_settings_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id)
);
CREATE TRIGGER sms_chain BEFORE INSERT OR UPDATE ON public.sms_settings FOR EACH ROW EXECUTE FUNCTION keep_sms_chain();

create table spend_counts (
  environment_id uuid not null,
  month date not null,
  channel text not null,
  currency text not null,
  amount_micros bigint not null,
  constraint spend_counts_pkey PRIMARY KEY (environment_id, month, channel, currency)
);

create table stored_objects (
  id uuid not null,
  key text not null,
  environment_id uuid not null,
  notification_id uuid not null,
  "position" smallint,
  size_bytes integer not null,
  sha256 bytea not null,
  state text default 'uploading'::text not null,
  delete_at timestamp with time zone,
  constraint stored_objects_pkey PRIMARY KEY (id),
  constraint stored_objects_state_check CHECK ((state = ANY (ARRAY['uploading'::text, 'stored'::text, 'unused'::text])))
);
CREATE INDEX stored_objects_attachments ON public.stored_objects USING btree (notification_id) WHERE (("position" IS NOT NULL) AND (state = 'stored'::text));
CREATE INDEX stored_objects_notification ON public.stored_objects USING btree (notification_id, "position");
CREATE INDEX stored_objects_unused ON public.stored_objects USING btree (delete_at) WHERE (delete_at IS NOT NULL);

create table suppressions (
  environment_id uuid not null,
  address text not null,
  id uuid not null,
  reason text not null,
  source text not null,
  diagnostic_detail text,
  triggering_notification_id uuid,
  constraint suppressions_pkey PRIMARY KEY (environment_id, address),
  constraint suppressions_reason_check CHECK ((reason = ANY (ARRAY['hard_bounce'::text, 'complaint'::text, 'manual_add'::text, 'unsubscribed'::text]))),
  constraint suppressions_source_check CHECK ((source = ANY (ARRAY['provider'::text, 'manual'::text, 'recipient'::text]))),
  constraint suppressions_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id)
);
CREATE INDEX suppressions_by_id ON public.suppressions USING btree (environment_id, id);
CREATE INDEX suppressions_by_prefix ON public.suppressions USING btree (environment_id, address text_pattern_ops);
CREATE INDEX suppressions_by_reason ON public.suppressions USING btree (environment_id, reason, id);

create table template_part_versions (
  id uuid not null,
  environment_id uuid not null,
  part_id uuid not null,
  version integer not null,
  content json not null,
  uses text[] not null,
  keys text[] not null,
  size integer not null,
  constraint template_part_versions_pkey PRIMARY KEY (id),
  constraint template_part_versions_part_id_version_key UNIQUE (part_id, version)
);

create table template_parts (
  id uuid not null,
  environment_id uuid not null,
  kind text not null,
  key text not null,
  channel text,
  is_default boolean default false not null,
  current_version_id uuid not null,
  constraint template_parts_pkey PRIMARY KEY (id),
  constraint template_parts_environment_id_kind_key_key UNIQUE (environment_id, kind, key),
  constraint template_parts_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id)
);
CREATE UNIQUE INDEX template_parts_default ON public.template_parts USING btree (environment_id, kind, COALESCE(channel, ''::text)) WHERE is_default;

create table template_versions (
  id uuid not null,
  environment_id uuid not null,
  template_id uuid not null,
  version integer not null,
  name text not null,
  channels text[] not null,
  bodies json not null,
  size integer not null,
  uses text[],
  translation_keys text[],
  parts jsonb,
  push jsonb,
  constraint template_versions_pkey PRIMARY KEY (id),
  constraint template_versions_template_id_version_key UNIQUE (template_id, version)
);

create table templates (
  id uuid not null,
  environment_id uuid not null,
  key text not null,
  current_version_id uuid not null,
  constraint templates_pkey PRIMARY KEY (id),
  constraint templates_environment_id_key_key UNIQUE (environment_id, key),
  constraint templates_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id)
);
CREATE INDEX templates_by_environment ON public.templates USING btree (environment_id, id);

create table throttles (
  workflow_id uuid not null,
  step_id text not null,
  key_hash bytea not null,
  passes bigint[] not null,
  expires_at timestamp with time zone not null,
  constraint throttles_pkey PRIMARY KEY (workflow_id, step_id, key_hash)
) with (autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_cost_delay=0);
CREATE INDEX throttles_by_expiry ON public.throttles USING btree (expires_at);

create table topic_subscribers (
  topic_id uuid not null,
  external_user_id text not null,
  environment_id uuid not null,
  subscribed_at timestamp with time zone default now() not null,
  constraint topic_subscribers_pkey PRIMARY KEY (topic_id, external_user_id),
  constraint topic_subscribers_topic_id_fkey FOREIGN KEY (topic_id) REFERENCES topics(id)
);
CREATE INDEX topic_subscribers_by_user ON public.topic_subscribers USING btree (environment_id, external_user_id, topic_id);

create table topics (
  id uuid not null,
  environment_id uuid not null,
  key text not null,
  name text not null,
  description text,
  subscriber_count integer default 0 not null,
  deleted_at timestamp with time zone,
  constraint topics_pkey PRIMARY KEY (id),
  constraint topics_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id)
) with (fillfactor=70);
CREATE INDEX topics_by_environment ON public.topics USING btree (environment_id, id);
CREATE UNIQUE INDEX topics_by_key ON public.topics USING btree (environment_id, key) WHERE (deleted_at IS NULL);
CREATE INDEX topics_deleted ON public.topics USING btree (id) WHERE (deleted_at IS NOT NULL);

create table unsubscribe_secrets (
  environment_id uuid not null,
  handle bytea not null,
  sealed_secret text not null,
  constraint unsubscribe_secrets_pkey PRIMARY KEY (environment_id),
  constraint unsubscribe_secrets_handle_key UNIQUE (handle),
  constraint unsubscribe_secrets_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id)
);

create table usage_counters (
  organization_id uuid not null,
  month date not null,
  channel text not null,
  shard smallint not null,
  sends bigint not null,
  constraint usage_counters_pkey PRIMARY KEY (organization_id, month, channel, shard),
  constraint usage_counters_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=2000, autovacuum_vacuum_cost_delay=0);

create table users (
  id uuid not null,
  email text not null,
  name text not null,
  password_hash text not null,
  created_at timestamp with time zone default now() not null,
  constraint users_pkey PRIMARY KEY (id),
  constraint users_email_key UNIQUE (email)
);

create table webhook_activity (
  environment_id uuid not null,
  endpoint_id uuid not null,
  slot timestamp with time zone not null,
  succeeded integer not null,
  failed integer not null,
  latency integer[] not null,
  constraint webhook_activity_pkey PRIMARY KEY (endpoint_id, slot)
) with (fillfactor=70);
CREATE INDEX webhook_activity_by_age ON public.webhook_activity USING btree (slot);
CREATE INDEX webhook_activity_by_environment ON public.webhook_activity USING btree (environment_id, slot);

create table webhook_attempts (
  delivery_id uuid not null,
  number integer not null,
  attempted_at timestamp with time zone not null,
  http_status_code integer,
  latency_ms integer not null,
  response_snippet text,
  error text,
  constraint webhook_attempts_pkey PRIMARY KEY (delivery_id, number)
);

create table webhook_deliveries (
  id uuid not null,
  environment_id uuid not null,
  endpoint_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  status text default 'pending'::text not null,
  attempt_count integer default 0 not null,
  step smallint default 0 not null,
  next_attempt_at timestamp with time zone,
  http_status_code integer,
  latency_ms integer,
  response_snippet text,
  error text,
  failed_at timestamp with time zone,
  constraint webhook_deliveries_pkey PRIMARY KEY (id),
  constraint webhook_deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'succeeded'::text, 'failed'::text, 'permanent_failure'::text])))
) with (fillfactor=80);
CREATE INDEX webhook_deliveries_by_endpoint ON public.webhook_deliveries USING btree (endpoint_id, id);
CREATE INDEX webhook_deliveries_by_event ON public.webhook_deliveries USING btree (event_id);
CREATE INDEX webhook_deliveries_by_type ON public.webhook_deliveries USING btree (endpoint_id, event_type, id) WHERE (event_type <> ALL (ARRAY['notification.sent'::text, 'notification.delivered'::text]));
CREATE INDEX webhook_deliveries_failed ON public.webhook_deliveries USING btree (endpoint_id, id) WHERE (failed_at IS NOT NULL);

create table webhook_endpoints (
  id uuid not null,
  environment_id uuid not null,
  url text not null,
  url_hash bytea not null,
  status text not null,
  event_filters text[] not null,
  description text not null,
  timeout_seconds smallint not null,
  secrets jsonb not null,
  signing_secret_prefix text not null,
  failing_since timestamp with time zone,
  disabled_reason text,
  sealed_query text,
  constraint webhook_endpoints_pkey PRIMARY KEY (id),
  constraint webhook_endpoints_disabled_reason_check CHECK ((disabled_reason = ANY (ARRAY['gone'::text, 'failing'::text]))),
  constraint webhook_endpoints_status_check CHECK ((status = ANY (ARRAY['active'::text, 'paused'::text, 'auto_disabled'::text, 'disabled'::text]))),
  constraint webhook_endpoints_timeout_seconds_check CHECK (((timeout_seconds >= 1) AND (timeout_seconds <= 30))),
  constraint webhook_endpoints_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id)
);
CREATE INDEX webhook_endpoints_by_environment ON public.webhook_endpoints USING btree (environment_id, id);
CREATE UNIQUE INDEX webhook_endpoints_by_url ON public.webhook_endpoints USING btree (environment_id, url_hash) WHERE (status <> 'disabled'::text);

create table webhook_environment_secrets (
  environment_id uuid not null,
  secrets jsonb not null,
  constraint webhook_environment_secrets_pkey PRIMARY KEY (environment_id),
  constraint webhook_environment_secrets_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id)
);

create table webhook_events (
  id uuid not null,
  environment_id uuid not null,
  type text not null,
  notification_id uuid,
  body text not null,
  chain text,
  constraint webhook_events_pkey PRIMARY KEY (id)
);
CREATE INDEX webhook_events_by_notification ON public.webhook_events USING btree (notification_id) WHERE (notification_id IS NOT NULL);

create table workers (
  id uuid not null,
  started_at timestamp with time zone default now() not null,
  alive_until timestamp with time zone not null,
  constraint workers_pkey PRIMARY KEY (id)
);

create table workflow_activity (
  workflow_id uuid not null,
  slot timestamp with time zone not null,
  triggered integer not null,
  constraint workflow_activity_pkey PRIMARY KEY (workflow_id, slot)
) with (fillfactor=70);
CREATE INDEX workflow_activity_by_age ON public.workflow_activity USING btree (slot);

create table workflow_event_keys (
  wait_key bytea not null,
  event_id uuid not null,
  constraint workflow_event_keys_pkey PRIMARY KEY (wait_key, event_id),
  constraint workflow_event_keys_event_id_fkey FOREIGN KEY (event_id) REFERENCES workflow_events(id) ON DELETE CASCADE
);
CREATE INDEX workflow_event_keys_by_event ON public.workflow_event_keys USING btree (event_id);

create table workflow_events (
  id uuid not null,
  run_id uuid,
  name text not null,
  data json not null,
  arrived_at timestamp with time zone default clock_timestamp() not null,
  environment_id uuid,
  constraint workflow_events_pkey PRIMARY KEY (id)
);

create table workflow_patterns (
  workflow_id uuid not null,
  hash bytea not null,
  event_name text not null,
  paths text[] not null,
  lookback boolean not null,
  constraint workflow_patterns_pkey PRIMARY KEY (workflow_id, hash),
  constraint workflow_patterns_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows(id)
);

create table workflow_versions (
  workflow_id uuid not null,
  version integer not null,
  id uuid not null,
  body text not null,
  template_keys text[] not null,
  activated_at timestamp with time zone,
  secrets_sealed jsonb,
  deactivated_at timestamp with time zone,
  constraint workflow_versions_pkey PRIMARY KEY (workflow_id, version),
  constraint workflow_versions_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows(id)
);

create table workflows (
  id uuid not null,
  environment_id uuid not null,
  key text not null,
  name text not null,
  description text,
  status text default 'draft'::text not null,
  active_version integer,
  latest_version integer default 0 not null,
  updated_at timestamp with time zone default now() not null,
  constraint workflows_pkey PRIMARY KEY (id),
  constraint workflows_environment_id_key_key UNIQUE (environment_id, key),
  constraint workflows_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'active'::text, 'disabled'::text]))),
  constraint workflows_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id)
);
CREATE INDEX workflows_by_environment ON public.workflows USING btree (environment_id, id);

CREATE OR REPLACE FUNCTION public.copy_idempotency_key()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION public.idempotency_hash(environment_id uuid, operation text, key text)
 RETURNS uuid
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  select encode(substr(sha256(convert_to(environment_id::text || e'\n' || operation || e'\n' || key, 'UTF8')), 1, 16), 'hex')::uuid
$function$;

CREATE OR REPLACE FUNCTION public.keep_sms_chain()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION public.readable_history(id uuid, resent_from uuid, events jsonb, trace jsonb, history text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $function$
declare
  types constant text[] := array['Queued', 'Sending', 'Sent', 'Retrying', 'Failed', 'Suppressed', 'Held', 'Released', 'Delivered', 'Bounced',
    'Complained', 'DeliveryDelayed', 'Opened', 'Clicked', 'FailedOver', 'AttemptFailed'];
  gates constant text[] := array['broadcast', 'still_wanted', 'suppression_list', 'category_preference', 'quiet_hours', 'brake'];
  sentences constant text[] := array['Round {} of {} failed; the next is at {}', 'Throttled; the next attempt is at {}', 'Scheduled for {}.',
    'The address has been on the suppression list since {} ({}).', 'The recipient opted out of the category {} on {} ({}).',
    'The category {} is off on {} unless the recipient opts in.', 'Quiet hours of the recipient ({}): delayed until {}.',
    'Gave up after {} rounds; last: {}', 'Waited {} s for throttled providers; checked {} times.'];
  start constant bigint := ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint;
  texts text[] := '{}';
  entry jsonb;
  kind text;
  at text;
  given jsonb;
  detail text;
  parts text[];
  variable jsonb;
  place int;
  is_event boolean;
begin
  for entry in select value from jsonb_array_elements(('[' || coalesce(history, '') || ']')::jsonb) loop
    kind := entry ->> 0;
    is_event := jsonb_typeof(entry -> 0) = 'number';
    if kind = 'e' then
      events := events || (entry -> 1);
      continue;
    elsif kind = 't' then
      trace := trace || (entry -> 1);
      continue;
    elsif not is_event and kind not in ('p', 'g', 'd', 'a') then
      continue; -- of a later release
    end if;
    at := readable_time(start, entry -> 1);
    given := case kind when 'p' then null when 'g' then entry -> 4 when 'd' then entry -> 4 when 'a' then entry -> 5 else entry -> 2 end;
    detail := given #>> '{}';
    if jsonb_typeof(given) = 'number' then
      detail := texts[array_length(texts, 1) - (given #>> '{}')::int];
    elsif jsonb_typeof(given) = 'array' then
      parts := string_to_array(sentences[(given ->> 0)::int + 1], '{}');
      detail := parts[1];
      place := 1;
      for variable in select value from jsonb_array_elements(given - 0) loop
        place := place + 1;
        detail := concat(detail, readable_time(start, variable), parts[place]);
      end loop;
    end if;
    if is_event then
      events := events || jsonb_build_object('type', coalesce(types[kind::int + 1], 'Unknown'), 'occurred_at', at, 'detail', detail,
        'suppression_reason', entry -> 3);
    elsif kind = 'p' then
      trace := trace || jsonb_build_object('at', at, 'kind', 'passed', 'gates', case when jsonb_typeof(entry -> 2) = 'array' then entry -> 2 else
        (select coalesce(jsonb_agg(name order by bit), '[]') from unnest(gates) with ordinality as gate (name, bit)
         where (entry ->> 2)::int & (1 << (bit - 1)::int) <> 0) end);
    elsif kind = 'a' then
      texts := texts || concat(entry ->> 3, ': ', detail);
      trace := trace || (jsonb_build_object('at', at, 'kind', 'attempt', 'name', entry -> 3, 'provider_kind', coalesce(entry ->> 8, entry ->> 3),
        'verdict', case when entry ->> 4 = '0' then 'accepted' else entry ->> 4 end, 'detail', detail, 'code', entry -> 6,
        'provider_message_id', case when jsonb_typeof(entry -> 7) = 'array'
          then (select to_jsonb(string_agg(part, id::text order by place_of)) from jsonb_array_elements_text(entry -> 7) with ordinality as p (part, place_of))
          else entry -> 7 end, 'latency_ms', entry -> 2) || case when jsonb_typeof(entry -> 9) is distinct from 'array' then '{}'
        else jsonb_build_object('exchange', jsonb_build_object('method', entry -> 9 -> 0, 'url', entry -> 9 -> 1, 'request_bytes', entry -> 9 -> 2,
          'status', entry -> 9 -> 3, 'response_bytes', entry -> 9 -> 4)) end);
    else
      if detail is not null then texts := texts || detail; end if;
      trace := trace || jsonb_build_object('at', at, 'kind', case kind when 'g' then 'gate' else 'decision' end, 'name', entry -> 2,
        'verdict', entry -> 3, 'detail', detail);
    end if;
  end loop;
  if not exists (select from jsonb_array_elements(events) as event where event ->> 'type' = 'Queued') then
    events := jsonb_build_array(jsonb_build_object('type', 'Queued', 'occurred_at', readable_time(start, '0'),
      'detail', 'Resent from ' || resent_from::text, 'suppression_reason', null)) || events;
  end if;
  return jsonb_build_object('events', events, 'trace', trace);
end $function$;

CREATE OR REPLACE FUNCTION public.readable_time(start bigint, given jsonb)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  select case when jsonb_typeof(given) <> 'number' then given #>> '{}' else
    to_char(to_timestamp((case when abs((given #>> '{}')::bigint) < 100000000000 then start else 0 end + (given #>> '{}')::bigint) / 1000.0)
      at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') end
$function$;

CREATE OR REPLACE FUNCTION public.refuse_moving_organization()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION public.track_broadcast_status()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'DELETE' then
    insert into broadcast_changes values (old.broadcast_id, old.status, 'deleted');
  else
    insert into broadcast_changes values (new.broadcast_id, old.status, new.status);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.track_rare_status()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op <> 'INSERT' then
    delete from notification_rare_statuses where environment_id = old.environment_id and status = old.status and id = old.id;
  end if;
  if tg_op <> 'DELETE' and new.status in ('failed', 'suppressed', 'bounced', 'complained') then
    insert into notification_rare_statuses (environment_id, status, id) values (new.environment_id, new.status, new.id)
    on conflict do nothing;
  end if;
  return null;
end $function$;

create view notifications_readable as
 SELECT n.id,
    readable_time(((('x'::text || "left"(replace((n.id)::text, '-'::text, ''::text), 12)))::bit(48))::bigint, '0'::jsonb) AS created_at,
    n.environment_id,
    n.channel,
    n.status,
    n.priority,
    n.address,
    n.recipient_name,
    n.external_user_id,
    n.category,
    n.template_key,
    n.idempotency_key,
    n.action_url,
    n.resent_from,
    n.broadcast_id,
    n.attempt_count,
    n.send_at,
    n.sent_at,
    n.suppression_reason,
    n.last_error,
    (read.history -> 'events'::text) AS events,
    (read.history -> 'trace'::text) AS trace
   FROM (notifications n
     CROSS JOIN LATERAL ( SELECT readable_history(n.id, n.resent_from, n.events, n.trace, n.history) AS history
         OFFSET 0) read);
