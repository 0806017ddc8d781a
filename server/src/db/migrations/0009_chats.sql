-- What a chat notification was accepted for: an endpoint or an installation. Its key or name may mean another one later.
alter table notifications add column connection_id uuid;

create table chat_endpoints (
  id uuid primary key,
  environment_id uuid not null references environments,
  channel text not null check (channel in ('chattwo', 'chatthree')),
  key text not null, -- what a send names; stays when the label changes
  label text not null,
  url_sealed text not null, -- whoever knows the URL may post
  url_prefix text not null,
  flavour text,
  default_username text,
  default_avatar_url text,
  revision integer not null default 1, -- counts the URLs it has had: what is learned about one says nothing about the next
  status text not null default 'active' check (status in ('active', 'broken', 'gone')),
  last_success_at timestamptz,
  last_failure_at timestamptz,
  last_failure_reason text,
  unique (environment_id, channel, key)
) with (fillfactor = 80);

create table chatone_installations (
  id uuid primary key,
  environment_id uuid not null references environments,
  team_id text not null,
  team_name text not null,
  bot_user_id text not null,
  app_id text,
  scopes text[] not null,
  auto_join_public_channels boolean not null default false,
  is_sandbox boolean not null default false, -- made up; nothing is ever called for it
  token_sealed text not null,
  token_hash bytea not null, -- a workspace gives every environment the same token; it is revoked with the last of them
  token_expires_at timestamptz,
  refresh_sealed text,
  refreshing_until timestamptz, -- one process renews at a time: a refresh token works once
  installed_at timestamptz not null,
  installed_by_user_id uuid not null references users,
  revision integer not null default 1,
  status text not null default 'active' check (status in ('active', 'broken', 'gone')),
  last_success_at timestamptz,
  last_failure_at timestamptz,
  last_failure_reason text,
  unique (environment_id, team_id)
) with (fillfactor = 80);
create index chatone_installations_by_team on chatone_installations (team_id);
create index chatone_installations_by_token on chatone_installations (token_hash);

-- A state that is here has not been used.
create table chatone_oauth_states (
  id uuid primary key,
  expires_at timestamptz not null
);
