import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitUntil } from '../../../../test/harness/app.ts';
import { tidyRuns } from './housekeeping.ts';
import { email, shape, startWorkflows, type Workflows } from './test-harness.ts';

let app: Workflows;
beforeAll(async () => {
  app = await startWorkflows();
});
afterAll(() => app.stop());

test('erasing a person cancels their runs and takes what these say', async () => {
  await app.define('about_somebody', [
    { id: 'wait', kind: 'wait_for_event', event: 'go', when: 'trigger.wait' },
    email('mail', {
      recipient: { address: 'ada@example.com', external_user_id: '{{ trigger.external_user_id }}' },
    }),
  ]);
  const person = { external_user_id: 'ada', secret: 'likes bells' };
  const done = await app.trigger('about_somebody', { ...person, wait: false });
  const live = await app.trigger('about_somebody', { ...person, wait: true });
  const other = await app.trigger('about_somebody', {
    external_user_id: 'joan',
    secret: 'likes bells',
    wait: true,
  });
  await app.reaches(done, 'completed');
  for (const id of [live, other]) await app.reaches(id, 'waiting');
  expect((await app.request('DELETE', '/v1/users/ada')).status).toBeLessThan(300);
  for (const id of [done, live]) {
    const run = await app.runUntil(id, ({ external_user_id }) => external_user_id === null);
    expect(run.trigger_data).toEqual({});
    // Quoted or as an address: the random ids of a run may contain the bare letters.
    expect(JSON.stringify(run)).not.toMatch(/likes bells|"ada"|ada@/);
  }
  expect((await app.run(live)).status).toBe('cancelled');
  expect(await app.run(other)).toMatchObject({ status: 'waiting', trigger_data: { secret: 'likes bells' } });
}, 60_000);

test('erasing a person takes runs that name nobody but an address of theirs', async () => {
  const waits = { id: 'wait', kind: 'wait_for_event', event: 'go' };
  await app.define('by_address', [waits]);
  await app.define('sends_to_address', [
    email('mail', { recipient: { address: '{{ trigger.to }}' } }),
    {
      id: 'ring',
      kind: 'send',
      channel: 'in_app',
      recipient: { address: '{{ trigger.to }}' },
      html_body: 'Hi',
    },
  ]);
  await app.request('PUT', '/v1/users/grace', {
    body: { email: 'grace@example.com', phone: '+14155550177', chatone_user_id: 'U0GRACE' },
  });
  const secret = 'found a moth';
  const theirs = [
    await app.trigger('by_address', { recipient: { address: 'Grace@Example.com' }, secret }),
    await app.trigger('by_address', { email: 'grace@example.com', secret }),
    await app.trigger('by_address', { user: { phone: '+14155550177' }, secret }),
    await app.trigger('by_address', { recipient: { chatone_user_id: 'U0GRACE' }, secret }),
    await app.trigger('by_address', { external_user_id: 'GRACE@example.com', secret }),
    await app.trigger('sends_to_address', { to: 'GRACE@example.com', secret }),
  ];
  const others = [
    await app.trigger('by_address', { email: 'grace@example.com', external_user_id: 'joan', secret }),
    await app.trigger('by_address', { email: 'joan@example.com', secret }),
    await app.trigger('by_address', { recipient: { chatone_user_id: 'u0grace' }, secret }),
  ];
  for (const id of [...theirs.slice(0, -1), ...others]) await app.reaches(id, 'waiting');
  await app.reaches(theirs.at(-1) ?? '', 'completed');
  expect((await app.request('DELETE', '/v1/users/grace')).status).toBe(204);
  for (const id of theirs) {
    await waitUntil(async () => {
      await app.pool.query('update queue_later set run_at = now() where kind = 4');
      const run = await app.run(id);
      return JSON.stringify(run.trigger_data) === '{}' ? run : new Error(JSON.stringify(run));
    }, 30_000);
    const { rows } = await app.pool.query(
      `select r::text || (select string_agg(s::text, '') from run_steps s where s.run_id = r.id) as text
       from runs r where id = $1`,
      [id],
    );
    expect(rows[0].text).not.toMatch(/moth|grace/i);
  }
  for (const id of others)
    expect(await app.run(id)).toMatchObject({ status: 'waiting', trigger_data: { secret } });
}, 60_000);

test('events are forgotten after a week, except those that a run has yet to hear', async () => {
  await app.define('forgets', [
    { id: 'first', kind: 'wait_for_event', event: 'begin' },
    { id: 'wait', kind: 'wait_for_event', event: 'late', lookback: true },
  ]);
  const id = await app.trigger('forgets');
  await app.reaches(id, 'waiting');
  await app.post('forgets', 'late');
  const count = async () =>
    (await app.pool.query(`select count(*)::int as n from workflow_events where name = 'late'`)).rows[0].n;
  await tidyRuns({ pool: app.pool, clock: () => Date.now() + 7.5 * 86_400_000 }, () => false);
  expect(await count()).toBe(1);
  await tidyRuns({ pool: app.pool, clock: () => Date.now() + 9 * 86_400_000 }, () => false);
  expect(await count()).toBe(0);
  await app.postToRun(id, 'begin');
  await app.runUntil(id, ({ current_step_id, status }) => current_step_id === 'wait' && status === 'waiting');
});

test('a send beyond the plan fails the run with that reason, and nothing of it is sent', async () => {
  await app.pool.query(
    `insert into usage_counters (organization_id, month, channel, shard, sends)
     select organization_id, date_trunc('month', now())::date, 'email', 0, 9999 from environments where kind = 'live'`,
  );
  await app.pool.query(`update organizations set plan = 'free'`);
  await app.request('PUT', `/v1/environments/${app.liveEnvironmentId}/email-settings`, {
    key: app.liveKey,
    body: {
      from_address: 'hello@acme.example',
      providers: [{ kind: 'sandbox', name: 'Sandbox', enabled: true, config: {} }],
    },
  });
  const live = <Body>(method: string, path: string, body?: Body) =>
    app.request(method, `/v1/workflows${path}`, { key: app.liveKey, body });
  await live('POST', '', { key: 'dear', name: 'Dear' });
  await live('POST', '/dear/versions', { body: { steps: [email('one'), email('two'), email('three')] } });
  await live('POST', '/dear/versions/1/activate');
  const { body } = await live('POST', '/dear/trigger', { trigger_data: {} });
  const run = await waitUntil(async () => {
    const { body: seen } = await live('GET', `/runs/${body.run_id}`);
    return seen.status === 'failed' ? seen : new Error(JSON.stringify(seen));
  }, 30_000);
  expect(shape(run)).toEqual(['one:sent', 'two:failed']);
  expect(run.failure_reason).toMatch(/plan_limit_reached/);
  const { rows } = await app.pool.query(
    `select count(*)::int as n from notifications where idempotency_key like $1`,
    [`run:${run.id}:%`],
  );
  expect(rows[0].n).toBe(1);
});
