-- One person, however a sender spells their email address: erasing and the list of notifications find all of it. Sends wait
-- while it is built (200,000 rows: 1.3 seconds). It takes the place of notifications_by_address (0015), so that
-- accepting a notification writes no more than before.
create index notifications_by_recipient on notifications (environment_id, lower(address), id);
