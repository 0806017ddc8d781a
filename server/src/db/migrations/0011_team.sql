-- outside of a transaction: sends go on while the indexes are built
-- Lists of people and addresses, by what they begin with -----------------------------------------------------------

create index concurrently if not exists end_users_in_order on end_users (environment_id, created_at, external_user_id);
create index concurrently if not exists end_users_by_id_prefix on end_users (environment_id, lower(external_user_id) text_pattern_ops);
-- Whole, though many have no email: the planner does not combine a partial index with the one before in an `or`.
create index concurrently if not exists end_users_by_email_prefix on end_users (environment_id, lower(email) text_pattern_ops);
create index concurrently if not exists suppressions_by_prefix on suppressions (environment_id, address text_pattern_ops);

-- People of an organization --------------------------------------------------------------------------------------

alter table memberships
  add column if not exists joined_at timestamptz not null default now(),
  add column if not exists last_seen_at timestamptz; -- in this organization, to the minute
update memberships set joined_at = users.created_at from users where users.id = memberships.user_id;
create index if not exists memberships_by_organization on memberships (organization_id, user_id);

alter table sessions
  add column if not exists id uuid not null default gen_random_uuid(), -- names the session without telling its token
  add column if not exists last_seen_at timestamptz not null default now(); -- to the minute
create index if not exists sessions_by_user on sessions (user_id, id);

-- Open ones alone: whoever accepts, replaces or withdraws an invitation removes it.
create table if not exists invitations (
  id uuid primary key, -- its time is created_at
  organization_id uuid not null references organizations,
  email text not null, -- lower case
  role text not null check (role in ('owner', 'admin', 'developer', 'viewer')),
  token_hash bytea not null unique,
  invited_by_user_id uuid not null references users,
  expires_at timestamptz not null,
  unique (organization_id, email)
);
create index if not exists invitations_by_organization on invitations (organization_id, id);
create index if not exists invitations_by_expiry on invitations (expires_at);
