import type { Channel } from '../../../channels/contract.ts';
import { segmentationOf } from '../../../channels/sms/segments.ts';
import { type Sql, statement } from '../../../db/sql.ts';

const list = statement<Price>(
  'spend_list_prices',
  `select channel, provider_kind, prefix, price_micros::float8 as price_micros, currency from prices
   where environment_id = $1 order by channel, provider_kind, prefix`,
);

export function listPrices(sql: Sql, environmentId: string): Promise<Price[]> {
  return list(sql, [environmentId]);
}

const clear = statement('spend_delete_prices', 'delete from prices where environment_id = $1');

const insert = statement(
  'spend_insert_prices',
  `insert into prices (environment_id, channel, provider_kind, prefix, price_micros, currency)
   select $1, * from json_to_recordset($2::json)
     as (channel text, provider_kind text, prefix text, price_micros bigint, currency text)`,
);

export async function replacePrices(tx: Sql, environmentId: string, prices: Price[]): Promise<void> {
  await clear(tx, [environmentId]);
  if (prices.length > 0) await insert(tx, [environmentId, JSON.stringify(prices)]);
}

/** An amount to add to what a month has cost. */
export interface Spend {
  environment_id: string;
  month: string;
  channel: Channel;
  currency: string;
  amount_micros: number;
}

const add = statement(
  'spend_add',
  `insert into spend_counts as s (environment_id, month, channel, currency, amount_micros)
   select * from json_to_recordset($1::json)
     as (environment_id uuid, month date, channel text, currency text, amount_micros bigint)
   order by 1, 2, 3, 4 -- everyone locks in this order: no deadlocks
   on conflict (environment_id, month, channel, currency) do update set amount_micros = s.amount_micros + excluded.amount_micros`,
);

export async function addSpend(sql: Sql, spends: Spend[]): Promise<void> {
  await add(sql, [JSON.stringify(spends)]);
}

const sums = statement<{ currency: string; channel: Channel | null; amount_micros: number }>(
  'spend_sums',
  `select current.currency, s.channel, s.amount_micros::float8 as amount_micros
   from (select currency from prices where environment_id = $1 order by channel, provider_kind, prefix limit 1) current
   left join spend_counts s on s.environment_id = $1 and s.month = $2 and s.currency = current.currency
   order by s.channel`,
);

/** What a month has cost, in the currency of the prices; null without prices. */
export async function findSpend(
  sql: Sql,
  environmentId: string,
  month: string,
): Promise<{ currency: string; byChannel: { channel: Channel; amount_micros: number }[] } | null> {
  const rows = await sums(sql, [environmentId, month]);
  const [first] = rows;
  if (!first) return null;
  const byChannel = rows.flatMap(({ channel, amount_micros }) =>
    channel === null ? [] : [{ channel, amount_micros }],
  );
  return { currency: first.currency, byChannel };
}

/** What providers charge for: a text message by segment, any other message once. */
export function billedUnits(channel: Channel, text: string | null): number {
  return channel === 'sms' && text !== null ? segmentationOf(text).segments : 1;
}

/** The price of a message, or of a segment of a text message, in millionths of the currency. Empty texts match anything. */
export interface Price {
  channel: Channel;
  provider_kind: string;
  prefix: string;
  price_micros: number;
  currency: string;
}

/**
 * The price with the longest prefix of the address counts. Before a send its provider is not known: the dearest one is assumed.
 */
export function findPrice(
  prices: readonly Price[],
  { channel, address }: { channel: Channel; address: string | null },
  providerKind: string | null,
): Price | null {
  let best: Price | null = null;
  for (const price of prices) {
    const isProvider =
      providerKind === null || price.provider_kind === '' || price.provider_kind === providerKind;
    if (price.channel !== channel || !isProvider || !(address ?? '').startsWith(price.prefix)) continue;
    if (!best || isBetter(price, best, providerKind)) best = price;
  }
  return best;
}

function isBetter(price: Price, best: Price, providerKind: string | null): boolean {
  if (price.prefix.length !== best.prefix.length) return price.prefix.length > best.prefix.length;
  if (providerKind === null) return price.price_micros > best.price_micros;
  return price.provider_kind.length > best.provider_kind.length;
}
