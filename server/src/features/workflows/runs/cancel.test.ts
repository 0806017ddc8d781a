import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWebhookSink, type WebhookSink } from '../../../../test/simulators/webhook-sink.ts';
import { email, startWorkflows, type Workflows } from './test-harness.ts';

let app: Workflows;
let sink: WebhookSink;
beforeAll(async () => {
  app = await startWorkflows();
  sink = await startWebhookSink();
  sink.reply = () => 503;
});
afterAll(async () => {
  await app.stop();
  await sink.stop();
});

const cancel = (id: string) => app.request('POST', `/v1/workflows/runs/${id}/cancel`);

const states: [string, () => object[]][] = [
  ['sleeps', () => [{ id: 'step', kind: 'delay', duration: '1d' }]],
  ['waits_for_event', () => [{ id: 'step', kind: 'wait_for_event', event: 'x', lookback: true }]],
  ['waits_for_notification', () => [email('step', { wait_for: 'sent', send_at: '{{ trigger.later }}' })]],
  ['collects', () => [{ id: 'step', kind: 'digest', key: 'k', window: '1d' }]],
];

describe('cancelling a run', () => {
  test.each(states)('that %s ends it', async (key, steps) => {
    await app.define(key, [...steps(), email('never')]);
    const id = await app.trigger(key, { later: new Date(Date.now() + 3_600_000).toISOString() });
    await app.reaches(id, 'waiting');
    const { status, body } = await cancel(id);
    expect([status, body.status]).toEqual([200, expect.stringMatching(/^cancell(ing|ed)$/)]);
    const run = await app.reaches(id, 'cancelled');
    expect(run.steps).toHaveLength(1);
    expect(run.steps[0]).toMatchObject({ status: 'cancelled', outcome: 'cancelled' });
    expect(run).toMatchObject({
      current_step_id: null,
      failure_reason: null,
      completed_at: expect.any(String),
    });
    expect((await cancel(id)).body).toEqual({ status: 'cancelled' });
    expect(await app.postToRun(id, 'x')).toBe(0);
    const { rows } = await app.pool.query(
      `select (select count(*) from queue_later where id = $1 and kind = 5)::int + (select count(*) from queue_ready where id = $1)::int
        + (select count(*) from run_waits where run_id = $1)::int + (select count(*) from run_sends where run_id = $1)::int
        + (select count(*) from digests where run_id = $1)::int + (select count(*) from digest_items where run_id = $1)::int as left`,
      [id],
    );
    expect(rows[0].left).toBe(0);
  });

  test('between the attempts at a call ends it', async () => {
    await app.define('fetches', [{ id: 'step', kind: 'fetch', url: sink.url('/slow') }, email('never')]);
    sink.reply = () => ({ status: 503, headers: { 'retry-after': '600' } });
    const id = await app.trigger('fetches');
    await app.runUntil(id, () => sink.received.length > 0);
    await cancel(id);
    const run = await app.reaches(id, 'cancelled');
    expect(run.steps).toHaveLength(1);
  });

  test('while a call is under way ends it, and what was answered goes nowhere', async () => {
    let answer: (() => void) | null = null;
    sink.reply = () => (response) => {
      answer = () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    };
    await app.define('hangs', [{ id: 'step', kind: 'fetch', url: sink.url('/hang') }, email('never')]);
    const id = await app.trigger('hangs');
    await app.runUntil(id, () => answer !== null);
    expect((await cancel(id)).body).toEqual({ status: 'cancelling' });
    expect((await cancel(id)).body).toEqual({ status: 'cancelling' });
    expect((await app.run(id)).status).toBe('cancelling');
    (answer as (() => void) | null)?.();
    const run = await app.reaches(id, 'cancelled');
    expect(run.steps).toHaveLength(1);
  });

  test('that has completed or failed is 409', async () => {
    await app.define('quick', [{ id: 'step', kind: 'noop' }]);
    await app.define('fails', [email('step', { recipient: { address: 'nobody' } })]);
    for (const [key, end] of [
      ['quick', 'completed'],
      ['fails', 'failed'],
    ] as const) {
      const id = await app.trigger(key);
      await app.reaches(id, end);
      const { status, body } = await cancel(id);
      expect([status, body.error.code]).toEqual([409, 'run_not_cancellable']);
    }
  });

  test('that does not exist is 404', async () => {
    expect((await cancel('01890000-0000-7000-8000-000000000000')).status).toBe(404);
    expect((await cancel('nonsense')).status).toBe(404);
  });

  test('at the same instant as it goes on: it ends once, as one or the other', async () => {
    await app.define('raced', [{ id: 'wait', kind: 'wait_for_event', event: 'go' }, email('mail')]);
    for (let round = 0; round < 20; round += 1) {
      const id = await app.trigger('raced');
      await app.reaches(id, 'waiting');
      const [woken, answer] = await Promise.all([app.postToRun(id, 'go'), cancel(id)]);
      const run = await app.reaches(id, 'completed', 'cancelled');
      expect(run.steps.length).toBe(run.status === 'completed' ? 2 : 1);
      if (run.status === 'completed') expect([woken, answer.status]).toEqual([1, 409]);
      else expect(answer.status).toBe(200);
    }
  });
});
