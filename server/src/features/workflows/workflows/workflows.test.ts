import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const call = (method: string, path: string, body?: unknown, key?: string) =>
  app.request(method, `/v1/workflows${path}`, { body, ...(key ? { key } : {}) });
const noop = { steps: [{ id: 'only', kind: 'noop' }] };
const create = (key: string) => call('POST', '', { key, name: key });

async function activated(key: string, body: object = noop, apiKey?: string): Promise<void> {
  await call('POST', '', { key, name: key }, apiKey);
  const { body: made } = await call('POST', `/${key}/versions`, { body }, apiKey);
  const { body: answer } = await call('POST', `/${key}/versions/${made.version}/activate`, undefined, apiKey);
  expect(answer).toEqual({ valid: true, errors: [] });
}

describe('a workflow', () => {
  test('is created, read, renamed, listed and disabled', async () => {
    const made = await call('POST', '', {
      key: 'onboarding',
      name: 'Onboarding',
      description: 'For new users',
    });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      key: 'onboarding',
      name: 'Onboarding',
      description: 'For new users',
      status: 'draft',
      active_version: null,
      latest_version: null,
      created_at: expect.any(String),
    });
    expect((await call('GET', '/onboarding')).body).toEqual(made.body);
    const renamed = await call('PATCH', '/onboarding', { name: 'Welcome', description: '' });
    expect([renamed.status, renamed.body.name, renamed.body.description]).toEqual([200, 'Welcome', null]);
    await activated('onboarding');
    expect((await call('GET', '/onboarding')).body).toMatchObject({ status: 'active', active_version: 1 });
    const gone = await call('DELETE', '/onboarding');
    expect([gone.status, gone.body]).toEqual([204, '']);
    expect((await call('DELETE', '/onboarding')).status).toBe(204);
    expect((await call('GET', '/onboarding')).body).toMatchObject({
      status: 'disabled',
      active_version: null,
    });
    await create('second');
    const { body: list } = await call('GET', '');
    expect(list.data.map(({ key }: { key: string }) => key)).toEqual(['second', 'onboarding']);
    const { body: page } = await call('GET', '?limit=1');
    const { body: rest } = await call('GET', `?limit=1&cursor=${page.next_cursor}`);
    expect([page.data[0].key, rest.data[0].key, rest.next_cursor]).toEqual(['second', 'onboarding', null]);
    expect((await call('GET', '?status=disabled')).body.data).toHaveLength(1);
    const { body: audit } = await app.request('GET', '/v1/audit-log?limit=100');
    const actions = audit.data.map(({ action }: { action: string }) => action);
    for (const action of ['created', 'updated', 'version_created', 'activated', 'disabled'])
      expect(actions).toContain(`workflow.${action}`);
  });

  test.each<[string, unknown, number, string, string | null]>([
    ['no key', { name: 'x' }, 400, 'parameter_missing', 'key'],
    ['a key with capitals', { key: 'Abc', name: 'x' }, 400, 'parameter_invalid', 'key'],
    ['a key with a hyphen', { key: 'a-b', name: 'x' }, 400, 'parameter_invalid', 'key'],
    ['a long key', { key: 'a'.repeat(101), name: 'x' }, 400, 'parameter_invalid', 'key'],
    ['the reserved key', { key: 'runs', name: 'x' }, 400, 'parameter_invalid', 'key'],
    ['no name', { key: 'abc' }, 400, 'parameter_missing', 'name'],
    ['a blank name', { key: 'abc', name: '  ' }, 400, 'parameter_invalid', 'name'],
    ['a number as name', { key: 'abc', name: 5 }, 400, 'parameter_invalid', 'name'],
  ])('with %s is refused', async (_name, body, status, code, param) => {
    const answer = await call('POST', '', body);
    expect([answer.status, answer.body.error.code, answer.body.error.param]).toEqual([status, code, param]);
  });

  test('shows the body that new runs start on, and none while it has no active version', async () => {
    const [first, second] = [noop, { steps: [{ id: 'other', kind: 'noop' }] }];
    const bodyOf = async (): Promise<unknown> => (await call('GET', '/shown')).body.active_body_json;
    expect((await create('shown')).body.active_body_json).toBeNull();
    await call('POST', '/shown/versions', { body: first });
    expect(await bodyOf()).toBeNull();
    await activated('shown', second);
    expect(JSON.parse(String(await bodyOf()))).toEqual(second);
    const renamed = await call('PATCH', '/shown', { name: 'Shown' });
    expect(renamed.body.active_body_json).toBe(await bodyOf());
    await call('DELETE', '/shown');
    expect(await bodyOf()).toBeNull();
  });

  test('counts the triggers of the last seven days, replays not included', async () => {
    await activated('counted');
    await activated('quiet');
    const trigger = (headers?: Record<string, string>) =>
      app.request('POST', '/v1/workflows/counted/trigger', {
        body: { trigger_data: {} },
        ...(headers && { headers }),
      });
    await Promise.all([trigger(), trigger(), trigger({ 'idempotency-key': 'once' })]);
    expect((await trigger({ 'idempotency-key': 'once' })).status).toBe(200);
    const countsOf = async (): Promise<Record<string, number>> => {
      const { body } = await call('GET', '?limit=100');
      const rows: { key: string; trigger_count_7d: number }[] = body.data;
      return Object.fromEntries(rows.map((row) => [row.key, row.trigger_count_7d]));
    };
    expect(await countsOf()).toMatchObject({ counted: 3, quiet: 0 });
    expect((await call('GET', '/counted')).body.trigger_count_7d).toBe(3);

    await app.pool.query(`update workflow_activity set slot = slot - interval '7 days'`);
    await trigger();
    expect(await countsOf()).toMatchObject({ counted: 1 });
  });

  test('is found by a part of its key or its name', async () => {
    await call('POST', '', { key: 'needle_in', name: 'A haystack' });
    await call('POST', '', { key: 'haystack', name: 'Without' });
    const found = async (search: string) =>
      (await call('GET', `?search=${encodeURIComponent(search)}`)).body.data.map(
        ({ key }: { key: string }) => key,
      );
    expect(await found('HAYSTACK')).toEqual(['haystack', 'needle_in']);
    expect(await found('dle_')).toEqual(['needle_in']);
    expect(await found('need%')).toEqual([]);
    expect((await call('GET', '?search=')).body.error.param).toBe('search');
  });

  test('has a key of its own in its environment', async () => {
    expect((await create('unique')).status).toBe(201);
    const again = await create('unique');
    expect([again.status, again.body.error.code]).toEqual([409, 'duplicate_key']);
    expect((await call('POST', '', { key: 'unique', name: 'x' }, app.liveKey)).status).toBe(201);
  });

  test('of another environment does not exist', async () => {
    await activated('private');
    const asLive = (method: string, path: string, body?: unknown) => call(method, path, body, app.liveKey);
    for (const [method, path, body] of [
      ['GET', '/private'],
      ['PATCH', '/private', { name: 'x' }],
      ['DELETE', '/private'],
      ['GET', '/private/versions'],
      ['POST', '/private/versions', { body: noop }],
      ['GET', '/private/versions/1'],
      ['POST', '/private/versions/1/activate'],
      ['POST', '/private/versions/1/simulate', { trigger_data: {} }],
      ['POST', '/private/trigger', { trigger_data: {} }],
      ['GET', '/private/runs'],
    ] as [string, string, unknown?][])
      expect([method, path, (await asLive(method, path, body)).status]).toEqual([method, path, 404]);
  });
});

