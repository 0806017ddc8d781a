import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, waitUntil } from '../../../../test/harness/app.ts';
import { startWebhookSink, type WebhookSink } from '../../../../test/simulators/webhook-sink.ts';
import { email, shape, startWorkflows, type Workflows } from './test-harness.ts';

/** Takes requests all the time; the work is done by workers that come and go. */
let api: Workflows;
let sink: WebhookSink;
beforeAll(async () => {
  api = await startWorkflows({ settings: { CARILLON_ROLES: 'api' } });
  sink = await startWebhookSink();
});
afterAll(async () => {
  await api.stop();
  await sink.stop();
});

const startWorker = () => startTestApp({ database: api.database, settings: { CARILLON_ROLES: 'worker' } });

interface Case {
  /** The step that the restart interrupts; one more follows. */
  step: () => object;
  /** True once the run has got to where it is to be interrupted. */
  isThere: (run: { status: string; current_step_id: string | null }) => boolean;
  /** What lets it go on after the restart. */
  resume?: (id: string) => Promise<unknown>;
  outcome: string;
}

const isWaiting = ({ status }: { status: string }): boolean => status === 'waiting';
const soon = (id: string) =>
  api.pool.query(
    `with s as (update runs set state = jsonb_set(state::jsonb, '{pending,until}', '1')::json where id = $1)
     update queue_later set run_at = now() where id = $1`,
    [id],
  );
const send = (extra: object) => email('step', extra);

const cases: Record<string, Case> = {
  'a delay': {
    step: () => ({ id: 'step', kind: 'delay', duration: '1d' }),
    isThere: isWaiting,
    resume: soon,
    outcome: 'delayed',
  },
  'a wait for an event': {
    step: () => ({ id: 'step', kind: 'wait_for_event', event: 'go', timeout: '1d' }),
    isThere: isWaiting,
    resume: (id) => api.postToRun(id, 'go'),
    outcome: 'event_received',
  },
  'a wait that times out': {
    step: () => ({ id: 'step', kind: 'wait_for_event', event: 'go', timeout: '1d' }),
    isThere: isWaiting,
    resume: soon,
    outcome: 'timed_out',
  },
  'a wait whose event came while no worker was there': {
    step: () => ({ id: 'step', kind: 'wait_for_event', event: 'go', timeout: '1d' }),
    isThere: isWaiting,
    outcome: 'event_received',
  },
  'a digest': {
    step: () => ({ id: 'step', kind: 'digest', key: 'k', window: '1d' }),
    isThere: isWaiting,
    resume: soon,
    outcome: 'digested',
  },
  'a send that is to be delivered': {
    step: () => send({ wait_for: 'delivered', recipient: { address: 'delayed@sandbox.test' } }),
    isThere: isWaiting,
    outcome: 'sent',
  },
  'a send that is to be sent': {
    step: () => send({ wait_for: 'sent', send_at: '{{ trigger.soon }}' }),
    isThere: isWaiting,
    outcome: 'sent',
  },
  'a fetch between two attempts': {
    step: () => ({ id: 'step', kind: 'fetch', url: sink.url('/busy') }),
    isThere: () => sink.received.some(({ path }) => path === '/busy'),
    resume: async () => {
      sink.reply = () => 204;
    },
    outcome: 'fetched',
  },
};

test.each(Object.entries(cases))(
  '%s survives a restart of the worker',
  async (name, { step, isThere, resume, outcome }) => {
    const key = name.replaceAll(' ', '_');
    sink.reply = () => 503;
    await api.define(key, [{ id: 'before', kind: 'noop' }, step(), email('after')]);
    const id = await api.trigger(key, { soon: new Date(Date.now() + 3_000).toISOString() });
    const first = await startWorker();
    try {
      await api.runUntil(id, isThere);
    } finally {
      await first.stop();
    }
    if (name.includes('while no worker')) await api.postToRun(id, 'go');
    const second = await startWorker();
    try {
      await resume?.(id);
      const run = await api.reaches(id, 'completed', 'failed');
      expect(shape(run)).toEqual(['before:noop', `step:${outcome}`, 'after:sent']);
      const made = run.steps.flatMap(
        (entry: { notification_id: string | null }) => entry.notification_id ?? [],
      );
      const { rows } = await api.pool.query(
        `select count(*)::int as n from notifications where idempotency_key like $1`,
        [`run:${id}:%`],
      );
      expect(rows[0].n).toBe(made.length);
    } finally {
      await second.stop();
    }
  },
);

test('a run that was triggered while no worker was there is begun by the next', async () => {
  await api.define('nobody_there', [
    { id: 'pick', kind: 'branch', branches: [{ when: 'true', goto: 'mail' }], else: 'end' },
    email('mail'),
    { id: 'stop', kind: 'cancel' },
  ]);
  const id = await api.trigger('nobody_there');
  expect((await api.run(id)).status).toBe('pending');
  const worker = await startWorker();
  const run = await api.reaches(id, 'cancelled');
  expect(shape(run)).toEqual(['pick:branched', 'mail:sent', 'stop:cancelled']);
  await worker.stop();
});

test('a cancellation is carried out by the next worker', async () => {
  await api.define('nobody_cancels', [{ id: 'nap', kind: 'delay', duration: '1d' }]);
  const id = await api.trigger('nobody_cancels');
  const { body } = await api.request('POST', `/v1/workflows/runs/${id}/cancel`);
  expect(body).toEqual({ status: 'cancelling' });
  const worker = await startWorker();
  const run = await api.reaches(id, 'cancelled');
  expect(run.steps).toEqual([]);
  await worker.stop();
});

test('a call that was under way when the worker was lost is made again with the same key', async () => {
  const keys: (string | undefined)[] = [];
  let isUp = false;
  sink.reply = ({ headers }) => {
    keys.push(headers['idempotency-key']);
    return isUp ? 204 : () => {};
  };
  await api.define('lost', [{ id: 'call', kind: 'fetch', url: sink.url('/lost'), method: 'POST' }]);
  const id = await api.trigger('lost');
  const first = await startWorker();
  await waitUntil(async () => (keys.length === 1 ? true : new Error('not called yet')), 30_000);
  // As if it had died: its lease belongs to nobody that breathes.
  await api.pool.query(
    `with gone as (delete from queue_leased where id = $1 returning *)
     insert into queue_ready (id, kind, lane, tag, environment_id) select id, kind, lane, 0, environment_id from gone`,
    [id],
  );
  isUp = true;
  const second = await startWorker();
  const run = await api.reaches(id, 'completed');
  expect(shape(run)).toEqual(['call:fetched']);
  expect(new Set(keys).size).toBe(1);
  sink.dropAll();
  await first.stop();
  await second.stop();
});
