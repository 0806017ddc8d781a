-- What the public status page tells (features/incidents).
create table incidents (
  id uuid primary key, -- its time is started_at
  title text not null,
  provider text, -- the provider that fails: `managed` or a kind of provider; null: opened by the operator
  resolved_at timestamptz
);
-- An outage opens one incident, also when several processes see it at once.
create unique index incidents_active_by_provider on incidents (provider) where resolved_at is null;
create index incidents_by_resolved_at on incidents (resolved_at, id);

create table incident_updates (
  id uuid primary key, -- its time is created_at
  incident_id uuid not null references incidents on delete cascade,
  message text not null
);
create index incident_updates_by_incident on incident_updates (incident_id, id);
