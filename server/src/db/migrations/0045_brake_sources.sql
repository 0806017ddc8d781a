-- The API key that started it, which the brake counts its notifications for; null for people and schedules.
alter table broadcasts add column source_id uuid;
alter table bulk_actions add column source_id uuid;
