-- A template is a key and the version it points to. Versions never change and outlive the template, because accepted
-- notifications are pinned to them. Times are those of the ids: the template's is created_at, its version's updated_at.
create table templates (
  id uuid primary key,
  environment_id uuid not null references environments,
  key text not null,
  current_version_id uuid not null,
  unique (environment_id, key)
);
create index templates_by_environment on templates (environment_id, id);

create table template_versions (
  id uuid primary key,
  environment_id uuid not null,
  template_id uuid not null,
  version integer not null,
  name text not null,
  channels text[] not null, -- that have a body: what acceptance asks, without reading the bodies
  bodies json not null, -- [{channel, locale, subject_template, text_template, html_template, structured_template}]
  size integer not null, -- characters of the bodies, so that a page of the list can be kept small
  unique (template_id, version)
);

-- A notification with a template is pinned to a version when it is accepted and rendered once, when it is sent.
alter table notification_contents
  add column template_version_id uuid,
  add column template_locale text, -- the recipient's stored language; template_data.locale goes before it
  add column structured json, -- what the chat channels send
  add column rendered_at timestamptz;
