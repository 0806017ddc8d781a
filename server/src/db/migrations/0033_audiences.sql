-- Small facts of the application about a user, for filters and templates. A constant default rewrites no row.
alter table end_users add column attributes jsonb not null default '{}';

-- What users follow. A deleted topic stays until housekeeping has removed its subscribers, which may be millions.
create table topics (
  id uuid primary key,
  environment_id uuid not null references environments (id),
  key text not null,
  name text not null,
  description text,
  subscriber_count integer not null default 0,
  deleted_at timestamptz
) with (fillfactor = 70);
create unique index topics_by_key on topics (environment_id, key) where deleted_at is null;
create index topics_by_environment on topics (environment_id, id);
create index topics_deleted on topics (id) where deleted_at is not null;

create table topic_subscribers (
  topic_id uuid not null references topics (id),
  external_user_id text not null,
  environment_id uuid not null,
  subscribed_at timestamptz not null default now(),
  primary key (topic_id, external_user_id)
);
create index topic_subscribers_by_user on topic_subscribers (environment_id, external_user_id, topic_id);
