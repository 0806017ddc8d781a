-- What people filter lists by, found without going through the whole history. In this order: whoever writes to both tables in
-- one transaction begins with the deliveries.

-- Deliveries of an endpoint by what they tell. Of the two types that are most of them none is written here.
create index webhook_deliveries_by_type on webhook_deliveries (endpoint_id, event_type, id)
  where event_type not in ('notification.sent', 'notification.delivered');

-- The audit log is written rarely and searched for one thing among many. What concerns the whole organization has no environment.
create index audit_entries_by_environment on audit_entries (organization_id, environment_id, id);
create index audit_entries_by_action on audit_entries (organization_id, environment_id, action, id);
create index audit_entries_by_target on audit_entries (organization_id, environment_id, target, id);
create index audit_entries_by_actor on audit_entries (organization_id, environment_id, actor_id, id);
drop index audit_entries_by_organization;
