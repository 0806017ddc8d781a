import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../../../../test/harness/app.ts';
import { shape, startWorkflows, type Workflows } from './test-harness.ts';

let app: Workflows;
let other: Workflows;
beforeAll(async () => {
  app = await startWorkflows();
  // A second process: what must hold between processes is raced between them.
  other = await startWorkflows({ database: app.database });
  await app.define('order', [
    {
      id: 'payment',
      kind: 'wait_for_event',
      event: 'paid',
      match: { order_id: '{{ trigger.order_id }}' },
      timeout: '3d',
      on_timeout: 'late',
      next: 'done',
    },
    { id: 'late', kind: 'noop', next: 'end' },
    { id: 'done', kind: 'branch', branches: [{ when: 'event.amount > 100', goto: 'large' }], else: 'end' },
    { id: 'large', kind: 'noop' },
  ]);
});
afterAll(async () => {
  await other.stop();
  await app.stop();
});

const start = async (data: object, key = 'order'): Promise<string> => {
  const id = await app.trigger(key, data);
  await app.reaches(id, 'waiting');
  return id;
};

/** The clock of the database says that the wait is over. */
const timeOut = (id: string) =>
  app.pool.query(
    `with s as (update runs set state = jsonb_set(state::jsonb, '{pending,until}', '1')::json where id = $1)
     update queue_later set run_at = now() where id = $1`,
    [id],
  );

describe('an event', () => {
  test('wakes the runs whose match fits, and its data is theirs', async () => {
    const one = await start({ order_id: 'A1' });
    const two = await start({ order_id: 'A2' });
    expect(await app.post('order', 'paid', { order_id: 'A1', amount: 500 })).toBe(1);
    const run = await app.reaches(one, 'completed');
    expect(shape(run)).toEqual(['payment:event_received', 'done:branched', 'large:noop']);
    expect(JSON.parse(run.steps[0].output_json)).toEqual({ order_id: 'A1', amount: 500 });
    expect((await app.run(two)).status).toBe('waiting');
    expect(await app.post('order', 'paid', { order_id: 'A2', amount: 1 })).toBe(1);
    await app.reaches(two, 'completed');
  });

  test('that nobody can look back for is forgotten when the last run has heard it', async () => {
    const id = await start({ order_id: 'spent' });
    expect(await app.post('order', 'paid', { order_id: 'spent', amount: 1 })).toBe(1);
    await app.reaches(id, 'completed');
    const { rows } = await app.pool.query(
      `select data from workflow_events where data ->> 'order_id' = 'spent'`,
    );
    expect(rows).toEqual([]);
  });

  test('posted twice wakes once', async () => {
    const id = await start({ order_id: 'twice' });
    const counts = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        (index % 2 ? app : other).post('order', 'paid', { order_id: 'twice', amount: 1 }),
      ),
    );
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1);
    expect(
      shape(await app.reaches(id, 'completed')).filter((step) => step.startsWith('payment')),
    ).toHaveLength(1);
  });

  test('of another name, with other values or to nobody wakes nobody', async () => {
    const id = await start({ order_id: '7' });
    expect(await app.post('order', 'refunded', { order_id: '7' })).toBe(0);
    expect(await app.post('order', 'paid', { order_id: 7, amount: 1 })).toBe(0); // a number is not its text
    expect(await app.post('order', 'paid', {})).toBe(0);
    expect(await app.post('order', 'paid', { order_id: ['7'] })).toBe(0);
    expect(await app.post('order', 'paid', { order: { id: '7' } })).toBe(0);
    expect(await app.post('no_such_workflow', 'paid', { order_id: '7' })).toBe(0);
    expect((await app.run(id)).status).toBe('waiting');
    expect(await app.postToRun(id, 'paid', { order_id: 'other' })).toBe(0);
    expect(await app.postToRun(id, 'paid', { order_id: '7', amount: 0 })).toBe(1);
    await app.reaches(id, 'completed');
    expect(await app.postToRun(id, 'paid', { order_id: '7' })).toBe(0); // it has ended
  });

  test('to one run leaves others with the same values alone', async () => {
    const one = await start({ order_id: 'same' });
    const two = await start({ order_id: 'same' });
    expect(await app.postToRun(one, 'paid', { order_id: 'same', amount: 1 })).toBe(1);
    await app.reaches(one, 'completed');
    expect((await app.run(two)).status).toBe('waiting');
    expect(await app.post('order', 'paid', { order_id: 'same', amount: 1 })).toBe(1);
    await app.reaches(two, 'completed');
  });

  test('matches lists, nested values and numbers by what they are', async () => {
    await app.define('deep', [
      {
        id: 'wait',
        kind: 'wait_for_event',
        event: 'seen',
        match: { 'cart.items': '{{ trigger.items }}', 'cart.total': '{{ trigger.total }}' },
      },
    ]);
    const id = await start({ items: [{ sku: 'A', n: 1 }], total: 5 }, 'deep');
    expect(await app.post('deep', 'seen', { cart: { items: [{ sku: 'A' }], total: 5 } })).toBe(0);
    expect(await app.post('deep', 'seen', { cart: { items: [{ n: 1, sku: 'A' }], total: '5' } })).toBe(0);
    expect(await app.post('deep', 'seen', { cart: { items: [{ n: 1.0, sku: 'A' }], total: 5 } })).toBe(1);
    await app.reaches(id, 'completed');
  });

  test.each<[string, unknown, string | null]>([
    ['no name', { event_data: {} }, 'event_name'],
    ['an empty name', { event_name: '', event_data: {} }, 'event_name'],
    ['a name that is a number', { event_name: 5, event_data: {} }, 'event_name'],
    ['no data', { event_name: 'paid' }, 'event_data'],
    ['data that is a list', { event_name: 'paid', event_data: [] }, 'event_data'],
    ['too much data', { event_name: 'paid', event_data: { x: 'x'.repeat(70_000) } }, 'event_data'],
  ])('with %s is refused', async (_name, body, param) => {
    const id = '01890000-0000-7000-8000-000000000000';
    for (const path of ['/v1/workflows/order/events', `/v1/workflows/runs/${id}/events`]) {
      const answer = await app.request('POST', path, { body });
      expect([answer.status, answer.body.error.param]).toEqual([400, param]);
    }
  });

  test('for a run that has ended wakes nobody and is not kept', async () => {
    await app.define('ended', [{ id: 'wait', kind: 'wait_for_event', event: 'over', lookback: true }]);
    const id = await start({}, 'ended');
    expect(await app.postToRun(id, 'over')).toBe(1);
    await app.reaches(id, 'completed');
    expect(await app.postToRun(id, 'over', { again: true })).toBe(0);
    const { rows } = await app.pool.query(`select data from workflow_events where name = 'over'`);
    expect(rows).toEqual([{ data: {} }]);
  });

  test('for a run that does not exist is 404', async () => {
    const body = { event_name: 'paid', event_data: {} };
    for (const id of ['01890000-0000-7000-8000-000000000000', 'nonsense']) {
      expect((await app.request('POST', `/v1/workflows/runs/${id}/events`, { body })).status).toBe(404);
    }
  });

  test('wakes a thousand runs at once, and counts them', async () => {
    const ids: string[] = [];
    for (let wave = 0; wave < 20; wave += 1) {
      const started = Array.from({ length: 50 }, () => app.trigger('order', { order_id: 'crowd' }));
      ids.push(...(await Promise.all(started)));
    }
    const allReach = (status: string) =>
      waitUntil(async () => {
        const { rows } = await app.pool.query(
          'select status, count(*)::int from runs where id = any ($1) group by status',
          [ids],
        );
        return (rows.length === 1 && rows[0].status === status) || new Error(JSON.stringify(rows));
      }, 30_000);
    await allReach('waiting');
    expect(await app.post('order', 'paid', { order_id: 'crowd', amount: 1 })).toBe(1_000);
    await allReach('completed');
  }, 60_000);
});

