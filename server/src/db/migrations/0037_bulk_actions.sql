-- Redrives and cancellations of many notifications, worked off in slices.
create table bulk_actions (
  id uuid primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  action text not null check (action in ('redrive', 'cancel')),
  filter jsonb not null,
  status text not null check (status in ('running', 'completed', 'cancelled')),
  -- Notifications with this id or a greater one are not looked at: first those accepted after the preview, then those already done.
  before uuid not null,
  total int,
  done int not null default 0,
  skipped int not null default 0,
  started_at timestamptz not null default now(),
  completed_at timestamptz
);
create index bulk_actions_by_environment on bulk_actions (environment_id, id);
create index bulk_actions_by_end on bulk_actions (completed_at);
