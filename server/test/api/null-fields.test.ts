import type { TSchema } from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Route } from '../../src/http/route.ts';
import { compileRequestCheck, type NullMeaning } from '../../src/http/validation.ts';
import type { Problem } from '../../src/kernel/errors.ts';
import { allRoutes } from '../../src/routes.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { type SampleSchema, sampleOf } from '../harness/schema-samples.ts';

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

const changes = ({ method }: Route): boolean => method === 'PATCH' || method === 'PUT';

/** The problem of each body that has null in one optional field; null when the body is taken. */
function* answersToNull(route: Route, nullMeaning: NullMeaning) {
  const check = compileRequestCheck(route.body as TSchema, 'body', {}, nullMeaning);
  for (const { field, body } of bodiesWithNull(route.body as SampleSchema)) {
    let problem: Problem | null = null;
    try {
      check(body);
    } catch (error) {
      problem = error as Problem;
    }
    yield { field, problem };
  }
}

test('a request that makes something takes null in every optional field', () => {
  const walked: string[] = [];
  const refused: string[] = [];
  for (const route of allRoutes(app.services)) {
    if (!route.body || changes(route)) continue;
    for (const { field, problem } of answersToNull(route, 'left_out')) {
      walked.push(`${route.operation}: ${field}`);
      if (problem) refused.push(`${route.operation}: ${problem.message}`);
    }
  }
  expect(refused).toEqual([]);
  expect(walked).toContain('createWebhookEndpoint: description');
});

interface ChangedField {
  operation: string;
  path: string;
  takesNull: boolean;
  isNullInResponse: boolean;
}

/** The optional fields of a change that its response has too. */
function* sharedFields(
  { operation }: Route,
  body: SampleSchema,
  response: SampleSchema,
  path = '',
): Generator<ChangedField> {
  for (const [name, field] of Object.entries(body.properties ?? {})) {
    const shown = response.properties?.[name];
    if (!shown) continue;
    const at = path + name;
    if (!body.required?.includes(name))
      yield { operation, path: at, takesNull: takesNull(field), isNullInResponse: takesNull(shown) };
    yield* sharedFields({ operation } as Route, field.items ?? field, shown.items ?? shown, `${at}.`);
  }
}

const takesNull = ({ type, anyOf = [] }: SampleSchema & { anyOf?: SampleSchema[] }): boolean =>
  [type].flat().includes('null') || anyOf.some(takesNull);

function changedFields(): ChangedField[] {
  return allRoutes(app.services).flatMap((route) => {
    const response = route.responses[200] ?? route.responses[201];
    if (!route.body || !response || !changes(route)) return [];
    return [...sharedFields(route, route.body as SampleSchema, response as SampleSchema)];
  });
}

test('a change takes null for every field that is nullable in the response', () => {
  const fields = changedFields().filter(({ isNullInResponse }) => isNullInResponse);
  expect(fields.filter((field) => !field.takesNull)).toEqual([]);
  expect(fields.map(({ operation, path }) => `${operation}: ${path}`)).toContain(
    'updateWorkflow: description',
  );
});

/** Never null in a response: null gives them an empty value, or their default. */
const exceptions = [
  'putLayout: html_template',
  'putLayout: text_template',
  'putTemplateBody: html_template',
  'putTemplateBody: structured_template',
  'putTemplateBody: subject_template',
  'putTemplateBody: text_template',
  'replacePushSettings: ring',
  'replaceSchedule: cron',
  'replaceSchedule: missed_runs',
  'replaceSchedule: per_recipient_timezone',
  'replaceSchedule: timezone',
  'replaceUser: attributes',
  'updateNotification: actions',
  'updateNotification: actions.style',
  'updateNotification: tags',
  'updateNotification: template_data',
  'updateTemplate: bodies.html_template',
  'updateTemplate: bodies.structured_template',
  'updateTemplate: bodies.subject_template',
  'updateTemplate: bodies.text_template',
  'updateTemplate: html_body_template',
  'updateTemplate: subject_template',
  'updateTemplate: text_body_template',
  'updateWebhookEndpoint: description',
  'updateWebhookEndpoint: event_filters',
  'updateWebhookEndpoint: timeout_seconds',
];

