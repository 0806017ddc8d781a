-- How the hosted pages of an environment look to its recipients. Without a row, they look neutral.
create table brands (
  environment_id uuid primary key references environments (id) on delete cascade,
  name text,
  logo_url text,
  accent_color text
);
