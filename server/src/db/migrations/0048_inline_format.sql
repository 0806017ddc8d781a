-- How the content of a request is rendered: liquid, literal beside a template; null as before, literal without one.
alter table notification_contents add column inline_format text;