describe('a version', () => {
  test('is kept as it was given, numbered, and listed newest first', async () => {
    await create('versioned');
    const text = '{ "steps": [ {"kind": "noop", "id": "a"} ] }';
    const first = await call('POST', '/versioned/versions', { body_json: text });
    expect([first.status, first.body]).toEqual([
      201,
      {
        workflow_key: 'versioned',
        id: expect.any(String),
        version: 1,
        is_active: false,
        activated_at: null,
        deactivated_at: null,
        created_at: expect.any(String),
        body_json: text,
      },
    ]);
    await call('POST', '/versioned/versions', { body: noop });
    await call('POST', '/versioned/versions/2/activate');
    const { body: list } = await call('GET', '/versioned/versions');
    expect(
      list.data.map((row: { version: number; is_active: boolean }) => [row.version, row.is_active]),
    ).toEqual([
      [2, true],
      [1, false],
    ]);
    const { body: page } = await call('GET', '/versioned/versions?limit=1');
    const { body: rest } = await call('GET', `/versioned/versions?limit=1&cursor=${page.next_cursor}`);
    expect(rest.data[0].version).toBe(1);
    const { body: second } = await call('GET', '/versioned/versions/2');
    expect([second.is_active, JSON.parse(second.body_json)]).toEqual([true, noop]);
    for (const number of ['3', '0', 'x', '99999999999'])
      expect((await call('GET', `/versioned/versions/${number}`)).status).toBe(404);
  });

  test('numbers are given once, also at the same instant', async () => {
    await create('crowded');
    const made = await Promise.all(
      Array.from({ length: 10 }, () => call('POST', '/crowded/versions', { body: noop })),
    );
    expect(made.map(({ body }) => body.version).sort((a, b) => a - b)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
    ]);
  });

  const steps = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ id: `s${index}`, kind: 'noop' }));
  const bad: [string, object, string, string | null][] = [
    ['no body', {}, 'parameter_missing', 'body_json'],
    ['two bodies', { body: { steps: [] }, body_json: '{}' }, 'parameter_invalid', 'body'],
    ['a body that is not JSON', { body_json: '{"steps": [' }, 'invalid_json', 'body_json'],
    ['a list', { body_json: '[]' }, 'parameter_invalid', 'body_json'],
    ['null', { body_json: 'null' }, 'parameter_invalid', 'body_json'],
    ['no steps', { body_json: '{}' }, 'parameter_invalid', '/steps'],
    ['steps that are no list', { body: { steps: {} } }, 'parameter_invalid', '/steps'],
    ['a step without an id', { body: { steps: [{ kind: 'noop' }] } }, 'parameter_invalid', '/steps/0/id'],
    ['3,000 steps', { body: { steps: steps(3_000) } }, 'parameter_invalid', null],
    ['a body that is too long', { body_json: `"${'x'.repeat(300_000)}"` }, 'parameter_invalid', 'body_json'],
    [
      'NUL',
      { body_json: '{"steps":[{"id":"a","kind":"noop","when":"\\u0000"}]}' },
      'parameter_invalid',
      'body_json',
    ],
    ['__proto__', { body_json: '{"__proto__":{},"steps":[]}' }, 'parameter_invalid', 'body_json'],
    [
      'a body deep as a well',
      { body_json: '['.repeat(5_000) + ']'.repeat(5_000) },
      'invalid_json',
      'body_json',
    ],
  ];
  test.each(bad)('with %s is refused', async (_name, body, code, param) => {
    await create('refusing');
    const answer = await call('POST', '/refusing/versions', body);
    expect([answer.status, answer.body.error?.code]).toEqual([400, code]);
    if (param !== null) expect(answer.body.error.param).toBe(param);
    expect((await call('GET', '/refusing')).body.latest_version).toBe(null);
  });

  test('names both ways to give a body when there is none', async () => {
    await create('refusing');
    const { body } = await call('POST', '/refusing/versions', {});
    expect(body.error.message).toBe('body_json or body is required.');
  });

  test('is refused with a sentence that names each place once', async () => {
    await create('refusing');
    const steps = [{ kind: 'noop' }, { id: 'b', kind: 'delay', at: '25:00' }];
    const { body } = await call('POST', '/refusing/versions', { body: { steps } });
    expect(body.error.message).toMatch(
      /^The body is not a workflow: \/steps\/0\/id is required; \/steps\/1\/at must be a time from 00:00 to 23:59\.$/,
    );
  });

  test('of 5 MB is 413', async () => {
    const answer = await call('POST', '/refusing/versions', { body_json: 'x'.repeat(5_000_000) });
    expect([answer.status, answer.body.error.code]).toEqual([413, 'payload_too_large']);
  });
});

