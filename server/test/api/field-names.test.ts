import fc from 'fast-check';
import { type TSchema, Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compileFieldCheck, compileRequestCheck, compileRouteChecks } from '../../src/http/validation.ts';
import { allRoutes } from '../../src/routes.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { type SampleSchema, sampleOf } from '../harness/schema-samples.ts';

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

const unknown = (param: string, message: string) => [400, 'parameter_unknown', param, message];

describe('an unknown field is refused with the right name', () => {
  test.each([
    ['another case style', { ...email, sendAt: '2030-01-01T00:00:00Z' }, 'sendAt', 'send_at'],
    ['a hyphen', { ...email, 'send-at': 'x' }, 'send-at', 'send_at'],
    ['a typo', { ...email, subjct: 'x' }, 'subjct', 'subject'],
    ['for a required field', { ...email, channel: undefined, Channel: 'email' }, 'Channel', 'channel'],
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
    ['also when it is null', { ...email, sendAt: null }, 'sendAt', 'send_at'],
  ])('%s', async (_name, body, given, meant) => {
    const message = `Unknown field ${given}; did you mean ${meant}?`;
    expect(await refusal('POST', '/v1/notifications', body)).toEqual(unknown(given, message));
  });

  test.each([
    ['to', 'recipient.address'],
    ['html', 'html_body'],
    ['text', 'text_body'],
    ['body', 'text_body'],
    ['scheduled_at', 'send_at'],
    ['scheduledAt', 'send_at'],
    ['template_id', 'template_key'],
    ['templateId', 'template_key'],
    ['template', 'template_key'],
    ['variables', 'template_data'],
    ['data', 'template_data'],
    ['category_key', 'category'],
    ['user_id', 'recipient.external_user_id'],
    ['phone', 'recipient.address'],
    ['external_user_id', 'recipient.external_user_id'],
  ])('what other systems call it: %s', async (given, meant) => {
    const message = `Unknown field ${given}; did you mean ${meant}?`;
    const body = { ...email, [given]: 'x' };
    expect(await refusal('POST', '/v1/notifications', body)).toEqual(unknown(given, message));
  });

  test('what other systems call it, inside an object', async () => {
    const send = (recipient: object) => refusal('POST', '/v1/notifications', { ...email, recipient });
    expect(await send({ email: 'a@b.co' })).toEqual(
      unknown('recipient.email', 'Unknown field recipient.email; did you mean recipient.address?'),
    );
    expect((await send({ phone: '+1' }))[3]).toContain('did you mean recipient.address?');
    expect((await send({ user_id: '1' }))[3]).toContain('did you mean recipient.external_user_id?');
  });

  test.each([
    ['cc', 'Unknown field cc. Copies are not supported yet; send one notification for each recipient.'],
    ['bcc', 'Unknown field bcc. Copies are not supported yet; send one notification for each recipient.'],
    ['headers', 'Unknown field headers. Custom email headers are not supported yet.'],
    ['metadata', 'Unknown field metadata. Metadata on notifications is not supported yet.'],
    [
      'from',
      "Unknown field from. The From address is the one of the environment's email settings; from_name changes the name beside it.",
    ],
  ])('%s does not exist, and no other field is suggested', async (given, message) => {
    const body = { ...email, [given]: 'x' };
    expect(await refusal('POST', '/v1/notifications', body)).toEqual(unknown(given, message));
  });

  test('without a hint when no field is meant', async () => {
    const body = { ...email, tenant: 'x' };
    expect(await refusal('POST', '/v1/notifications', body)).toEqual(
      unknown('tenant', 'Unknown field tenant.'),
    );
  });

  test('a long name is cut', async () => {
    const name = 'n'.repeat(5_000);
    const [, code, param] = await refusal('POST', '/v1/notifications', { ...email, [name]: 1 });
    expect([code, param]).toEqual(['parameter_unknown', `${'n'.repeat(100)}…`]);
  });

  test('in a batch it is the error of its element, with the whole path', async () => {
    const notifications = [
      email,
      { ...email, recipient: { email: 'a@b.co' } },
      { ...email, idempotency_key: 'batch-1' },
      { ...email, recipient: { address: 'nobody' } },
      'text',
    ];
    const { status, body } = await app.request('POST', '/v1/notifications/batch', {
      body: { notifications },
    });
    expect(status).toBe(202);
    expect(
      body.data.map(
        ({ error }: { error?: { code: string; param: string } }) => error && [error.code, error.param],
      ),
    ).toEqual([
      undefined,
      ['parameter_unknown', 'notifications[1].recipient.email'],
      undefined,
      ['recipient_invalid', 'notifications[3].recipient.address'],
      ['parameter_invalid', 'notifications[4]'],
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
    const message = async (step: object) => (await save([{ ...send, ...step }]))[3];
    expect(await message({ idempotency_key: 'x' })).toBe('Unknown field /steps/0/idempotency_key.');
    expect(await message({ scheduled_at: 'x' })).toBe(
      'Unknown field /steps/0/scheduled_at; did you mean send_at?',
    );
    expect(await message({ html: 'x' })).toBe('Unknown field /steps/0/html; did you mean html_body?');
    expect(await message({ category_key: 'x' })).toContain('; did you mean category?');
    expect(await message({ cc: 'x' })).toBe(
      'Unknown field /steps/0/cc. Copies are not supported yet; send one notification for each recipient.',
    );
    expect(await message({ to: 'x' })).toContain('; did you mean recipient.address?');
    // A field of another kind of step does nothing either.
    expect(await message({ window: '5m' })).toBe('Unknown field /steps/0/window.');
    expect(await message({ actions: [{ key: 'a', label: 'A', link: 'x' }] })).toContain(
      '/steps/0/actions/0/link',
    );
    expect(await message({ ['n'.repeat(5_000)]: 1 })).toBe(`Unknown field /steps/0/${'n'.repeat(100)}….`);
    const body = { steps: [send], tags: [] };
    expect(
      (await refusal('POST', '/v1/workflows/misspelt/versions', { body_json: JSON.stringify(body) }))[2],
    ).toBe('/tags');
    // Free-form data, a kind that is not known, and what editors need are left alone.
    const send_at = '2030-01-01T00:00:00Z';
    const free = {
      ...send,
      send_at,
      attachments: [attachment],
      template_data: { sendAt: 1, template_keys: 2 },
    };
    const steps = [free, { id: 'x', kind: 'later', templateKey: 't' }];
    const $schema = 'https://carillon.example.com/workflows/schema.json';
    expect((await refusal('POST', '/v1/workflows/misspelt/versions', { body: { $schema, steps } }))[0]).toBe(
      201,
    );
  });

  test('in the settings of a provider', async () => {
    const path = `/v1/environments/${app.testEnvironmentId}/email-settings`;
    const providers = [{ kind: 'resend', config: { apiKey: 're_1' } }];
    expect(await refusal('PUT', path, { providers })).toEqual(
      unknown(
        'providers[0].config.apiKey',
        'Unknown field providers[0].config.apiKey; did you mean providers[0].config.api_key?',
      ),
    );
  });

  test('as a query parameter', async () => {
    expect(await refusal('GET', '/v1/notifications?templateKey=x')).toEqual(
      unknown('templateKey', 'Unknown query parameter templateKey; did you mean template_key?'),
    );
    const hint = async (path: string) => (await refusal('GET', path))[3];
    expect(await hint('/v1/notifications?limits=5')).toContain('did you mean limit?');
    expect(await hint('/v1/notifications?to=a%40b.co')).toContain('did you mean recipient?');
    expect(await hint('/v1/notifications?page_token=x')).toContain('did you mean cursor?');
    expect(await hint('/v1/notifications?_=123')).toBe('Unknown query parameter _.');
    expect(await hint('/v1/me?verbose=1')).toBe('Unknown query parameter verbose.');
  });

  test('where an operation has no body', async () => {
    const path = '/v1/notifications/01900000-0000-7000-8000-000000000000/resend';
    expect(await refusal('POST', path, { idempotency_key: 'x' })).toEqual(
      unknown('idempotency_key', 'Unknown field idempotency_key; send it as the header Idempotency-Key.'),
    );
    expect((await refusal('POST', path, {}))[0]).toBe(404);
  });
});

describe('a field that cannot be changed', () => {
  test('of a notification: cancel it', async () => {
    const body = { ...email, send_at: new Date(Date.now() + 3_600_000).toISOString() };
    const made = await app.request('POST', '/v1/notifications', { body });
    const path = `/v1/notifications/${made.body.id}`;
    for (const field of ['recipient', 'channel', 'template_key', 'category', 'attachments', 'reply_to']) {
      expect(await refusal('PATCH', path, { subject: 'New', [field]: null })).toEqual(
        unknown(field, `${field} cannot be changed. Cancel the notification and send it again.`),
      );
    }
    expect(await refusal('PATCH', path, { to: 'a@b.co' })).toEqual(
      unknown(
        'to',
        'Unknown field to; recipient cannot be changed. Cancel the notification and send it again.',
      ),
    );
    expect((await refusal('PATCH', path, { template_id: 'x' }))[3]).toContain(
      'template_key cannot be changed.',
    );
    expect((await refusal('PATCH', path, { html: 'x' }))[3]).toContain('did you mean html_body?');
    expect((await app.request('GET', path)).body.subject).toBe('Hello');
  });

  test('inside of a list', async () => {
    const path = `/v1/environments/${app.testEnvironmentId}/email-settings`;
    const providers = [{ kind: 'sandbox', callback_url: null }];
    expect((await refusal('PATCH', path, { providers }))[3]).toBe(
      'providers[0].callback_url cannot be changed.',
    );
  });

  test('of other resources', async () => {
    await app.request('POST', '/v1/templates', {
      body: { key: 'fixed', name: 'Fixed', subject_template: 'S', html_body_template: 'H' },
    });
    expect((await refusal('PATCH', '/v1/templates/fixed', { created_at: 'x' }))[3]).toBe(
      'created_at cannot be changed.',
    );
    expect((await refusal('PATCH', '/v1/templates/fixed', { key: 'new' }))[3]).toBe(
      'key belongs to the URL, not to the body.',
    );
  });
});

test('inside free-form objects every name is fine', async () => {
  const body = { ...email, template_data: { sendAt: 1, adress: 2, Channel: 3 } };
  expect((await app.request('POST', '/v1/notifications', { body })).status).toBe(202);
});

test('what other systems call back may have any name', () => {
  const other = allRoutes(app.services).filter(({ path }) => !/^\/(v1|inbox\/v1|auth)\//.test(path));
  expect(other.map(({ operation }) => operation)).toContain('finishChatoneInstall');
  for (const route of other)
    expect(() =>
      compileRouteChecks(route).checkQuery?.({ iss: 'x', env_id: app.testEnvironmentId }),
    ).not.toThrow();
});

describe('schemas with several forms', () => {
  const check = compileRequestCheck(
    Type.Object({
      target: Type.Union([
        Type.Object({ kind: Type.Literal('a'), one: Type.Object({ x: Type.Number() }) }),
        Type.Object({ kind: Type.Literal('b'), many: Type.Array(Type.Object({ y: Type.Number() })) }),
      ]),
      matrix: Type.Optional(Type.Array(Type.Array(Type.Object({ z: Type.Number() })))),
      data: Type.Optional(Type.Object({ known: Type.Number() }, { additionalProperties: true })),
    }),
    'body',
  );
  const problemOf = (body: unknown): string | null => {
    try {
      check(body);
      return null;
    } catch (error) {
      return (error as { param: string }).param;
    }
  };

  test('are known in all of them', () => {
    const target = { kind: 'b', many: [{ y: 1 }] };
    expect(problemOf({ target, matrix: [[{ z: 1 }]], data: { known: 1, other: 2 } })).toBeNull();
    expect(problemOf({ target: { ...target, three: 3 } })).toBe('target.three');
    expect(problemOf({ target: { kind: 'b', many: [{ y: 1 }, { y: 1, w: 2 }] } })).toBe('target.many[1].w');
    expect(problemOf({ target: { kind: 'a', one: { x: 1, w: 2 } } })).toBe('target.one.w');
    expect(problemOf({ target, matrix: [[], [{ z: 1, w: 2 }]] })).toBe('matrix[1][0].w');
  });
});

/** The objects of a value whose fields its schema names, with their paths. */
function* namedObjects(
  value: unknown,
  schema: SampleSchema,
  path = '',
): Generator<[Record<string, unknown>, string]> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      yield* namedObjects(item, schema.items ?? {}, `${path}[${index}]`);
  } else if (schema.properties && typeof value === 'object' && value !== null) {
    yield [value as Record<string, unknown>, path];
    for (const [name, inside] of Object.entries(schema.properties))
      yield* namedObjects((value as Record<string, unknown>)[name], inside, path ? `${path}.${name}` : name);
  }
}

test('any body with one unknown name, at any level that has names, is refused with its path', () => {
  const bodies = allRoutes(app.services)
    .filter(({ path, body }) => body && /^\/(v1|inbox\/v1|auth)\//.test(path))
    .map(({ body }) => ({ schema: body as TSchema, check: compileFieldCheck(body as TSchema, 'body') }));
  fc.assert(
    fc.property(
      fc.constantFrom(...bodies),
      fc.string({ minLength: 1, maxLength: 40 }).filter((name) => name !== '__proto__'),
      fc.jsonValue(),
      fc.nat(),
      ({ schema, check }, name, value, at) => {
        const body = sampleOf(schema as SampleSchema, { whole: true });
        const objects = [...namedObjects(body, schema as SampleSchema)];
        const [object, path] = objects[at % objects.length] ?? [{}, ''];
        fc.pre(!(name in object));
        object[name] = value;
        const param = path ? `${path}.${name}` : name;
        expect(() => check?.(body)).toThrow(expect.objectContaining({ code: 'parameter_unknown', param }));
      },
    ),
    { numRuns: 500 },
  );
});
