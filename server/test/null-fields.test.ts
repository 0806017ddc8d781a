import type { TSchema } from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compileRequestCheck } from '../src/http/validation.ts';
import { allRoutes } from '../src/routes.ts';
import { startTestApp, type TestApp } from './app.ts';
import { type SampleSchema, sampleOf } from './schema-samples.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings: { CARILLON_ROLES: 'api' } });
});
afterAll(() => app.stop());

/** Bodies that are complete, each with null in one optional field; also in the elements of lists. */
function* bodiesWithNull(schema: SampleSchema): Generator<{ field: string; body: Record<string, unknown> }> {
  const complete = sampleOf({ ...schema, type: 'object' }) as Record<string, unknown>;
  for (const [name, inside] of Object.entries(schema.properties ?? {})) {
    if (!schema.required?.includes(name)) yield { field: name, body: { ...complete, [name]: null } };
    if (!inside.items?.properties) continue;
    for (const { field, body } of bodiesWithNull(inside.items))
      yield { field: `${name}[0].${field}`, body: { ...complete, [name]: [body] } };
  }
}

test('null is taken in every optional field of every body', () => {
  const walked: string[] = [];
  const refused: string[] = [];
  for (const route of allRoutes(app.services)) {
    if (!route.body) continue;
    const check = compileRequestCheck(route.body as TSchema, 'body');
    for (const { field, body } of bodiesWithNull(route.body as SampleSchema)) {
      walked.push(`${route.operation}: ${field}`);
      try {
        check(body);
      } catch (error) {
        refused.push(`${route.operation}: ${(error as Error).message}`);
      }
    }
  }
  expect(refused).toEqual([]);
  expect(walked).toContain('updateWebhookEndpoint: status');
  expect(walked).toContain('replaceEmailSettings: providers[0].enabled');
});

describe('in a partial update null leaves a field as it is', () => {
  const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
  const call = async (method: string, path: string, body?: object) => {
    const answer = await app.request(method, path, body ? { body } : {});
    expect([path, answer.status, answer.body.error]).toEqual([
      path,
      expect.toBeOneOf([200, 201, 202]),
      undefined,
    ]);
    return answer.body;
  };

  test('of a notification', async () => {
    const email = {
      channel: 'email',
      recipient: { address: 'a@b.co' },
      subject: 'Hello',
      html_body: '<p>Hi</p>',
    };
    const made = await call('POST', '/v1/notifications', { ...email, text_body: 'Hi', send_at: inAnHour() });
    const path = `/v1/notifications/${made.id}`;
    const changed = await call('PATCH', path, {
      ...{ subject: null, html_body: null, template_data: null, action_url: null },
      text_body: 'Ciao',
    });
    expect(changed).toEqual({ ...made, text_body: 'Ciao' });
    expect((await call('PATCH', path, { html_body: '' })).html_body).toBeNull();
  });

  test('of a template', async () => {
    const flat = { subject_template: 'S', html_body_template: 'H', text_body_template: 'T' };
    await call('POST', '/v1/templates', { key: 'nulls', name: 'Nulls', ...flat });
    const changed = await call('PATCH', '/v1/templates/nulls', {
      ...{ name: null, subject_template: null, html_body_template: null, bodies: null },
      text_body_template: 'Text',
    });
    expect(changed).toMatchObject({ name: 'Nulls', ...flat, text_body_template: 'Text' });
    const cleared = await call('PATCH', '/v1/templates/nulls', { text_body_template: '' });
    expect(cleared).toMatchObject({ ...flat, text_body_template: '' });
  });

  test('of a workflow', async () => {
    await call('POST', '/v1/workflows', { key: 'nulls', name: 'Nulls', description: 'Long' });
    const changed = await call('PATCH', '/v1/workflows/nulls', { name: 'New', description: null });
    expect(changed).toMatchObject({ name: 'New', description: 'Long' });
    expect(await call('PATCH', '/v1/workflows/nulls', { name: null, description: '' })).toMatchObject({
      name: 'New',
      description: null,
    });
  });

  test('of a webhook endpoint', async () => {
    const given = {
      url: 'https://acme.example/hook',
      event_filters: ['notification.sent'],
      description: 'Ours',
      timeout_seconds: 5,
    };
    const { id } = await call('POST', '/v1/webhook-endpoints', given);
    const nulls = { url: null, event_filters: null, description: null, timeout_seconds: null, status: null };
    expect(await call('PUT', `/v1/webhook-endpoints/${id}`, nulls)).toMatchObject({
      ...given,
      status: 'active',
    });
  });

  test('of a chat endpoint', async () => {
    const given = {
      label: 'Here',
      default_username: 'Bot',
      default_avatar_url: 'https://acme.example/a.png',
    };
    const made = await call('POST', '/v1/chatthree-endpoints', {
      ...given,
      webhook_url: `https://discord.com/api/webhooks/1234567890123456789/${'t'.repeat(60)}`,
    });
    const path = `/v1/chatthree-endpoints/${made.id}`;
    const nulls = { label: null, webhook_url: null, default_username: null, default_avatar_url: null };
    expect(await call('PUT', path, nulls)).toEqual(made);
    expect(await call('PUT', path, { default_username: '', default_avatar_url: '' })).toMatchObject({
      label: 'Here',
      default_username: null,
      default_avatar_url: null,
    });
  });

  test('of the secrets of a provider', async () => {
    const path = `/v1/environments/${app.testEnvironmentId}/email-settings`;
    const config = {
      api_key: 're_0123456789',
      webhook_secret: `whsec_${Buffer.alloc(24).toString('base64')}`,
    };
    const { providers } = await call('PUT', path, { providers: [{ kind: 'resend', config }] });
    const again = (webhook_secret: unknown) =>
      call('PUT', path, {
        providers: [
          { id: providers[0].id, kind: 'resend', name: null, config: { api_key: null, webhook_secret } },
        ],
      });
    expect((await again(null)).providers).toEqual(providers);
    expect((await again('')).providers[0].config).toMatchObject({
      api_key: '••••6789',
      webhook_secret: null,
    });
  });
});

test('where everything is replaced null is no value', async () => {
  const category = { name: 'News', default_channels: ['email'], default_opt_in: true };
  await app.request('POST', '/v1/preferences/categories', {
    body: { key: 'nulls', description: 'Long', ...category },
  });
  const { status, body } = await app.request('PUT', '/v1/preferences/categories/nulls', {
    body: { ...category, description: null, is_critical: null, is_archived: null },
  });
  expect([status, body]).toMatchObject([200, { ...category, description: null, is_archived: false }]);
});