describe('activation', () => {
  test('is told by every version: which one, from when and until when', async () => {
    await activated('relay', noop);
    const versions = async () => (await call('GET', '/relay/versions')).body.data;
    const [first] = await versions();
    expect(first).toMatchObject({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), deactivated_at: null });
    expect((await call('GET', '/relay/versions/1')).body).toMatchObject({
      id: first.id,
      deactivated_at: null,
    });

    await activated('relay', noop);
    const [current, replaced] = await versions();
    expect(current).toMatchObject({ version: 2, is_active: true, deactivated_at: null });
    expect(replaced).toMatchObject({ version: 1, is_active: false, deactivated_at: current.activated_at });

    await call('POST', '/relay/versions/1/activate');
    expect(await versions()).toMatchObject([
      { version: 2, is_active: false, deactivated_at: expect.any(String) },
      { version: 1, is_active: true, deactivated_at: null },
    ]);
    await call('DELETE', '/relay');
    const [, disabled] = await versions();
    expect(disabled).toMatchObject({ version: 1, is_active: false, deactivated_at: expect.any(String) });
    await call('POST', '/relay/versions', { body: noop });
    expect((await versions())[0]).toMatchObject({ version: 3, activated_at: null, deactivated_at: null });
  });

  test('tells what is wrong with pointers, and changes nothing', async () => {
    await activated('checked');
    const body = {
      steps: [
        {
          id: 'mail',
          kind: 'send',
          channel: 'email',
          recipient: { address: 'a@b.co' },
          template_key: 'none',
        },
        { id: 'nap', kind: 'delay' },
        {
          id: 'news',
          kind: 'send',
          channel: 'sms',
          recipient: { address: '+14155550123' },
          text_body: 'x',
          category: 'none',
        },
        { id: 'jump', kind: 'branch', branches: [{ when: 'trigger.a ==', goto: 'nowhere' }], else: 'end' },
        { id: 'island', kind: 'noop' },
      ],
    };
    await call('POST', '/checked/versions', { body });
    const { status, body: answer } = await call('POST', '/checked/versions/2/activate');
    expect([status, answer.valid]).toEqual([200, false]);
    const found = new Map(
      answer.errors.map((error: { code: string; pointer: string }) => [error.code, error.pointer]),
    );
    expect(found.get('template_not_found')).toBe('/steps/0/template_key');
    expect(found.get('delay_requires_duration_or_until')).toMatch(/^\/steps\/1/);
    expect(found.get('unknown_category')).toBe('/steps/2/category');
    expect(found.get('invalid_expression')).toMatch(/^\/steps\/3/);
    expect(found.get('goto_target_not_found')).toMatch(/^\/steps\/3/);
    expect(found.get('unreachable_step')).toMatch(/^\/steps\/4/);
    expect((await call('GET', '/checked')).body).toMatchObject({ status: 'active', active_version: 1 });
  });

  test('with dry_run changes nothing either way', async () => {
    await create('rehearsed');
    await call('POST', '/rehearsed/versions', { body: noop });
    const { body } = await call('POST', '/rehearsed/versions/1/activate?dry_run=true');
    expect(body).toEqual({ valid: true, errors: [] });
    expect((await call('GET', '/rehearsed')).body).toMatchObject({ status: 'draft', active_version: null });
    expect((await call('POST', '/rehearsed/versions/1/activate?dry_run=maybe')).status).toBe(400);
  });

  test('brings a disabled workflow back', async () => {
    await activated('returning');
    await call('DELETE', '/returning');
    expect((await call('POST', '/returning/trigger', { trigger_data: {} })).status).toBe(404);
    await call('POST', '/returning/versions/1/activate');
    expect((await call('POST', '/returning/trigger', { trigger_data: {} })).status).toBe(202);
  });

  test('and the deletion of a template that it names: one of them is refused', async () => {
    for (let round = 0; round < 10; round += 1) {
      const key = `t${round}`;
      const template = { key, name: 'T', subject_template: 'x', html_body_template: 'x' };
      await app.request('POST', '/v1/templates', { body: template });
      await create(`uses_${key}`);
      const step = {
        id: 'mail',
        kind: 'send',
        channel: 'email',
        recipient: { address: 'a@b.co' },
        template_key: key,
      };
      await call('POST', `/uses_${key}/versions`, { body: { steps: [step] } });
      const [activation, deletion] = await Promise.all([
        call('POST', `/uses_${key}/versions/1/activate`),
        app.request('DELETE', `/v1/templates/${key}`),
      ]);
      expect([activation.body.valid, deletion.status]).toEqual(
        activation.body.valid ? [true, 409] : [false, 204],
      );
    }
  });
});

