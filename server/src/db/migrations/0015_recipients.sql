-- outside of a transaction: sends go on while the index is dropped
drop index concurrently if exists notifications_by_address;