describe('a timeout', () => {
  test('goes on at on_timeout, and the event that comes later wakes nobody', async () => {
    const id = await start({ order_id: 'slow' });
    await timeOut(id);
    expect(shape(await app.reaches(id, 'completed'))).toEqual(['payment:timed_out', 'late:noop']);
    expect(await app.post('order', 'paid', { order_id: 'slow', amount: 1 })).toBe(0);
  });

  test('and an event at the same instant: exactly one of them wins', async () => {
    const won = { event: 0, timeout: 0 };
    for (let round = 0; round < 20; round += 1) {
      const id = await start({ order_id: `race-${round}` });
      const [, count] = await Promise.all([
        timeOut(id),
        app.post('order', 'paid', { order_id: `race-${round}`, amount: 1 }),
      ]);
      const run = await app.reaches(id, 'completed');
      const payments = shape(run).filter((step) => step.startsWith('payment'));
      expect(payments).toEqual([count === 1 ? 'payment:event_received' : 'payment:timed_out']);
      won[count === 1 ? 'event' : 'timeout'] += 1;
    }
    expect(won.event + won.timeout).toBe(20);
  }, 60_000);

  test('that is being worked on when the event comes is told apart by the same rule', async () => {
    // The work of the timeout is ready before the event is posted, so workers and the event race for the row.
    for (let round = 0; round < 20; round += 1) {
      const id = await start({ order_id: `tight-${round}` });
      await timeOut(id);
      app.deps.queue.ring('run');
      const count = await other.post('order', 'paid', { order_id: `tight-${round}`, amount: 1 });
      const run = await app.reaches(id, 'completed');
      expect(shape(run)[0]).toBe(count === 1 ? 'payment:event_received' : 'payment:timed_out');
    }
  }, 60_000);
});

