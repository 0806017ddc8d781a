-- outside of a transaction: sends go on while the index is built
-- Tags and actions that the request gives an inbox item: {tags?, actions?}.
alter table notification_contents add column if not exists inbox_extras jsonb;

-- A snoozed item is read until it returns: so the unread count, its index, and the previous release need not know of snoozes.
-- `snooze_id` is the work item that ends the snooze; a work item with another id is out of date. An item that returns gets a
-- new position, and keeps the time of its arrival in `arrived_at`.
alter table inbox_items
  add column if not exists category text,
  add column if not exists tags text[] not null default '{}',
  add column if not exists actions jsonb not null default '[]',
  add column if not exists action_key text,
  add column if not exists action_at timestamptz,
  add column if not exists snoozed_until timestamptz,
  add column if not exists snooze_id uuid,
  add column if not exists arrived_at timestamptz;

create index concurrently if not exists inbox_items_snoozed on inbox_items (environment_id, external_user_id, position)
  where snoozed_until is not null;