describe('simulation', () => {
  test('knows which workflow it is of, and says which event of the script makes no sense', async () => {
    await create('sim_facts');
    const when = 'run.workflow_key == "sim_facts" && run.version == 1.0 && run.source == "Test"';
    await call('POST', '/sim_facts/versions', { body: { steps: [{ id: 'me', kind: 'noop', when }] } });
    const simulate = (events: object[]) =>
      call('POST', '/sim_facts/versions/1/simulate', { trigger_data: {}, events });
    expect((await simulate([])).body.steps[0].outcome).toBe('noop');
    const event = { event_name: 'e', event_data: {} };
    const late = await simulate([event, { ...event, at: 'someday' }]);
    expect([late.status, late.body.error.param]).toEqual([400, 'events[1].at']);
    const many = await simulate(Array.from({ length: 101 }, () => event));
    expect([many.status, many.body.error.param]).toEqual([400, 'events']);
  });

  test('runs three days in no time, with scripted events, and leaves nothing behind', async () => {
    await create('simulated');
    await call('POST', '/simulated/versions', {
      body: {
        steps: [
          { id: 'nap', kind: 'delay', duration: '2d' },
          {
            id: 'wait',
            kind: 'wait_for_event',
            event: 'paid',
            timeout: '1d',
            on_timeout: 'remind',
            next: 'end',
          },
          {
            id: 'remind',
            kind: 'send',
            channel: 'email',
            recipient: { address: 'a@b.co' },
            subject: 'x',
            text_body: 'y',
          },
        ],
      },
    });
    const now = '2026-01-01T00:00:00.000Z';
    const { status, body } = await call('POST', '/simulated/versions/1/simulate', { trigger_data: {}, now });
    expect([status, body.status]).toEqual([200, 'completed']);
    expect(
      body.steps.map((step: { step_id: string; outcome: string }) => [step.step_id, step.outcome]),
    ).toEqual([
      ['nap', 'delayed'],
      ['wait', 'timed_out'],
      ['remind', 'sent'],
    ]);
    expect(body.steps[2].started_at).toBe('2026-01-04T00:00:00.000Z');
    const events = [{ event_name: 'paid', event_data: { n: 1 } }];
    const paid = await call('POST', '/simulated/versions/1/simulate', { trigger_data: {}, events, now });
    expect(paid.body.steps.at(-1)).toMatchObject({
      step_id: 'wait',
      outcome: 'event_received',
      output_json: '{"n":1}',
    });
    const { rows } = await app.pool.query('select count(*)::int as n from notifications');
    expect(rows[0].n).toBe(0);
    expect((await call('POST', '/simulated/versions/1/simulate', { trigger_data: [] })).status).toBe(400);
    expect((await call('POST', '/simulated/versions/9/simulate', { trigger_data: {} })).status).toBe(404);
    const nonsense = [{ event_name: 'paid', event_data: {}, at: 'soon' }];
    expect(
      (await call('POST', '/simulated/versions/1/simulate', { trigger_data: {}, events: nonsense })).status,
    ).toBe(400);
  });
});

