-- outside of a transaction: sends go on while the indexes are built
-- Runs that name a person by address alone: erasing the person finds them. Nothing is written for runs that name a user.
alter table runs add column if not exists address text;
create index concurrently if not exists runs_by_address on runs (environment_id, lower(address), id) where address is not null;
