-- How an environment sends text messages. One row at most; `id` names the provider in callback URLs.
create table sms_settings (
  environment_id uuid primary key references environments,
  id uuid not null unique,
  kind text not null check (kind in ('managed', 'smsone', 'smstwo')),
  from_number text,
  from_sender_id text,
  config jsonb not null default '{}', -- credentials, sealed
  credentials_validated_at timestamptz, -- null: they were refused, or nobody could be asked
  credentials_detail text not null default '', -- what the provider said when it was asked
  updated_at timestamptz not null default now()
);