describe('promotion to Live', () => {
  const template = (html: string) => ({
    key: 'invoice',
    name: 'Invoice',
    subject_template: 'Invoice',
    html_body_template: html,
  });
  const body = {
    steps: [
      {
        id: 'mail',
        kind: 'send',
        channel: 'email',
        recipient: { address: 'a@b.co' },
        template_key: 'invoice',
      },
      { id: 'done', kind: 'noop' },
    ],
  };
  const promote = (request?: object, key?: string) => call('POST', '/invoicing/promote', request, key);

  test('takes the templates along, all of it or nothing', async () => {
    await app.request('POST', '/v1/templates', { body: template('<p>One</p>') });
    await create('invoicing');
    await call('POST', '/invoicing/versions', { body });
    const draft = await promote({ include_templates: true });
    expect([draft.status, draft.body.error.code]).toEqual([409, 'workflow_not_active']);
    await call('POST', '/invoicing/versions/1/activate');

    const without = await promote({});
    expect([without.status, without.body.error.code]).toEqual([422, 'workflow_invalid']);
    expect(without.body.error.param).toBe('/steps/0/template_key');
    expect((await call('GET', '/invoicing', undefined, app.liveKey)).status).toBe(404);

    const dry = await promote({ include_templates: true, dry_run: true });
    expect(dry.body).toMatchObject({ applied: false, status: 'new', target_version: 1 });
    expect((await app.request('GET', '/v1/templates/invoice', { key: app.liveKey })).status).toBe(404);

    const done = await promote({ include_templates: true });
    expect([done.status, done.body]).toMatchObject([
      200,
      {
        applied: true,
        status: 'new',
        target_version: 1,
        workflow_diff: {
          key: 'invoicing',
          status: 'added',
          steps: [
            { id: 'mail', status: 'added' },
            { id: 'done', status: 'added' },
          ],
          templates: [{ key: 'invoice', status: 'added' }],
        },
      },
    ]);
    expect((await call('GET', '/invoicing', undefined, app.liveKey)).body).toMatchObject({
      status: 'active',
      active_version: 1,
    });
    const live = await app.request('GET', '/v1/templates/invoice', { key: app.liveKey });
    expect(live.body.html_body_template).toBe('<p>One</p>');
    expect((await promote({ include_templates: true })).body).toMatchObject({
      applied: false,
      status: 'identical',
      target_version: 1,
    });
  });

  test('takes along only the templates that are listed', async () => {
    const templates = ['listed', 'left_out'];
    for (const key of templates)
      await app.request('POST', '/v1/templates', { body: { ...template('<p>One</p>'), key } });
    await activated('chosen', noop);
    const promoteChosen = (include_templates: unknown, key?: string) =>
      call('POST', '/chosen/promote', { include_templates }, key);

    const unknown = await promoteChosen(['listed', 'nowhere']);
    expect([unknown.status, unknown.body.error.code, unknown.body.error.param]).toEqual([
      400,
      'template_not_found',
      'include_templates[1]',
    ]);
    const done = await promoteChosen(['listed', 'listed']);
    expect(done.body.workflow_diff.templates).toMatchObject([{ key: 'listed', status: 'added' }]);
    const live = await Promise.all(
      templates.map((key) => app.request('GET', `/v1/templates/${key}`, { key: app.liveKey })),
    );
    expect(live.map(({ status }) => status)).toEqual([200, 404]);
    expect((await promoteChosen([])).body).toMatchObject({ status: 'identical' });
    for (const wrong of ['listed', [''], [5], Array.from({ length: 101 }, (_, n) => `t${n}`)])
      expect((await promoteChosen(wrong)).status, JSON.stringify(wrong)).toBe(400);
  });

  test('says what changed, and makes a new version of it', async () => {
    const next = {
      steps: [
        { ...body.steps[0], subject: undefined, category: null },
        { id: 'other', kind: 'noop' },
      ],
    };
    await call('POST', '/invoicing/versions', { body: next });
    await call('POST', '/invoicing/versions/2/activate');
    const { body: answer } = await promote();
    expect(answer).toMatchObject({
      applied: true,
      status: 'changed',
      target_version: 2,
      workflow_diff: {
        status: 'modified',
        name: 'unchanged',
        steps: [
          { id: 'mail', status: 'modified' },
          { id: 'other', status: 'added' },
          { id: 'done', status: 'removed' },
        ],
      },
    });
    const { body: versions } = await call('GET', '/invoicing/versions', undefined, app.liveKey);
    expect(versions.data.map((row: { is_active: boolean }) => row.is_active)).toEqual([true, false]);
  });

  test('goes from Test to Live, and needs the scope for what it takes along', async () => {
    const live = await promote({}, app.liveKey);
    expect([live.status, live.body.error.code]).toEqual([400, 'promotion_source_must_be_test']);
    const { body: narrow } = await app.request('POST', '/v1/api-keys', {
      body: { name: 'narrow', scopes: ['workflows:promote'] },
    });
    const refused = await promote({ include_templates: true }, narrow.key);
    expect([refused.status, refused.body.error.code]).toEqual([403, 'insufficient_scope']);
    expect((await promote({}, narrow.key)).status).toBe(200);
    expect((await call('POST', '/nothing/promote')).status).toBe(404);
  });
});

test('the JSON Schema of bodies is public, and its hash is that of the answer', async () => {
  const response = await fetch(`${app.url}/workflows/schema.json`);
  const text = await response.text();
  expect(response.status).toBe(200);
  expect(response.headers.get('x-schema-sha256')).toBe(createHash('sha256').update(text).digest('hex'));
  expect(response.headers.get('cache-control')).toContain('max-age');
  expect(JSON.parse(text)).toMatchObject({ $schema: 'https://json-schema.org/draft/2020-12/schema' });
  const etag = response.headers.get('etag') ?? '';
  const again = await fetch(`${app.url}/workflows/schema.json`, { headers: { 'if-none-match': etag } });
  expect(again.status).toBe(304);
});
