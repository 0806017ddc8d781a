import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../../../../test/harness/app.ts';
import { startWebhookSink, type WebhookSink } from '../../../../test/simulators/webhook-sink.ts';
import { email, shape, startWorkflows, type Workflows, withWorkflows } from './test-harness.ts';

let app: Workflows;
let sink: WebhookSink;
beforeAll(async () => {
  app = await startWorkflows();
  sink = await startWebhookSink();
});
afterAll(async () => {
  await app.stop();
  await sink.stop();
});

const json = (value: unknown, status = 200) => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});

describe('a run', () => {
  test('goes through its steps, and its timeline tells how', async () => {
    await app.define('welcome', [
      email('first', { subject: 'Hello {{ trigger.name }}' }),
      { id: 'pick', kind: 'branch', branches: [{ when: 'trigger.vip', goto: 'extra' }], else: 'end' },
      email('extra'),
      { id: 'last', kind: 'noop' },
    ]);
    const id = await app.trigger('welcome', { name: 'Ada', vip: true });
    const run = await app.reaches(id, 'completed');
    expect(shape(run)).toEqual(['first:sent', 'pick:branched', 'extra:sent', 'last:noop']);
    expect(run).toMatchObject({
      id,
      workflow_key: 'welcome',
      version: 1,
      current_step_id: null,
      trigger_data: { name: 'Ada', vip: true },
      source: 'Test',
      failure_reason: null,
      completed_at: expect.any(String),
    });
    const [first, pick] = run.steps;
    expect(first).toMatchObject({
      kind: 'send',
      status: 'completed',
      next_step_id: 'pick',
      next_scheduled_at: null,
    });
    expect(pick.next_step_id).toBe('extra');
    const sent = await app.waitFor(first.notification_id, ({ status }) => status === 'delivered');
    expect(sent.subject).toBe('Hello Ada');
    expect(JSON.parse(first.output_json)).toMatchObject({ notification_id: first.notification_id });
    expect(sent.idempotency_key).toBe(`run:${id}:${first.attempt_id}`);
  });

  test('sleeps through a delay, and tells until when', async () => {
    await app.define('patient', [
      { id: 'nap', kind: 'delay', duration: 'PT1S' },
      { id: 'done', kind: 'noop' },
    ]);
    const id = await app.trigger('patient');
    const asleep = await app.reaches(id, 'waiting');
    expect(asleep).toMatchObject({ current_step_id: 'nap', completed_at: null });
    const { next_scheduled_at: until, started_at: since } = asleep.steps[0];
    expect(Date.parse(until) - Date.parse(since)).toBe(1_000);
    const run = await app.reaches(id, 'completed');
    expect(shape(run)).toEqual(['nap:delayed', 'done:noop']);
    expect(Date.parse(run.steps[0].completed_at)).toBeGreaterThanOrEqual(Date.parse(until));
  });

  test('skips a step whose condition is false, and ends at a cancel step', async () => {
    await app.define('picky', [email('maybe', { when: 'trigger.wanted' }), { id: 'stop', kind: 'cancel' }]);
    const run = await app.reaches(await app.trigger('picky', { wanted: false }), 'cancelled');
    expect(shape(run)).toEqual(['maybe:skipped', 'stop:cancelled']);
  });

  test('stays on the version it began with', async () => {
    await app.define('changing', [
      { id: 'wait', kind: 'wait_for_event', event: 'go' },
      { id: 'old', kind: 'noop' },
    ]);
    const before = await app.trigger('changing');
    await app.reaches(before, 'waiting');
    await app.define('changing', [{ id: 'new', kind: 'noop' }]);
    const after = await app.trigger('changing');
    expect(shape(await app.reaches(after, 'completed'))).toEqual(['new:noop']);
    expect(await app.post('changing', 'go')).toBe(1);
    const run = await app.reaches(before, 'completed');
    expect([run.version, ...shape(run)]).toEqual([1, 'wait:event_received', 'old:noop']);
  });

  test('loops through a delay, and each time is an attempt of its own', async () => {
    await app.define('loop', [
      email('knock'),
      { id: 'nap', kind: 'delay', duration: 'PT0.01S' },
      {
        id: 'again',
        kind: 'branch',
        branches: [{ when: 'trigger.times == 0', goto: 'knock' }],
        else: 'wait',
      },
      { id: 'wait', kind: 'wait_for_event', event: 'more', timeout: '1d', next: 'knock' },
    ]);
    const id = await app.trigger('loop', { times: 1 });
    for (let round = 1; round <= 3; round += 1) {
      await app.runUntil(id, (run) => run.status === 'waiting' && run.steps.length === 4 * round);
      expect(await app.postToRun(id, 'more')).toBe(1);
    }
    const run = await app.runUntil(id, ({ steps, status }) => steps.length === 16 && status === 'waiting');
    const attempts = run.steps.map((step: { attempt_id: string }) => step.attempt_id);
    expect(new Set(attempts).size).toBe(attempts.length);
    const made = run.steps.flatMap((step: { notification_id: string | null }) => step.notification_id ?? []);
    expect(new Set(made).size).toBe(4);
    await app.request('POST', `/v1/workflows/runs/${id}/cancel`);
  });
});

