-- When a version stopped being the one that new runs start on. A version that is active again has none.
alter table workflow_versions add column deactivated_at timestamptz;

-- Versions replaced before this column existed: the next activation ended them, or the last change of a disabled workflow.
update workflow_versions v set deactivated_at = ended.at
from (
  select a.workflow_id, a.version,
    coalesce(
      lead(a.activated_at) over (partition by a.workflow_id order by a.activated_at),
      case when w.status = 'disabled' then w.updated_at end
    ) as at
  from workflow_versions a join workflows w on w.id = a.workflow_id
  where a.activated_at is not null
) ended
where v.workflow_id = ended.workflow_id and v.version = ended.version and ended.at is not null;

-- Triggers by workflow and hour, for a count over seven days that does not read the runs (features/activity).
create table workflow_activity (
  workflow_id uuid not null,
  slot timestamptz not null,
  triggered integer not null,
  primary key (workflow_id, slot)
) with (fillfactor = 70);
create index workflow_activity_by_age on workflow_activity (slot);
