-- Runs that name a person by address alone: erasing the person finds them. Nothing is written for runs that name a user.
alter table runs add column address text;
create index runs_by_address on runs (environment_id, lower(address), id) where address is not null;
