-- What all processes know about providers: who asked us to slow down, and who fails --------------------------------

-- A pause holds for everything that shares a limit of a provider (its pace), in every process.
create table provider_pauses (
  environment_id uuid not null,
  pace text not null,
  paused_at timestamptz not null, -- when the present pause was asked for
  paused_until timestamptz not null,
  strikes smallint not null, -- pauses in a row with nothing let through between them
  since timestamptz not null, -- the first of them
  primary key (environment_id, pace)
);
create index provider_pauses_by_end on provider_pauses (paused_until);

-- Messages by provider and quarter of a minute, for the sliding window. Several rows for the same, so that writers do not wait
-- for each other; only their sum means anything. Unlogged: a crash of the database costs at most one window.
create unlogged table provider_health_counts (
  environment_id uuid not null,
  provider text not null,
  bucket timestamptz not null,
  shard smallint not null,
  name text not null, -- as events show it
  messages integer not null,
  failed integer not null, -- below zero where a message that had failed in an earlier bucket got through
  primary key (environment_id, provider, bucket, shard)
);

create table provider_health (
  environment_id uuid not null,
  provider text not null,
  outage_id uuid, -- an outage has been announced, and its end not yet
  firing_since timestamptz,
  demoted_since timestamptz, -- it is tried last until a message gets through
  restored_at timestamptz not null default '-infinity', -- when one last did
  probe_at timestamptz not null default now(), -- the next message that is tried there first
  primary key (environment_id, provider)
);
