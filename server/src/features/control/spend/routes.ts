import { type Static, Type } from 'typebox';
import { channels } from '../../../channels/contract.ts';
import { lockEnvironment } from '../../../db/locks.ts';
import { transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { type Route, route } from '../../../http/route.ts';
import { Nullable, OneOf } from '../../../http/schema.ts';
import { invalidParameter } from '../../../kernel/errors.ts';
import { pattern } from '../../../kernel/patterns.ts';
import { recordAudit } from '../../platform/audit/index.ts';
import { listPrices, type Price, replacePrices } from './store.ts';

const limits = { prices: 500, prefix: 20, price: 1_000_000_000 } as const;

const PriceInput = Type.Object({
  channel: OneOf(channels),
  provider_kind: Type.Optional(
    Nullable(Type.String({ maxLength: 40, description: 'Any provider when left out.' })),
  ),
  prefix: Type.Optional(
    Nullable(
      Type.String({
        maxLength: limits.prefix,
        description: 'The beginning of the address, such as `+49`. The longest one that matches counts.',
      }),
    ),
  ),
  price_micros: Type.Integer({
    minimum: 0,
    maximum: limits.price,
    description: 'Per message, or per segment of a text message, in millionths of the currency.',
  }),
});

const PriceTable = Type.Object(
  {
    currency: Type.String({
      pattern: pattern('^[A-Z]{3}$', 'three capital letters, such as EUR'),
      description: 'ISO 4217, such as EUR.',
    }),
    prices: Type.Array(PriceInput, { maxItems: limits.prices }),
  },
  {
    title: 'PriceTable',
    examples: [{ currency: 'EUR', prices: [{ channel: 'sms', prefix: '+49', price_micros: 75_000 }] }],
  },
);
type PriceTable = Static<typeof PriceTable>;

const StoredPriceTable = Type.Object(
  {
    currency: Nullable(Type.String({ description: 'Null while there are no prices.' })),
    prices: Type.Array(
      Type.Object(
        {
          channel: OneOf(channels),
          provider_kind: Nullable(Type.String()),
          prefix: Nullable(Type.String()),
          price_micros: Type.Integer(),
        },
        { title: 'Price' },
      ),
    ),
  },
  { title: 'StoredPriceTable' },
);

const tag = 'Brake';

export function spendRoutes({
  pool,
  brakeStates,
}: Pick<Deps, 'pool'> & { brakeStates: { changed(): Promise<void> } }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/prices',
      operation: 'getPrices',
      tag,
      summary: 'Get the prices of messages',
      access: 'brake:read',
      responses: { 200: StoredPriceTable },
      async handler({ principal }) {
        return { status: 200, body: viewOf(await listPrices(pool, principal.environmentId)) };
      },
    }),
    route({
      method: 'PUT',
      path: '/v1/prices',
      operation: 'replacePrices',
      tag,
      summary: 'Replace the prices of messages',
      description:
        'For the estimate in GET /v1/usage and for budget rules (`unit: money`). The whole table is replaced; an empty one turns estimates off. A text message costs the price for each of its segments: 160 characters of the GSM alphabet (153 each of several), otherwise 70 (67).',
      access: 'brake:write',
      body: PriceTable,
      responses: { 200: StoredPriceTable },
      async handler({ principal, body, requestId }) {
        const prices = pricesOf(body);
        const after = viewOf(prices);
        await transaction(pool, async (tx) => {
          await lockEnvironment(tx, principal.environmentId);
          const before = viewOf(await listPrices(tx, principal.environmentId));
          await replacePrices(tx, principal.environmentId, prices);
          const target = 'prices:all';
          await recordAudit(
            tx,
            { principal, requestId },
            { action: 'prices.replaced', target, before, after },
          );
        });
        await brakeStates.changed();
        return { status: 200, body: after };
      },
    }),
  ];
}

function pricesOf({ currency, prices }: PriceTable): Price[] {
  const seen = new Set<string>();
  return prices.map(({ channel, provider_kind, prefix, price_micros }, index) => {
    const price = {
      ...{ channel, price_micros, currency },
      provider_kind: provider_kind ?? '',
      prefix: prefix ?? '',
    };
    const key = `${channel} ${price.provider_kind} ${price.prefix}`;
    if (seen.has(key))
      throw invalidParameter(
        `prices[${index}]`,
        'There are two prices for the same channel, provider and prefix.',
      );
    seen.add(key);
    return price;
  });
}

function viewOf(prices: Price[]): Static<typeof StoredPriceTable> {
  return {
    currency: prices[0]?.currency ?? null,
    prices: prices.map(({ channel, provider_kind, prefix, price_micros }) => ({
      channel,
      provider_kind: provider_kind || null,
      prefix: prefix || null,
      price_micros,
    })),
  };
}
