-- Failed sign-ins: each one past the free attempts makes the next wait longer.
alter table login_failures add column blocked_until timestamptz not null default '-infinity';

-- Where a change or a sign-in came from, for the entries that know.
alter table audit_entries
  add column ip_address text,
  add column user_agent text;
