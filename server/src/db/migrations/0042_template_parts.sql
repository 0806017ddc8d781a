-- What templates share: layouts, partials and translation catalogues. As with templates, a part is a key and the version it points
-- to; versions never change and outlive the part, because versions of templates are pinned to them.
create table template_parts (
  id uuid primary key,
  environment_id uuid not null references environments,
  kind text not null, -- layout, partial, translation
  key text not null, -- of a translation: its locale
  channel text, -- of a layout
  is_default boolean not null default false, -- the layout of its channel, the fallback of all locales
  current_version_id uuid not null,
  unique (environment_id, kind, key)
);
create unique index template_parts_default on template_parts (environment_id, kind, coalesce(channel, '')) where is_default;

create table template_part_versions (
  id uuid primary key,
  environment_id uuid not null,
  part_id uuid not null,
  version integer not null,
  content json not null,
  uses text[] not null, -- 'partial:footer', 'translations'
  keys text[] not null, -- translation keys: those that a catalogue has, or that a layout or partial uses
  size integer not null, -- characters of the content
  unique (part_id, version)
);

-- What a version of a template uses. In Live it is pinned to versions of parts; in Test it follows the current ones.
alter table template_versions
  add column uses text[], -- 'layout:main', 'partial:footer', 'translations'; null when it uses nothing by name
  add column translation_keys text[],
  add column parts jsonb;