describe('lookback', () => {
  const steps = (lookback: boolean) => [
    { id: 'before', kind: 'wait_for_event', event: 'begin' },
    {
      id: 'payment',
      kind: 'wait_for_event',
      event: 'paid',
      match: { id: '{{ trigger.id }}' },
      lookback,
      timeout: '1d',
    },
    { id: 'done', kind: 'noop' },
  ];
  beforeAll(async () => {
    await app.define('looks_back', steps(true));
    await app.define('looks_on', steps(false));
  });

  test('finds an event that came after the trigger and before the wait', async () => {
    const id = await start({ id: 'x1' }, 'looks_back');
    expect(await app.post('looks_back', 'paid', { id: 'x1', n: 1 })).toBe(0);
    expect(await app.postToRun(id, 'begin')).toBe(1);
    const run = await app.reaches(id, 'completed');
    expect(JSON.parse(run.steps[1].output_json)).toEqual({ id: 'x1', n: 1 });
  });

  test('does not find one from before the trigger, of another value or to another run', async () => {
    expect(await app.post('looks_back', 'paid', { id: 'x2' })).toBe(0);
    const id = await start({ id: 'x2' }, 'looks_back');
    const neighbour = await start({ id: 'x2' }, 'looks_back');
    await app.post('looks_back', 'paid', { id: 'x3' });
    await app.postToRun(neighbour, 'paid', { id: 'x2' });
    await app.postToRun(id, 'begin');
    const run = await app.runUntil(id, ({ current_step_id }) => current_step_id === 'payment');
    expect(run.status).toBe('waiting');
    await app.postToRun(neighbour, 'begin');
    await app.reaches(neighbour, 'completed');
    expect(await app.post('looks_back', 'paid', { id: 'x2' })).toBe(1);
    await app.reaches(id, 'completed');
  });

  test('is off unless the step asks for it', async () => {
    const id = await start({ id: 'x4' }, 'looks_on');
    await app.post('looks_on', 'paid', { id: 'x4' });
    await app.postToRun(id, 'begin');
    await app.runUntil(id, (run) => run.current_step_id === 'payment' && run.status === 'waiting');
    await app.request('POST', `/v1/workflows/runs/${id}/cancel`);
  });

  test('gives the same event to a run once, however often it waits', async () => {
    await app.define('twice', [
      { id: 'begin', kind: 'wait_for_event', event: 'begin' },
      { id: 'wait', kind: 'wait_for_event', event: 'tick', lookback: true, next: 'wait' },
    ]);
    const id = await start({}, 'twice');
    for (let n = 1; n <= 3; n += 1) await app.post('twice', 'tick', { n });
    await app.postToRun(id, 'begin');
    const run = await app.runUntil(id, ({ status, steps }) => status === 'waiting' && steps.length === 5);
    const heard = run.steps
      .slice(1, 4)
      .map((step: { output_json: string }) => JSON.parse(step.output_json).n);
    expect(heard).toEqual([1, 2, 3]);
    await app.request('POST', `/v1/workflows/runs/${id}/cancel`);
  });

  test('and an event never wait for each other: a run that begins to wait asks for the event lock first', async () => {
    await app.define('reminds', [
      { id: 'wait', kind: 'wait_for_event', event: 'bell', lookback: true, timeout: '1d', next: 'wait' },
    ]);
    const id = await start({}, 'reminds');
    const event = await app.pool.connect();
    try {
      await event.query('begin');
      const { rows } = await event.query(
        `select pg_advisory_xact_lock(('x' || left(encode(wait_key, 'hex'), 16))::bit(64)::bigint)
         from run_waits where run_id = $1`,
        [id],
      );
      expect(rows).toHaveLength(1);
      await timeOut(id);
      await waitUntil(async () => {
        const { rows: waiting } = await app.pool.query(
          `select from pg_locks where locktype = 'advisory' and not granted
             and database = (select oid from pg_database where datname = current_database())`,
        );
        return waiting.length > 0 ? true : new Error('nobody asks for the lock');
      }, 30_000);
      // The run has timed out and is about to wait again. Held now, its row would be what both wait for.
      await event.query('select from run_waits where run_id = $1 for update nowait', [id]);
    } finally {
      await event.query('rollback');
      event.release();
    }
    await app.runUntil(id, ({ status, steps }) => status === 'waiting' && steps.length === 2);
    await app.request('POST', `/v1/workflows/runs/${id}/cancel`);
  });

  test('looks a week back, and not into what is about to be deleted', async () => {
    const id = await start({ id: 'old' }, 'looks_back');
    await app.post('looks_back', 'paid', { id: 'old' });
    await app.pool.query(`update runs set triggered_at = now() - interval '30 days' where id = $1`, [id]);
    await app.pool.query(
      `update workflow_events set arrived_at = now() - interval '7 days 1 minute' where data ->> 'id' = 'old'`,
    );
    await app.postToRun(id, 'begin');
    await app.runUntil(id, (run) => run.current_step_id === 'payment' && run.status === 'waiting');
    await app.request('POST', `/v1/workflows/runs/${id}/cancel`);
  });

  test('loses no event that comes in the very instant in which the run begins to wait', async () => {
    for (let round = 0; round < 20; round += 1) {
      const id = await start({ id: `instant-${round}` }, 'looks_back');
      await Promise.all([
        app.postToRun(id, 'begin'),
        other.post('looks_back', 'paid', { id: `instant-${round}` }),
      ]);
      expect(shape(await app.reaches(id, 'completed'))).toEqual([
        'before:event_received',
        'payment:event_received',
        'done:noop',
      ]);
    }
  }, 60_000);
});
