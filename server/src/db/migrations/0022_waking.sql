-- outside of a transaction: sends go on while the indexes are built
-- Work that waits for its next try names what it waits for, so that whoever mends that can have it tried at once. Nullable columns
-- without a default: nothing is rewritten, and a previous release goes on as before. The index holds only such work.
alter table queue_later add column if not exists waits_for text, add column if not exists waits_since timestamptz;
create index concurrently if not exists queue_later_by_wait on queue_later (environment_id, waits_for, kind, lane, waits_since) where waits_for is not null;