test('the exceptions: fields that take null and are never null in the response', () => {
  const found = changedFields().filter((field) => field.takesNull && !field.isNullInResponse);
  expect(found.map(({ operation, path }) => `${operation}: ${path}`).sort()).toEqual(exceptions);
});

test('a change refuses null for a field that cannot be cleared, and names it', () => {
  const refused: string[] = [];
  for (const route of allRoutes(app.services)) {
    if (!route.body || !changes(route)) continue;
    for (const { field, problem } of answersToNull(route, 'clears')) {
      if (!problem) continue;
      expect([route.operation, problem.code, problem.param]).toEqual([
        route.operation,
        'parameter_invalid',
        field,
      ]);
      refused.push(`${route.operation}: ${field}`);
    }
  }
  for (const field of ['updateWebhookEndpoint: status', 'replaceEmailSettings: providers[0].enabled'])
    expect(refused).toContain(field);
});

describe('a change clears with null', () => {
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
  const refusal = async (method: string, path: string, body: object) => {
    const answer = await app.request(method, path, { body });
    return [answer.status, answer.body.error?.code, answer.body.error?.param];
  };

  test('a notification', async () => {
    const made = await call('POST', '/v1/notifications', {
      channel: 'email',
      recipient: { address: 'a@b.co' },
      ...{ subject: 'Hello {{ name }}', html_body: '<p>Hi</p>', text_body: 'Hi' },
      ...{ template_data: { name: 'Ada' }, action_url: 'https://acme.example/' },
      send_at: inAnHour(),
    });
    const path = `/v1/notifications/${made.id}`;
    const changed = await call('PATCH', path, {
      ...{ html_body: null, template_data: null, action_url: null },
      text_body: 'Ciao',
    });
    expect(changed).toEqual({
      ...made,
      ...{ html_body: null, template_data: {}, action_url: null },
      text_body: 'Ciao',
    });
    expect(await refusal('PATCH', path, { subject: null })).toEqual([400, 'parameter_missing', 'subject']);
  });

  test('the tags and actions of an inbox item', async () => {
    const made = await call('POST', '/v1/notifications', {
      ...{ channel: 'in_app', recipient: { external_user_id: 'ada' }, text_body: 'Hi', tags: ['new'] },
      actions: [{ key: 'open', label: 'Open', url: 'https://acme.example/' }],
      send_at: inAnHour(),
    });
    expect(made.tags).toEqual(['new']);
    const path = `/v1/notifications/${made.id}`;
    const { tags, actions, ...rest } = made;
    expect(await call('PATCH', path, { tags: null })).toEqual({ ...rest, tags: [], actions });
    expect(await call('PATCH', path, { actions: null })).toEqual({ ...rest, tags: [], actions: [] });
  });

  test('a template', async () => {
    const flat = { subject_template: 'S', html_body_template: 'H', text_body_template: 'T' };
    await call('POST', '/v1/templates', {
      ...{ key: 'nulls', name: 'Nulls', ...flat },
      push: { mode: 'never' },
    });
    const changed = await call('PATCH', '/v1/templates/nulls', { html_body_template: null, push: null });
    expect(changed).toMatchObject({ name: 'Nulls', ...flat, html_body_template: '', push: null });
    for (const field of ['name', 'bodies'])
      expect(await refusal('PATCH', '/v1/templates/nulls', { [field]: null })).toEqual([
        400,
        'parameter_invalid',
        field,
      ]);
  });

  test('a workflow', async () => {
    await call('POST', '/v1/workflows', { key: 'nulls', name: 'Nulls', description: 'Long' });
    const path = '/v1/workflows/nulls';
    expect(await call('PATCH', path, { name: 'New' })).toMatchObject({ name: 'New', description: 'Long' });
    expect(await call('PATCH', path, { description: null })).toMatchObject({
      name: 'New',
      description: null,
    });
  });

  test('a webhook endpoint', async () => {
    const { id } = await call('POST', '/v1/webhook-endpoints', {
      url: 'https://acme.example/hook',
      event_filters: ['notification.sent'],
      description: 'Ours',
      timeout_seconds: 5,
    });
    const path = `/v1/webhook-endpoints/${id}`;
    const changed = await call('PUT', path, { event_filters: null, timeout_seconds: null });
    expect(changed).toMatchObject({ event_filters: [], description: 'Ours', timeout_seconds: 10 });
    expect(await call('PUT', path, { description: null })).toEqual({ ...changed, description: '' });
  });

  test('a chat endpoint', async () => {
    const made = await call('POST', '/v1/chatthree-endpoints', {
      ...{ label: 'Here', default_username: 'Bot', default_avatar_url: 'https://acme.example/a.png' },
      webhook_url: `https://discord.com/api/webhooks/1234567890123456789/${'t'.repeat(60)}`,
    });
    const path = `/v1/chatthree-endpoints/${made.id}`;
    expect(await call('PUT', path, { default_username: null })).toEqual({ ...made, default_username: null });
    expect(await call('PUT', path, { default_avatar_url: null })).toEqual({
      ...made,
      ...{ default_username: null, default_avatar_url: null },
    });
  });

  test('the email settings, and the secrets of a provider', async () => {
    const path = `/v1/environments/${app.testEnvironmentId}/email-settings`;
    const config = {
      api_key: 're_0123456789',
      webhook_secret: `whsec_${Buffer.alloc(24).toString('base64')}`,
    };
    const sender = { from_address: 'hello@acme.example', from_name: 'Acme', reply_to: 'help@acme.example' };
    const { providers } = await call('PUT', path, {
      ...{ ...sender, track_opens: true },
      providers: [{ kind: 'resend', config }],
    });
    expect(await call('PATCH', path, { from_name: null, reply_to: null })).toMatchObject({
      ...{ ...sender, from_name: null, reply_to: null },
      ...{ track_opens: true, providers },
    });
    const withConfig = (changed: object) => ({
      providers: [{ id: providers[0].id, kind: 'resend', config: changed }],
    });
    expect((await call('PATCH', path, withConfig({}))).providers).toEqual(providers);
    const cleared = await call('PATCH', path, withConfig({ webhook_secret: null }));
    expect(cleared.providers[0].config).toMatchObject({ api_key: '••••6789', webhook_secret: null });
    expect(await refusal('PATCH', path, withConfig({ api_key: null }))).toEqual([
      400,
      'parameter_missing',
      'providers[0].config.api_key',
    ]);
    for (const field of ['track_opens', 'providers'])
      expect(await refusal('PATCH', path, { [field]: null })).toEqual([400, 'parameter_invalid', field]);
  });

  test('a category', async () => {
    const category = { name: 'News', default_channels: ['email'], default_opt_in: true };
    await call('POST', '/v1/preferences/categories', {
      ...{ key: 'nulls', description: 'Long', push: { mode: 'never' } },
      ...category,
    });
    const path = '/v1/preferences/categories/nulls';
    expect(await call('PUT', path, { ...category, description: null, push: null })).toMatchObject({
      ...category,
      ...{ description: null, push: null },
    });
    expect(await refusal('PUT', path, { ...category, is_archived: null })).toEqual([
      400,
      'parameter_invalid',
      'is_archived',
    ]);
  });
});

test('an empty body does not replace the email settings', async () => {
  const path = `/v1/environments/${app.testEnvironmentId}/email-settings`;
  await app.request('PUT', path, { body: { from_address: 'hello@acme.example' } });
  const { status, body } = await app.request('PUT', path, { body: {} });
  expect([status, body.error]).toMatchObject([400, { code: 'parameter_missing', param: 'providers' }]);
  expect((await app.request('GET', path)).body.from_address).toBe('hello@acme.example');
});
