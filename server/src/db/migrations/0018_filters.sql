-- outside of a transaction: sends go on while the indexes are built
-- What people filter lists by, found without going through the whole history.

-- Deliveries of an endpoint by what they tell. Of the two types that are most of them none is written here.
create index concurrently if not exists webhook_deliveries_by_type on webhook_deliveries (endpoint_id, event_type, id)
  where event_type not in ('notification.sent', 'notification.delivered');

-- The audit log is written rarely and searched for one thing among many. What concerns the whole organization has no environment.
create index concurrently if not exists audit_entries_by_environment on audit_entries (organization_id, environment_id, id);
create index concurrently if not exists audit_entries_by_action on audit_entries (organization_id, environment_id, action, id);
create index concurrently if not exists audit_entries_by_target on audit_entries (organization_id, environment_id, target, id);
create index concurrently if not exists audit_entries_by_actor on audit_entries (organization_id, environment_id, actor_id, id);
drop index concurrently if exists audit_entries_by_organization;
