-- The plain text of an email that was given as HTML alone, where working it out took long: once is enough.
-- A column without a default, so no row is rewritten; the previous release does not know it and leaves it alone.
alter table notification_contents add column text_alternative text;
alter table notification_contents alter text_alternative set statistics 0;