describe('a send step', () => {
  test('that the API would refuse fails the run with a reason that a person understands', async () => {
    await app.define('broken', [email('bad', { recipient: { address: '{{ trigger.to }}' } })]);
    const run = await app.reaches(await app.trigger('broken', { to: 'nobody' }), 'failed');
    expect(shape(run)).toEqual(['bad:failed']);
    expect(run.failure_reason).toMatch(/^Step "bad": recipient\.address .*recipient_invalid/);
    expect(run.steps[0]).toMatchObject({ status: 'failed', notification_id: null });
  });

  test('whose template is gone fails the run when it gets there', async () => {
    const template = { key: 'going', name: 'Going', subject_template: 'Hi', html_body_template: '<p>Hi</p>' };
    await app.request('POST', '/v1/templates', { body: template });
    await app.define('orphan', [
      { id: 'wait', kind: 'wait_for_event', event: 'go' },
      {
        id: 'mail',
        kind: 'send',
        channel: 'email',
        recipient: { address: 'a@example.com' },
        template_key: 'going',
      },
    ]);
    const id = await app.trigger('orphan');
    await app.reaches(id, 'waiting');
    const refused = await app.request('DELETE', '/v1/templates/going');
    expect([refused.status, refused.body.error.code]).toEqual([409, 'template_in_use']);
    expect(refused.body.error.message).toContain('orphan');
    await app.request('DELETE', '/v1/workflows/orphan');
    expect((await app.request('DELETE', '/v1/templates/going')).status).toBe(204);
    expect(await app.post('orphan', 'go')).toBe(1);
    const run = await app.reaches(id, 'failed');
    expect(run.failure_reason).toContain('template_not_found');
  });

  test.each([
    ['sent', 'delivered@sandbox.test', 'sent', /sent|delivered/],
    ['delivered', 'delivered@sandbox.test', 'sent', /delivered/],
    ['delivered', 'delayed@sandbox.test', 'sent', /delivered/],
    ['delivered', 'refused-once@sandbox.test', 'sent', /delivered/],
    ['delivered', 'bounced@sandbox.test', 'failed', /bounced/],
    ['sent', 'refused@sandbox.test', 'failed', /failed|bounced/],
  ])('with wait_for %s to %s goes on with the outcome %s', async (waitFor, address, outcome, status) => {
    const key = `awaits_${waitFor}_${address.split('@')[0]?.replace('-', '_')}`;
    await app.define(key, [
      email('mail', { recipient: { address }, wait_for: waitFor }),
      {
        id: 'tell',
        kind: 'branch',
        branches: [{ when: `steps.mail.outcome == "sent"`, goto: 'end' }],
        else: 'end',
      },
    ]);
    const run = await app.reaches(await app.trigger(key), 'completed', 'failed');
    expect(shape(run)[0]).toBe(`mail:${outcome}`);
    expect(JSON.parse(run.steps[0].output_json).status).toMatch(status);
    const found = await app.request('GET', `/v1/notifications/${run.steps[0].notification_id}`);
    expect(found.body.status).toMatch(status);
  });

  test('to somebody who opted out is suppressed, and the run goes on', async () => {
    const category = { key: 'offers', name: 'Offers', default_channels: ['email'] };
    await app.request('POST', '/v1/preferences/categories', { body: category });
    await app.request('PATCH', '/v1/preferences/users/grace/offers/email', { body: { opted_in: false } });
    const recipient = { external_user_id: 'grace', address: 'grace@example.com' };
    await app.define('offer', [
      email('mail', { recipient, category: 'offers', wait_for: 'delivered' }),
      { id: 'after', kind: 'noop' },
    ]);
    const run = await app.reaches(await app.trigger('offer'), 'completed');
    expect(shape(run)).toEqual(['mail:suppressed', 'after:noop']);
    expect(run.external_user_id).toBe('grace');
  });

  test('whose notification is deleted while it is awaited goes on', async () => {
    await app.define('deleted', [
      email('mail', { wait_for: 'sent', send_at: '{{ trigger.at }}' }),
      { id: 'after', kind: 'noop' },
    ]);
    const id = await app.trigger('deleted', { at: new Date(Date.now() + 3_600_000).toISOString() });
    const { steps } = await app.reaches(id, 'waiting');
    const gone = await app.request('DELETE', `/v1/notifications/${steps[0].notification_id}`);
    expect(gone.status).toBe(204);
    const run = await app.reaches(id, 'completed', 'failed');
    expect(shape(run)[0]).toBe('mail:failed');
  });
});

