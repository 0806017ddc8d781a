-- What people filter lists by, found without going through the whole history.

-- Deliveries of an endpoint by what they tell. Of the two types that are most of them none is written here.
create index webhook_deliveries_by_type on webhook_deliveries (endpoint_id, event_type, id)
  where event_type not in ('notification.sent', 'notification.delivered');
