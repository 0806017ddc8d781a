import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compileRequestCheck } from '../src/http/validation.ts';
import { allRoutes } from '../src/routes.ts';
import { startTestApp, type TestApp } from './app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings: { CARILLON_ROLES: 'api' } });
});
afterAll(() => app.stop());

const email = {
  channel: 'email',
  recipient: { address: 'delivered@sandbox.test' },
  subject: 'Hello',
  text_body: 'Hi',
};
const attachment = { filename: 'a.txt', content_type: 'text/plain', content_base64: 'YQ==' };

async function refusal(method: string, path: string, body?: unknown): Promise<unknown[]> {
  const answer = await app.request(method, path, body === undefined ? {} : { body });
  return [answer.status, answer.body.error?.code, answer.body.error?.param, answer.body.error?.message];
}

describe('a misspelt field is refused with the right name', () => {
  test.each([
    ['another case style', { ...email, sendAt: '2030-01-01T00:00:00Z' }, 'sendAt', 'send_at'],
    ['a hyphen', { ...email, 'send-at': 'x' }, 'send-at', 'send_at'],
    ['a typo', { ...email, subjct: 'x' }, 'subjct', 'subject'],
    [
      'in place of a required field',
      { ...email, channel: undefined, Channel: 'email' },
      'Channel',
      'channel',
    ],
    [
      'inside an object',
      { ...email, recipient: { adress: 'a@b.co' } },
      'recipient.adress',
      'recipient.address',
    ],
    [
      'inside a list',
      { ...email, attachments: [attachment, { ...attachment, contentType: 'a/b' }] },
      'attachments[1].contentType',
      'attachments[1].content_type',
    ],
  ])('%s', async (_name, body, given, meant) => {
    expect(await refusal('POST', '/v1/notifications', body)).toEqual([
      400,
      'parameter_unknown',
      given,
      `Unknown field ${given}; did you mean ${meant}?`,
    ]);
  });

  test('in a batch it is the error of its element', async () => {
    const notifications = [email, { ...email, sendAt: 'x' }, { ...email, idempotency_key: 'batch-1' }];
    const { status, body } = await app.request('POST', '/v1/notifications/batch', {
      body: { notifications },
    });
    expect(status).toBe(202);
    const errors = body.data.map((each: { error?: unknown }) => each.error);
    expect(errors).toEqual([
      undefined,
      expect.objectContaining({ code: 'parameter_unknown', param: 'sendAt' }),
      undefined,
    ]);
  });

  test('in the steps of a workflow', async () => {
    await app.request('POST', '/v1/workflows', { body: { key: 'misspelt', name: 'Misspelt' } });
    const send = { id: 's', kind: 'send', channel: 'email', recipient: { address: 'a@b.co' }, subject: 'x' };
    const save = (steps: unknown[]) =>
      refusal('POST', '/v1/workflows/misspelt/versions', { body: { steps } });
    expect(await save([{ ...send, templateKey: 't' }])).toEqual([
      400,
      'parameter_unknown',
      '/steps/0/templateKey',
      'Unknown field /steps/0/templateKey; did you mean template_key?',
    ]);
    expect((await save([{ ...send, recipient: { adress: 'x' } }]))[2]).toBe('/steps/0/recipient/adress');
    const branch = { id: 'b', kind: 'branch', branches: [{ when: 'true', goTo: 's' }] };
    expect((await save([branch, send]))[2]).toBe('/steps/0/branches/0/goTo');
    expect((await save([{ id: 'd', kind: 'delay', durations: '1m' }]))[2]).toBe('/steps/0/durations');
    // A field of another kind of step, free-form data, and a kind that is not known are left alone.
    const free = { ...send, template_data: { sendAt: 1, template_keys: 2 }, window: '5m' };
    expect((await save([free, { id: 'x', kind: 'later', templateKey: 't' }]))[0]).toBe(201);
  });

  test('in the settings of a provider', async () => {
    const path = `/v1/environments/${app.testEnvironmentId}/email-settings`;
    const providers = [{ kind: 'resend', config: { apiKey: 're_1' } }];
    expect(await refusal('PUT', path, { providers })).toEqual([
      400,
      'parameter_unknown',
      'providers[0].config.apiKey',
      'Unknown field providers[0].config.apiKey; did you mean providers[0].config.api_key?',
    ]);
  });

  test('as a query parameter', async () => {
    expect(await refusal('GET', '/v1/notifications?templateKey=x')).toEqual([
      400,
      'parameter_unknown',
      'templateKey',
      'Unknown query parameter templateKey; did you mean template_key?',
    ]);
    expect((await refusal('GET', '/v1/notifications?limits=5'))[2]).toBe('limits');
  });
});

describe('other unknown fields are ignored', () => {
  test('in bodies and queries', async () => {
    const body = {
      ...email,
      metadata: { a: 1 },
      tenant: 'x',
      recipient: { ...email.recipient, locale: 'de' },
    };
    expect((await app.request('POST', '/v1/notifications', { body })).status).toBe(202);
    expect((await app.request('GET', '/v1/notifications?_=123&utm_source=x')).status).toBe(200);
  });

  test('and so is a misspelt one that is null', async () => {
    const body = { ...email, sendAt: null };
    expect((await app.request('POST', '/v1/notifications', { body })).status).toBe(202);
  });

  test('inside free-form objects every name is fine', async () => {
    const body = { ...email, template_data: { sendAt: 1, adress: 2, Channel: 3 } };
    expect((await app.request('POST', '/v1/notifications', { body })).status).toBe(202);
  });
});

test('fields that operations return may be sent back to them', () => {
  // What is read from one operation is often changed and sent to the next. `sent_at` is the one exception: in a request it
  // is a misspelt send_at, which would otherwise be sent at once.
  const refused = new Set<string>();
  for (const route of allRoutes(app.services)) {
    if (!route.body) continue;
    const check = compileRequestCheck(route.body, 'body');
    for (const schema of Object.values(route.responses)) {
      for (const name of Object.keys((schema as { properties?: object } | null)?.properties ?? {})) {
        try {
          check({ [name]: 1 });
        } catch (error) {
          if ((error as { code?: string }).code === 'parameter_unknown')
            refused.add(`${route.operation}: ${name}`);
        }
      }
    }
  }
  expect([...refused]).toEqual(['sendNotification: sent_at', 'updateNotification: sent_at']);
});

test('only so many unknown fields are looked at, in a batch together', async () => {
  const unknown = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`other_${index}`, index]));
  const many = { ...unknown(9_000), ...email, sendAt: 'x' };
  expect((await app.request('POST', '/v1/notifications', { body: many })).status).toBe(202);
  const notifications = [...Array(4).fill({ ...email, ...unknown(25) }), { ...email, sendAt: 'x' }];
  const { body } = await app.request('POST', '/v1/notifications/batch', { body: { notifications } });
  expect(body.data.map((each: { error?: unknown }) => each.error)).toEqual(Array(5).fill(undefined));
});
