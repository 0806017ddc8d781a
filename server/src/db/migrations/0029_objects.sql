-- Attachments and large message bodies in an object store. A row is written before its upload, so that no object is unknown; it
-- becomes `stored` in the transaction of its notification, and `unused` in the transaction that no longer needs the object.
create table stored_objects (
  id uuid primary key,
  key text not null,
  environment_id uuid not null,
  notification_id uuid not null,
  position smallint, -- of the attachment; null: the body
  size_bytes integer not null,
  sha256 bytea not null,
  state text not null default 'uploading' check (state in ('uploading', 'stored', 'unused')),
  -- When housekeeping deletes the object, or tries again; null while it is stored.
  delete_at timestamptz
);
create index stored_objects_notification on stored_objects (notification_id, position);
create index stored_objects_attachments on stored_objects (notification_id) where position is not null and state = 'stored';
create index stored_objects_unused on stored_objects (delete_at) where delete_at is not null;

-- The object with html_body and text_body; null when they are in this row.
alter table notification_contents add column body_object uuid;