describe('a fetch step', () => {
  const fetchStep = (path: string, extra: object = {}) => ({
    id: 'ask',
    kind: 'fetch',
    url: sink.url(path),
    ...extra,
  });

  test('has the JSON that was answered as its output', async () => {
    sink.reply = () => json({ price: 7 });
    await app.define('price', [
      fetchStep('/price?of={{ trigger.sku }}', { method: 'POST', body: { sku: '{{ trigger.sku }}' } }),
      {
        id: 'dear',
        kind: 'branch',
        branches: [{ when: 'steps.ask.output.price > 5', goto: 'yes' }],
        else: 'end',
      },
      { id: 'yes', kind: 'noop' },
    ]);
    const id = await app.trigger('price', { sku: 'A1' });
    const run = await app.reaches(id, 'completed');
    expect(shape(run)).toEqual(['ask:fetched', 'dear:branched', 'yes:noop']);
    expect(JSON.parse(run.steps[0].output_json)).toEqual({ price: 7 });
    const call = sink.received.find(({ path }) => path === '/price?of=A1');
    expect(call?.body).toEqual({ sku: 'A1' });
    expect(call?.headers['idempotency-key']).toBe(`${id}:${run.steps[0].attempt_id}`);
  });

  test('is tried again when it may help, with the same Idempotency-Key', async () => {
    let calls = 0;
    sink.reply = () => {
      calls += 1;
      return calls < 3 ? 503 : json({ ok: true });
    };
    await app.define('flaky', [fetchStep('/flaky', { method: 'POST' })]);
    const id = await app.trigger('flaky');
    expect(shape(await app.reaches(id, 'completed'))).toEqual(['ask:fetched']);
    const keys = sink.received
      .filter(({ path }) => path === '/flaky')
      .map(({ headers }) => headers['idempotency-key']);
    expect([keys.length, new Set(keys).size]).toEqual([3, 1]);
  });

  test.each<[string, () => Parameters<typeof json>[0] | (() => unknown), RegExp]>([
    ['not found', () => () => 404, /returned 404/],
    ['a redirect', () => () => ({ status: 302, headers: { location: '/' } }), /Redirects are not followed/],
    ['what is not JSON', () => () => ({ ...json(0), body: '{' }), /is not/],
    ['too much', () => () => json('x'.repeat(70_000)), /larger than 64 KiB/],
    ['failure for ever', () => () => 500, /Gave up after 4 attempts/],
  ])('answered with %s fails the run with a reason', async (name, reply, reason) => {
    sink.reply = reply() as WebhookSink['reply'];
    const key = `fails_${name.replaceAll(/\W/g, '_').toLowerCase()}`;
    await app.define(key, [fetchStep(`/${key}`)]);
    const run = await app.reaches(await app.trigger(key), 'failed');
    expect(run.failure_reason).toMatch(reason);
    expect(shape(run)).toEqual(['ask:failed']);
  });

  test('that is answered with something else than JSON has no output', async () => {
    sink.reply = () => ({ status: 200, headers: { 'content-type': 'text/plain' }, body: 'fine' });
    await app.define('plain', [fetchStep('/plain', { method: 'PUT', body: [1] })]);
    const run = await app.reaches(await app.trigger('plain'), 'completed');
    expect(run.steps[0]).toMatchObject({ outcome: 'fetched', output_json: null });
    const call = sink.received.find(({ path }) => path === '/plain');
    expect([call?.headers['content-type'], call?.text]).toEqual(['application/json', '[1]']);
  });

  test('goes where on_error says', async () => {
    sink.reply = () => 404;
    await app.define('fallback', [
      fetchStep('/nowhere', { on_error: 'plan_b', next: 'end' }),
      { id: 'plan_b', kind: 'noop' },
    ]);
    const run = await app.reaches(await app.trigger('fallback'), 'completed');
    expect(shape(run)).toEqual(['ask:failed', 'plan_b:noop']);
  });

  test('gets nothing out of addresses that it must not reach, nor out of nonsense', async () => {
    await app.define('curious', [{ id: 'ask', kind: 'fetch', url: '{{ trigger.url }}' }]);
    for (const url of ['http://169.254.169.254/', 'http://10.0.0.1/', 'file:///etc/passwd', 'nonsense']) {
      const run = await app.reaches(await app.trigger('curious', { url }), 'failed');
      expect([url, run.steps[0].outcome]).toEqual([url, 'failed']);
    }
  });

  test('does not wait for the slow calls of another environment to the same host', async () => {
    const held: ServerResponse[] = [];
    const isHeld = ({ path }: { path: string }): boolean => path === '/held';
    sink.reply = (call) => (isHeld(call) ? (response) => held.push(response) : 204);
    await app.define('held', [fetchStep('/held')]);
    await Promise.all(Array.from({ length: 100 }, () => app.trigger('held')));
    await waitUntil(async () => {
      const { rows } = await app.pool.query('select from queue_parked');
      return rows.length > 0 || new Error('the host still has room');
    });
    const live = withWorkflows({
      ...app,
      request: (method, path, options) => app.request(method, path, { key: app.liveKey, ...options }),
    });
    await live.define('quick', [fetchStep('/quick')]);
    await live.reaches(await live.trigger('quick'), 'completed');
    expect(
      new Set(sink.received.filter(isHeld).map((call) => call.headers['idempotency-key'])).size,
    ).toBeLessThan(100);
    sink.reply = () => 204;
    for (const response of held) response.writeHead(204).end();
  });

  test('takes no time from the step after it, which begins when it ends', async () => {
    sink.reply = () => (response) => setTimeout(() => response.writeHead(204).end(), 100);
    const collect = { id: 'collect', kind: 'digest', key: 'all', window: '1d' };
    await app.define('patient', [fetchStep('/slow'), collect]);
    const run = await app.reaches(await app.trigger('patient'), 'waiting');
    const [asked, collected] = run.steps;
    expect(collected.started_at).toBe(asked.completed_at);
    expect(Date.parse(collected.next_scheduled_at) - Date.parse(collected.started_at)).toBe(86_400_000);
  });

  test('keeps what was answered, also characters that cannot be stored', async () => {
    sink.reply = () => json({ text: 'a\0b\ud800c' });
    await app.define('odd', [fetchStep('/odd'), email('mail', { subject: '{{ steps.ask.output.text }}' })]);
    const run = await app.reaches(await app.trigger('odd'), 'completed', 'failed');
    expect(shape(run)).toEqual(['ask:fetched', 'mail:sent']);
  });
});

