-- What a message costs, for estimates and budget rules of the brake.
create table prices (
  environment_id uuid not null references environments (id),
  channel text not null,
  provider_kind text not null, -- empty: any provider
  prefix text not null, -- the beginning of the address, such as +49; empty: any address
  price_micros bigint not null,
  currency text not null,
  primary key (environment_id, channel, provider_kind, prefix)
);

-- The estimated cost of what providers accepted.
create table spend_counts (
  environment_id uuid not null,
  month date not null,
  channel text not null,
  currency text not null,
  amount_micros bigint not null,
  primary key (environment_id, month, channel, currency)
);
