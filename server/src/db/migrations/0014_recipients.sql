-- outside of a transaction: sends go on while the indexes are built
-- One person, however a sender spells their email address: erasing and the list of notifications find all of it. It takes the
-- place of notifications_by_address (0015), so that accepting a notification writes no more than before.
create index concurrently if not exists notifications_by_recipient on notifications (environment_id, lower(address), id);