test('webhook endpoints are told when a run completes or fails', async () => {
  sink.reply = () => 204;
  const { body: endpoint } = await app.request('POST', '/v1/webhook-endpoints', {
    body: { url: sink.url('/told'), event_filters: ['workflow.run.completed', 'workflow.run.failed'] },
  });
  await app.define('good', [{ id: 'only', kind: 'noop' }]);
  await app.define('bad', [email('only', { recipient: { address: 'nobody' } })]);
  const good = await app.trigger('good', { secret: 'x' });
  const bad = await app.trigger('bad');
  const told = await waitUntil(async () => {
    // Runs of tests before this one may end meanwhile.
    const seen = sink.received.filter(
      ({ path, body }) => path === '/told' && [good, bad].includes(body.data.id),
    );
    return seen.length === 2 ? seen : new Error(`told of ${seen.length}`);
  }, 30_000);
  const of = (id: string) => told.find(({ body }) => body.data.id === id)?.body;
  expect(of(good)).toMatchObject({
    type: 'workflow.run.completed',
    data: { id: good, workflow_key: 'good', version: 1, status: 'completed', failure_reason: null },
  });
  expect(of(bad)).toMatchObject({ type: 'workflow.run.failed', data: { status: 'failed' } });
  expect(of(bad).data.failure_reason).toContain('Step "only"');
  expect(JSON.stringify(of(good))).not.toContain('secret');
  await app.request('DELETE', `/v1/webhook-endpoints/${endpoint.id}`);
});

