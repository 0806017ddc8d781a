import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp, waitUntil } from '../../../../test/harness/app.ts';
import { type SmsoneSimulator, startSmsoneSimulator } from '../../../../test/simulators/smsone.ts';
import { findPrice, type Price } from './index.ts';

const price = (provider_kind: string, prefix: string, price_micros: number): Price => ({
  channel: 'sms',
  currency: 'EUR',
  ...{ provider_kind, prefix, price_micros },
});

describe('the price of a message', () => {
  const prices = [
    price('', '', 1),
    price('', '+49', 2),
    price('smsone', '+49', 3),
    price('smstwo', '+49', 4),
  ];
  const germany = { channel: 'sms' as const, address: '+4930123' };
  test.each([
    ['is that of the provider, with the longest prefix', 'smsone', germany, 3],
    ['is that of any provider when it has none of its own', 'other', germany, 2],
    ['is the dearest while the provider is not known', null, germany, 4],
    ['is the general one elsewhere', 'smsone', { channel: 'sms' as const, address: '+1500' }, 1],
  ])('%s', (_, kind, message, expected) => {
    expect(findPrice(prices, message, kind)?.price_micros).toBe(expected);
  });

  test('does not exist on a channel without prices', () => {
    expect(findPrice(prices, { channel: 'email', address: 'a@b.example' }, null)).toBeNull();
  });
});

describe('with prices', () => {
  let app: TestApp;
  let provider: SmsoneSimulator;
  beforeAll(async () => {
    provider = await startSmsoneSimulator();
    app = await startTestApp({ settings: { CARILLON_SMSONE_API_URL: provider.url } });
    await app.request('PUT', `/v1/environments/${app.liveEnvironmentId}/email-settings`, {
      key: app.liveKey,
      body: { from_address: 'hello@acme.example', providers: [{ kind: 'sandbox' }] },
    });
  });
  afterAll(async () => {
    await app.stop();
    await provider.stop();
  });

  const live = (method: string, path: string, body?: object) =>
    app.request(method, path, { key: app.liveKey, ...(body && { body }) });
  const send = async (): Promise<string> => {
    const recipient = { address: 'ada@example.com' };
    const body = { channel: 'email', recipient, subject: 'Hi', text_body: 'Hi' };
    return (await live('POST', '/v1/notifications', body)).body.id;
  };

  test('usage estimates what was sent, and a budget rule holds what is beyond it', async () => {
    const table = { currency: 'EUR', prices: [{ channel: 'email', price_micros: 400 }] };
    expect(await live('PUT', '/v1/prices', table)).toMatchObject({
      status: 200,
      body: { currency: 'EUR', prices: [{ provider_kind: null, prefix: null, price_micros: 400 }] },
    });
    expect((await live('GET', '/v1/prices')).body.prices).toHaveLength(1);
    const rule = { name: 'Budget', scope: 'environment', window: 'day', unit: 'money', limit: 1_000 };
    expect(await live('PUT', '/v1/brake/rules/budget', rule)).toMatchObject({ status: 201 });

    const ids = [await send(), await send(), await send()];
    await waitUntil(async () => {
      const { held } = (await live('GET', '/v1/brake')).body;
      return held[0]?.count === 1 ? held : new Error(JSON.stringify(held));
    });
    await waitUntil(async () => {
      const { estimated_cost: cost } = (await live('GET', '/v1/usage')).body;
      return cost?.amount_micros === 800 ? cost : new Error(JSON.stringify(cost));
    });
    const traces = await Promise.all(ids.map((id) => live('GET', `/v1/notifications/${id}/trace`)));
    const held = traces.map(({ body }) => body.summary).filter((summary) => !summary.startsWith('Delivered'));
    expect(held).toEqual([expect.stringContaining('0.001 of estimated cost per day in the environment')]);
  });

  test('tables that are replaced at the same time replace each other', async () => {
    const table = (price_micros: number) => ({
      currency: 'EUR',
      prices: ['+1', '+44', '+49'].map((prefix) => ({ channel: 'sms', prefix, price_micros })),
    });
    const answers = await Promise.all([1, 2, 3, 4].map((price) => live('PUT', '/v1/prices', table(price))));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const { prices } = (await live('GET', '/v1/prices')).body;
    expect(new Set(prices.map((each: { price_micros: number }) => each.price_micros)).size).toBe(1);
  });

  test('a text message costs its price for each segment, also when a template makes it long', async () => {
    await live('PUT', '/v1/prices', {
      currency: 'USD',
      prices: [{ channel: 'sms', prefix: '+44', price_micros: 50_000 }],
    });
    const cost = async () => {
      await app.services.spend.flush();
      return (await live('GET', '/v1/usage')).body.estimated_cost;
    };
    expect(await cost()).toEqual({ currency: 'USD', amount_micros: 0, by_channel: [] }); // euros are not added to dollars
    await live('PUT', `/v1/environments/${app.liveEnvironmentId}/sms-settings`, {
      kind: 'smsone',
      from_number: '+14155550100',
      smsone_account_sid: provider.accountSid,
      smsone_auth_token: provider.authToken,
    });
    await live('POST', '/v1/templates', {
      key: 'long',
      name: 'Long',
      bodies: [{ channel: 'sms', text_template: '{{ text }}' }],
    });
    const budget = (limit: number) =>
      live('PUT', '/v1/brake/rules/texts', {
        ...{ name: 'Texts', scope: 'environment', window: 'day', unit: 'money', action: 'hold' },
        ...{ match: { channel: 'sms' }, limit },
      });
    const text = async (content: object) => {
      const recipient = { address: '+447700900123' };
      const answer = await live('POST', '/v1/notifications', { channel: 'sms', recipient, ...content });
      expect(answer.status).toBe(202);
      return answer.body.id;
    };
    const costs = (amount_micros: number) =>
      waitUntil(async () => {
        const now = await cost();
        return now.amount_micros === amount_micros || new Error(JSON.stringify(now));
      });
    await live('DELETE', '/v1/brake/rules/budget');
    await budget(300_000);
    await text({ text_body: 'x'.repeat(161) });
    await costs(2 * 50_000);
    await text({ template_key: 'long', template_data: { text: 'д'.repeat(140) } });
    await costs(5 * 50_000);
    // Of the budget of six segments, one is left.
    const held = await text({ text_body: 'x'.repeat(161) });
    await waitUntil(async () => {
      const { summary } = (await live('GET', `/v1/notifications/${held}/trace`)).body;
      return summary.includes('The rule texts allows') || new Error(summary);
    });
    await text({ text_body: 'x' });
    await costs(6 * 50_000);
  });

  test.each([
    ['currency', { currency: 'euro', prices: [] }],
    ['prices[0].price_micros', { currency: 'EUR', prices: [{ channel: 'sms', price_micros: -1 }] }],
    [
      'prices[1]',
      {
        currency: 'EUR',
        prices: [
          { channel: 'sms', price_micros: 1 },
          { channel: 'sms', price_micros: 2 },
        ],
      },
    ],
  ])('a bad %s is refused by name', async (param, table) => {
    expect(await live('PUT', '/v1/prices', table)).toMatchObject({ status: 400, body: { error: { param } } });
  });
});