describe('runs of a workflow', () => {
  test('are listed newest first, by status, by user, and page by page', async () => {
    await app.define('listed', [
      { id: 'hold', kind: 'wait_for_event', event: 'never', when: 'trigger.hold' },
    ]);
    const ids: string[] = [];
    for (let number = 0; number < 5; number += 1) {
      const user = number < 2 ? 'ada' : 'joan';
      ids.unshift(await app.trigger('listed', { hold: number % 2 === 0, user: { external_user_id: user } }));
    }
    for (const id of ids) await app.reaches(id, 'waiting', 'completed');
    const list = async (query: string) =>
      (await app.request('GET', `/v1/workflows/listed/runs?${query}`)).body;
    const idsOf = (page: { items: { id: string }[] }) => page.items.map(({ id }) => id);
    expect(idsOf(await list(''))).toEqual(ids);
    expect(idsOf(await list('status=completed'))).toEqual([ids[1], ids[3]]);
    expect(idsOf(await list('external_user_id=ada'))).toEqual([ids[3], ids[4]]);
    const first = await list('limit=3');
    const second = await list(`limit=3&page_token=${first.next_page_token}`);
    expect([...idsOf(first), ...idsOf(second), second.next_page_token]).toEqual([...ids, null]);
    expect(await list(`limit=3&cursor=${first.next_page_token}`)).toEqual(second);
    expect((await list('cursor=nonsense')).error).toMatchObject({ code: 'invalid_cursor', param: 'cursor' });
    expect((await list('cursor=a&page_token=b')).error.param).toBe('page_token');
    expect((await list('page_token=nonsense')).error).toMatchObject({
      code: 'invalid_cursor',
      param: 'page_token',
    });
    expect((await list('status=sideways')).error.code).toBe('parameter_invalid');
    expect((await list('limit=0')).error.code).toBe('parameter_invalid');
  });

  test('belong to their environment alone', async () => {
    const id = await app.trigger('listed', { hold: true });
    await app.reaches(id, 'waiting');
    const asLive = (method: string, path: string, body?: object) =>
      app.request(method, path, { key: app.liveKey, body });
    expect((await asLive('GET', `/v1/workflows/runs/${id}`)).status).toBe(404);
    expect((await asLive('POST', `/v1/workflows/runs/${id}/cancel`)).status).toBe(404);
    const event = { event_name: 'never', event_data: {} };
    expect((await asLive('POST', `/v1/workflows/runs/${id}/events`, event)).status).toBe(404);
    expect((await asLive('POST', '/v1/workflows/listed/events', event)).body).toEqual({
      awoken_run_count: 0,
    });
    expect((await asLive('GET', '/v1/workflows/listed/runs')).status).toBe(404);
    expect((await app.run(id)).status).toBe('waiting');
  });
});
