import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../../../../test/harness/app.ts';
import { startWebhookSink, type WebhookSink } from '../../../../test/simulators/webhook-sink.ts';
import { workKinds } from '../../../queue/index.ts';
import { startWorkflows, type Workflows } from '../../workflows/runs/test-harness.ts';

let app: Workflows;
let other: Workflows;
let sink: WebhookSink;
beforeAll(async () => {
  app = await startWorkflows();
  other = await startWorkflows({ database: app.database });
  sink = await startWebhookSink();
  await app.define('report', [{ id: 'only', kind: 'noop' }]);
  await app.define('strict', [{ id: 'only', kind: 'noop' }], {
    type: 'object',
    properties: { external_user_id: { pattern: '^user' } },
  });
  await app.request('POST', '/v1/topics', { body: { key: 'news', name: 'News' } });
  const readers = { 'news-east': 'Asia/Tokyo', 'news-west': 'America/Los_Angeles' };
  for (const [id, timezone] of Object.entries(readers))
    await app.request('PUT', `/v1/users/${id}`, { body: { email: `${id}@example.com`, timezone } });
  await app.request('POST', '/v1/topics/news/subscribers', {
    body: { external_user_ids: Object.keys(readers) },
  });
});
afterAll(async () => {
  await sink.stop();
  await other.stop();
  await app.stop();
});

type Body = Awaited<ReturnType<Workflows['request']>>['body'];

let count = 0;
const newKey = (): string => `schedule_${++count}`;
const daily = { cron: '0 9 * * *', timezone: 'Europe/Rome' };
const report = { kind: 'workflow', workflow_key: 'report' };
const news = {
  name: 'News',
  channels: ['email'],
  audience: { topic: 'news' },
  subject: 'News',
  text_body: 'Hello',
};
const broadcast = (fields: object) => ({ kind: 'broadcast', broadcast: { ...news, ...fields } });
const toNews = broadcast({});

async function create(fields: object = {}, status = 201): Promise<Body> {
  const body = { key: newKey(), name: 'Report', target: report, ...daily, ...fields };
  const answer = await app.request('POST', '/v1/schedules', { body });
  expect([answer.status, answer.body]).toEqual([status, expect.anything()]);
  return answer.body;
}

const post = (path: string, body?: unknown) => app.request('POST', `/v1/schedules/${path}`, { body });
const get = async (key: string): Promise<Body> => (await app.request('GET', `/v1/schedules/${key}`)).body;
const history = async (key: string): Promise<Body[]> =>
  (await app.request('GET', `/v1/schedules/${key}/runs`)).body.data;

/** Moves the timer of a schedule to a slot, as if the clocks had come that far. */
async function moveTo(key: string, slot: Date): Promise<void> {
  const { rows } = await app.pool.query(
    "update schedules set next_slot = $2, active_since = '2020-01-01' where key = $1 returning timer_id",
    [key, slot],
  );
  await app.pool.query('update queue_later set run_at = now() where id = $1', [rows[0].timer_id]);
}

/** The last full minute, which matches any schedule with `* * * * *`. */
const thisMinute = (): Date => new Date(Math.floor(Date.now() / 60_000) * 60_000);

async function runsOf(key: string): Promise<{ external_user_id: string | null; trigger_data: Body }[]> {
  const { rows } = await app.pool.query(
    "select external_user_id, trigger_data from runs where trigger_data ->> 'of' = $1 order by external_user_id",
    [key],
  );
  return rows;
}

async function settled(key: string, length = 1): Promise<Body[]> {
  return waitUntil(async () => {
    const runs = await history(key);
    const isSettled = runs.length >= length && runs.every(({ status }) => status !== 'running');
    return isSettled ? runs : new Error(JSON.stringify(runs));
  });
}

describe('a schedule', () => {
  test('answers with its next ten runs, on the clocks of its time zone', async () => {
    const made = await create({ rule: { every: 'week', on: ['friday', 'monday'], at: '09:30' }, cron: null });
    expect(made).toMatchObject({ status: 'active', cron: '30 9 * * 1,5', timezone: 'Europe/Rome' });
    expect(made.next_runs).toHaveLength(10);
    for (const { at, local_time } of made.next_runs) {
      expect(local_time).toMatch(/T09:30:00\+0[12]:00$/);
      expect(Date.parse(local_time)).toBe(Date.parse(at));
    }
    expect(made.next_run_at).toBe(made.next_runs[0].at);
    expect(await get(made.key)).toEqual(made);
  });

  test('is listed with its stored next run: a list reads no cron expression', async () => {
    const made = [await create(), await create({ per_recipient_timezone: true, target: toNews })];
    const keys = made.map(({ key }) => key).reverse();
    await app.pool.query("update schedules set cron = 'unreadable' where key = any ($1)", [keys]);
    const { body } = await app.request('GET', '/v1/schedules?limit=2');
    expect(body.data.map((row: Body) => [row.key, row.next_run_at])).toEqual(
      made.map(({ key, next_runs }) => [key, next_runs[0].at]).reverse(),
    );
    for (const key of keys) await app.request('DELETE', `/v1/schedules/${key}`);
  });

  test('can be listed, replaced and deleted, and each change is in the audit log', async () => {
    const { key, id } = await create();
    const listed = await app.request('GET', '/v1/schedules?limit=1');
    expect(listed.body.data[0].key).toBe(key);
    const replaced = await app.request('PUT', `/v1/schedules/${key}`, {
      body: { name: 'Later', target: report, cron: '0 10 * * *' },
    });
    expect(replaced.body).toMatchObject({
      name: 'Later',
      cron: '0 10 * * *',
      timezone: 'UTC',
      missed_runs: 'skip',
    });
    expect((await app.request('DELETE', `/v1/schedules/${key}`)).status).toBe(204);
    expect((await app.request('GET', `/v1/schedules/${key}`)).status).toBe(404);
    const { body } = await app.request('GET', `/v1/audit-log?target=schedule:${id}`);
    expect(body.data.map(({ action }: Body) => action)).toEqual([
      'schedule.deleted',
      'schedule.updated',
      'schedule.created',
    ]);
    const { rows } = await app.pool.query(
      'select 1 from queue_later where kind = $1 and id not in (select timer_id from schedules)',
      [workKinds.schedule],
    );
    expect(rows).toEqual([]);
  });

  test('of another environment cannot be seen or changed', async () => {
    const { key } = await create();
    for (const [method, path] of [
      ['GET', key],
      ['DELETE', key],
      ['POST', `${key}/pause`],
      ['POST', `${key}/run`],
      ['GET', `${key}/runs`],
    ] as const)
      expect((await app.request(method, `/v1/schedules/${path}`, { key: app.liveKey })).status).toBe(404);
  });

  test('can be previewed before it is saved', async () => {
    const { status, body } = await post('preview', { cron: '0 9 * * 1', timezone: 'America/New_York' });
    expect([status, body.next_runs.length]).toEqual([200, 10]);
  });

  test.each<[string, object, string]>([
    ['a cron that never fires', { cron: '0 0 30 2 *' }, 'cron'],
    ['a cron without a date in the next ten years', { cron: '0 0 29 2 +MON' }, 'cron'],
    ['a cron with seconds', { cron: '* * * * * *' }, 'cron'],
    ['a cron of four fields', { cron: '* * * *' }, 'cron'],
    ['a cron that cannot be read', { cron: '61 * * * *' }, 'cron'],
    ['a time in place of a cron', { cron: '2026-01-01T00:00:00' }, 'cron'],
    ['neither cron nor rule', { cron: null }, 'cron'],
    ['both cron and rule', { rule: { every: 'day', at: '09:00' } }, 'rule'],
    ['a weekly rule without days', { cron: null, rule: { every: 'week', at: '09:00' } }, 'rule.on'],
    ['days in a daily rule', { cron: null, rule: { every: 'day', at: '09:00', on: ['monday'] } }, 'rule.on'],
    ['a time that no clock shows', { cron: null, rule: { every: 'day', at: '24:00' } }, 'rule.at'],
    ['a time zone that does not exist', { timezone: 'Europe/Atlantis' }, 'timezone'],
    ['an offset as time zone', { timezone: '+02:00' }, 'timezone'],
    ['an end in the past', { ends_at: '2020-01-01T00:00:00Z' }, 'ends_at'],
    [
      'an end before the start',
      { starts_at: '2030-01-02T00:00:00Z', ends_at: '2030-01-01T00:00:00Z' },
      'ends_at',
    ],
    [
      'a workflow that does not exist',
      { target: { kind: 'workflow', workflow_key: 'none' } },
      'target.workflow_key',
    ],
    [
      'too much trigger data',
      { target: { ...report, trigger_data: { x: 'x'.repeat(70_000) } } },
      'target.trigger_data',
    ],
    [
      'everyone without confirm',
      { target: { ...report, audience: { all: true } } },
      'target.audience.confirm',
    ],
    ['an empty audience', { target: { ...report, audience: {} } }, 'target.audience'],
    [
      'two audiences',
      { target: { ...report, audience: { users: ['a'], topic: 'news' } } },
      'target.audience',
    ],
    [
      'a topic that does not exist',
      { target: { ...report, audience: { topic: 'none' } } },
      'target.audience',
    ],
    [
      'a filter of a time zone that does not exist',
      { target: { ...report, audience: { filter: { timezones: ['Europe/Atlantis'] } } } },
      'target.audience.filter.timezones[0]',
    ],
    ['a workflow without its key', { target: { kind: 'workflow' } }, 'target.workflow_key'],
    ['a workflow with a broadcast', { target: { ...report, broadcast: news } }, 'target.broadcast'],
    ['a broadcast without its definition', { target: { kind: 'broadcast' } }, 'target.broadcast'],
    ['a broadcast with trigger data', { target: { ...toNews, trigger_data: {} } }, 'target.trigger_data'],
    ['a broadcast without channels', { target: broadcast({ channels: [] }) }, 'target.broadcast.channels'],
    ['a broadcast without an audience', { target: broadcast({ audience: {} }) }, 'target.broadcast.audience'],
    [
      'a broadcast to everyone without confirm',
      { target: broadcast({ audience: { all: true } }) },
      'target.broadcast.audience.confirm',
    ],
    [
      'a template that does not exist',
      { target: broadcast({ template_key: 'none' }) },
      'target.broadcast.template_key',
    ],
    [
      'a time of the broadcast itself',
      { target: broadcast({ send_at: '2030-01-01T00:00:00Z' }) },
      'target.broadcast.send_at',
    ],
    [
      'a broadcast that is too long',
      { target: broadcast({ text_body: 'x'.repeat(70_000) }) },
      'target.broadcast',
    ],
    [
      'an unknown condition of the audience',
      {
        target: {
          kind: 'workflow',
          workflow_key: 'digest',
          audience: { all: true, confirm: true, plan: 'pro' },
        },
      },
      'target.audience.plan',
    ],
    ['time zones of nobody', { per_recipient_timezone: true }, 'per_recipient_timezone'],
    ['a policy that does not exist', { missed_runs: 'all' }, 'missed_runs'],
  ])('is refused with %s', async (_, fields, param) => {
    const { error } = await create(fields, 400);
    expect(error.param).toBe(param);
  });

  test('with a key that is taken is refused', async () => {
    const { key } = await create();
    expect((await create({ key }, 409)).error.code).toBe('duplicate_key');
  });
});

describe('a slot', () => {
  test('triggers the workflow once, though two processes and a repeated timer want to', async () => {
    const made = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const key = newKey();
        await create({ key, cron: '* * * * *', target: { ...report, trigger_data: { of: key } } });
        return key;
      }),
    );
    await Promise.all(made.map((key) => moveTo(key, thisMinute())));
    for (const key of made) {
      const [run] = await settled(key);
      expect(run).toMatchObject({ status: 'completed', started_count: 1, is_manual: false });
      expect((await app.run(run.run_id)).trigger_data).toEqual({ of: key });
    }
    // The same slot comes up again, as after a restore of an older timer.
    for (const key of made) await moveTo(key, new Date((await history(key)).at(-1).slot));
    await Promise.all(
      made.map((key) =>
        waitUntil(async () => {
          const { rows } = await app.pool.query(
            'select next_slot > now() as is_ahead from schedules where key = $1',
            [key],
          );
          return rows[0].is_ahead ? true : new Error('the timer is still due');
        }),
      ),
    );
    for (const key of made) {
      const slots = (await settled(key)).map(({ slot }) => slot);
      expect(new Set(slots).size).toBe(slots.length);
      expect(await runsOf(key)).toHaveLength(slots.length);
    }
  });

  test('that was missed is skipped or made up for once, and endpoints are told', async () => {
    await app.request('POST', '/v1/webhook-endpoints', {
      body: { url: sink.url('/missed'), event_filters: ['schedule.missed'] },
    });
    const [skipping, late] = [newKey(), newKey()];
    // Hourly, half an hour ago for the last time.
    const lastSlot = new Date(thisMinute().getTime() - 30 * 60_000);
    const firstSlot = new Date(lastSlot.getTime() - 2 * 3_600_000);
    const hourly = { cron: `${lastSlot.getUTCMinutes()} * * * *`, timezone: 'UTC' };
    await create({ key: skipping, ...hourly, target: { ...report, trigger_data: { of: skipping } } });
    await create({
      key: late,
      ...hourly,
      missed_runs: 'run_once',
      target: { ...report, trigger_data: { of: late } },
    });
    await moveTo(skipping, firstSlot);
    await moveTo(late, firstSlot);
    expect(await settled(skipping)).toMatchObject([{ status: 'missed', missed_count: 3, started_count: 0 }]);
    expect(await settled(late)).toMatchObject([{ status: 'completed', missed_count: 3, started_count: 1 }]);
    expect(await runsOf(skipping)).toHaveLength(0);
    expect(await runsOf(late)).toHaveLength(1);
    const told = await waitUntil(async () => {
      const bodies = sink.received.map(({ body }) => body.data);
      return bodies.length === 2 ? bodies : new Error(`${bodies.length} events`);
    });
    expect(told.find(({ schedule_key }) => schedule_key === skipping)).toEqual({
      schedule_id: expect.any(String),
      schedule_key: skipping,
      reason: 'late',
      detail: null,
      missed_count: 3,
      first_slot: firstSlot.toISOString(),
      last_slot: lastSlot.toISOString(),
      run_late: false,
    });
    expect(told.find(({ schedule_key }) => schedule_key === late).run_late).toBe(true);
  });

  test('whose workflow is disabled fails with the reason, and the next slot is kept', async () => {
    await app.define('gone', [{ id: 'only', kind: 'noop' }]);
    const { key } = await create({ cron: '* * * * *', target: { kind: 'workflow', workflow_key: 'gone' } });
    await app.request('DELETE', '/v1/workflows/gone');
    await moveTo(key, thisMinute());
    expect((await settled(key))[0]).toMatchObject({
      status: 'failed',
      failure_reason: 'No such active workflow. (resource_not_found)',
    });
    expect((await get(key)).status).toBe('active');
  });

  test('is the last one when ends_at has passed', async () => {
    const { key } = await create({
      cron: '* * * * *',
      target: { ...report, trigger_data: { of: 'ending' } },
    });
    await app.pool.query('update schedules set ends_at = now() where key = $1', [key]);
    await moveTo(key, thisMinute());
    await settled(key);
    expect(await get(key)).toMatchObject({ status: 'ended', next_run_at: null, next_runs: [] });
  });
});

describe('pause, resume and run now', () => {
  test('a paused schedule does not run, even if a worker holds its timer; a resumed one goes on from now', async () => {
    const key = newKey();
    await create({ key, target: { ...report, trigger_data: { of: key } } });
    const paused = await Promise.all([post(`${key}/pause`), post(`${key}/pause`)]);
    expect(paused.map(({ status, body }) => [status, body.status, body.next_runs])).toEqual([
      [200, 'paused', []],
      [200, 'paused', []],
    ]);
    const resumed = await post(`${key}/resume`);
    expect([resumed.body.status, resumed.body.next_runs.length]).toEqual(['active', 10]);
    expect(await history(key)).toEqual([]);
  });

  test('run now with the same Idempotency-Key starts one run, even twice at the same time', async () => {
    const { key } = await create();
    const run = (schedule: string, name: string) =>
      app.request('POST', `/v1/schedules/${schedule}/run`, { headers: { 'idempotency-key': name } });
    const answers = await Promise.all([run(key, 'once'), run(key, 'once'), run(key, 'once')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 202]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect((await run(key, 'again')).status).toBe(202);
    expect((await run((await create()).key, 'once')).status).toBe(202);
    expect(await settled(key, 2)).toHaveLength(2);
    expect((await run(key, '\u00e9')).body.error.param).toBe('Idempotency-Key');
  });

  test('run now starts a run beside the slots, also while paused', async () => {
    const key = newKey();
    await create({ key, target: { ...report, trigger_data: { of: key } } });
    await post(`${key}/pause`);
    const { status, body } = await post(`${key}/run`);
    expect([status, body.status, body.is_manual]).toEqual([202, 'running', true]);
    expect(await settled(key)).toMatchObject([{ id: body.id, status: 'completed', started_count: 1 }]);
    expect(await runsOf(key)).toHaveLength(1);
  });
});

describe('an audience', () => {
  test('by topic or filter is that of a broadcast, read when the schedule runs', async () => {
    for (const audience of [
      { topic: 'news' },
      { filter: { topics_any: ['news'], timezones: ['Asia/Tokyo'] } },
    ]) {
      const key = newKey();
      await create({ key, target: { ...report, trigger_data: { of: key }, audience } });
      await post(`${key}/run`);
      await settled(key);
      const members = (await runsOf(key)).map(({ external_user_id }) => external_user_id);
      expect(members).toEqual(audience.topic ? ['news-east', 'news-west'] : ['news-east']);
    }
  });

  test('gets one run for each member, in slices that a lost worker repeats without sending twice', async () => {
    const key = newKey();
    const users = Array.from({ length: 1_000 }, (_, index) => `user-${index}`);
    await create({ key, target: { ...report, trigger_data: { of: key }, audience: { users } } });
    await post(`${key}/run`);
    expect(await settled(key)).toMatchObject([{ started_count: 1_000, skipped_count: 0 }]);
    const runs = await runsOf(key);
    expect(new Set(runs.map(({ external_user_id }) => external_user_id))).toEqual(new Set(users));
    expect(runs).toHaveLength(1_000);
    expect(runs[0]?.trigger_data).toEqual({ of: key, external_user_id: runs[0]?.external_user_id });
  });

  test('of everyone is every stored user, and members whose data does not fit are skipped', async () => {
    for (const id of ['user-a', 'user-b', 'stranger'])
      await app.request('PUT', `/v1/users/${id}`, { body: { name: id } });
    const key = newKey();
    const target = { kind: 'workflow', workflow_key: 'strict', trigger_data: { of: key } };
    await create({ key, target: { ...target, audience: { all: true, confirm: true } } });
    await post(`${key}/run`);
    expect(await settled(key)).toMatchObject([{ status: 'completed', started_count: 2, skipped_count: 3 }]);
  });

  test('per recipient gets the run at the same local time in every zone', async () => {
    const zones = { west: 'America/Los_Angeles', east: 'Asia/Tokyo', here: null };
    for (const [id, timezone] of Object.entries(zones))
      await app.request('PUT', `/v1/users/${id}`, { body: { timezone } });
    const key = newKey();
    const made = await create({
      key,
      timezone: 'Europe/Rome',
      per_recipient_timezone: true,
      starts_at: new Date(Date.now() + 3 * 86_400_000).toISOString(),
      target: { ...report, trigger_data: { of: key }, audience: { users: Object.keys(zones) } },
    });
    expect(made.next_runs[0].local_time).toMatch(/T09:00:00/);
    // The slot of 09:00 on a day for which it is still early everywhere: its runs begin later, each at its own time.
    const date = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10);
    const slot = new Date(Date.parse(`${date}T09:00:00Z`) - 14 * 3_600_000);
    const { rows: timers } = await app.pool.query('select id, environment_id from schedules where key = $1', [
      key,
    ]);
    const definition = {
      target: made.target,
      timezone: 'Europe/Rome',
      perRecipient: true,
      notBefore: null,
      notAfter: null,
      runsLate: false,
    };
    const { rows } = await app.pool.query(
      `insert into schedule_runs (id, environment_id, schedule_id, slot, is_manual, status, definition)
       values (gen_random_uuid(), $1, $2, $3, false, 'running', $4) returning id`,
      [timers[0].environment_id, timers[0].id, slot, definition],
    );
    await app.deps.queue.enqueue(app.pool, [
      { kind: 'schedule', id: rows[0].id, lane: 'normal', environmentId: timers[0].environment_id },
    ]);
    await settled(key);
    const { rows: waiting } = await app.pool.query(
      `select r.external_user_id, l.run_at from runs r join queue_later l on l.id = r.id where r.trigger_data ->> 'of' = $1`,
      [key],
    );
    const hourIn = (zone: string, at: Date) =>
      new Intl.DateTimeFormat('en-CA', {
        timeZone: zone,
        dateStyle: 'short',
        timeStyle: 'short',
        hourCycle: 'h23',
      }).format(at);
    expect(
      Object.fromEntries(
        waiting.map(({ external_user_id: id, run_at }) => [
          id,
          hourIn(zones[id as keyof typeof zones] ?? 'Europe/Rome', run_at),
        ]),
      ),
    ).toEqual({ west: `${date}, 09:00`, east: `${date}, 09:00`, here: `${date}, 09:00` });
  });

  test('forgets a person who is erased', async () => {
    const { key } = await create({ target: { ...report, audience: { users: ['erin', 'frank'] } } });
    const about = await create({ target: { ...report, trigger_data: { external_user_id: 'erin' } } });
    await app.request('PUT', '/v1/users/erin', { body: { email: 'erin@example.com' } });
    await app.request('DELETE', '/v1/users/erin');
    await waitUntil(async () => {
      const { target } = await get(key);
      return target.audience.users.join() === 'frank' ? true : new Error(JSON.stringify(target));
    });
    expect(await get(about.key)).toMatchObject({ status: 'paused', target: { trigger_data: {} } });
  });
});

describe('a broadcast', () => {
  const broadcastOf = async (id: string): Promise<Body> =>
    waitUntil(async () => {
      const { body } = await app.request('GET', `/v1/broadcasts/${id}`);
      return body.progress?.started_at ? body : new Error(JSON.stringify(body));
    });

  test('is started once by each slot, and its definition is kept as it was given', async () => {
    const made = await create({ cron: '* * * * *', target: toNews });
    expect(made.target).toEqual(toNews);
    await moveTo(made.key, thisMinute());
    const [run] = await settled(made.key);
    expect(run).toMatchObject({ status: 'completed', started_count: 1, run_id: null });
    expect(await broadcastOf(run.broadcast_id)).toMatchObject({ name: 'News', send_at_local: null });
    await moveTo(made.key, new Date(run.slot));
    await waitUntil(async () => {
      const { rows } = await app.pool.query(
        'select next_slot > now() as is_ahead from schedules where key = $1',
        [made.key],
      );
      return rows[0].is_ahead || new Error('the timer is still due');
    });
    const runs = await settled(made.key);
    expect(new Set(runs.map(({ slot }) => slot)).size).toBe(runs.length);
  });

  test('per recipient moves its next run on when that has passed in its own zone, and starts nothing', async () => {
    const { key, next_run_at } = await create({ per_recipient_timezone: true, target: toNews });
    const nextSlot = new Date(Date.parse(next_run_at) + 86_400_000);
    await app.pool.query("update schedules set next_run_at = now() - interval '1 minute' where key = $1", [
      key,
    ]);
    await moveTo(key, nextSlot);
    await waitUntil(async () => (await get(key)).next_run_at === next_run_at || new Error('not moved on'));
    const { rows } = await app.pool.query(
      `select s.next_slot, q.run_at from schedules s join queue_later q on q.id = s.timer_id where s.key = $1`,
      [key],
    );
    expect(rows).toEqual([{ next_slot: nextSlot, run_at: new Date(next_run_at) }]);
    expect(await history(key)).toEqual([]);
  });

  test('per recipient leaves the time zones to the broadcast, and those whose time has passed out', async () => {
    const { key } = await create({ per_recipient_timezone: true, target: toNews });
    // The slot of a local time at which it is past in Tokyo and still to come in Los Angeles.
    const local = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000);
    const cron = `0 ${local.getUTCHours()} * * *`;
    await app.pool.query('update schedules set cron = $2 where key = $1', [key, cron]);
    await moveTo(key, new Date(local.getTime() - 14 * 3_600_000));
    const [run] = await settled(key);
    const started = await broadcastOf(run.broadcast_id);
    expect(started).toMatchObject({
      send_at_local: local.toISOString().slice(0, 16),
      timezone: 'Europe/Rome',
    });
    const sends = await waitUntil(async () => {
      const { rows } = await app.pool.query(
        'select external_user_id, send_at from notifications where broadcast_id = $1',
        [run.broadcast_id],
      );
      return rows.length > 0 ? rows : new Error('no notifications');
    });
    expect(sends.map(({ external_user_id }) => external_user_id)).toEqual(['news-west']);
    expect(sends[0].send_at.getTime()).toBeGreaterThan(local.getTime() + 6 * 3_600_000);
  });

  test('whose template was deleted is not started: the slot fails with the reason, and the schedule goes on', async () => {
    const bodies = [{ channel: 'email', subject_template: 'News', text_template: 'Hello' }];
    await app.request('POST', '/v1/templates', { body: { key: 'short_lived', name: 'Short', bodies } });
    const { subject: _, text_body: __, ...fields } = news;
    const { key } = await create({
      target: { kind: 'broadcast', broadcast: { ...fields, template_key: 'short_lived' } },
    });
    expect((await app.request('DELETE', '/v1/templates/short_lived')).status).toBe(204);
    await post(`${key}/run`);
    const [run] = await settled(key);
    expect(run).toMatchObject({ status: 'failed', broadcast_id: null });
    expect(run.failure_reason).toContain('(template_not_found)');
    expect((await get(key)).status).toBe('active');
  });

  test('is simulated by a dry run as of each slot', async () => {
    const { key } = await create({ target: toNews });
    const { status, body } = await post(`${key}/simulate`, { now: '2030-03-27T12:00:00Z' });
    expect([status, body.runs]).toMatchObject([
      200,
      [{ at: '2030-03-28T08:00:00.000Z', run: null, broadcast: { count: 2, would_send: 2 } }],
    ]);
    const personal = await create({ target: toNews, per_recipient_timezone: true });
    const simulated = await post(`${personal.key}/simulate`, { now: '2030-03-27T12:00:00Z' });
    const times = simulated.body.runs[0].broadcast.samples.map(({ send_at }: Body) => send_at);
    expect(times).toContain('2030-03-28T16:00:00.000Z');
  });
});

test.each([
  ['workflow', report, ['workflows:trigger'], [403, 403, 403, 403, 200]],
  ['broadcast', toNews, ['broadcasts:write', 'broadcasts:read'], [403, 403, 403, 403, 403]],
])('a schedule of a %s requires the scope that starts one', async (_kind, target, own, refused) => {
  const { key } = await create({ target });
  await post(`${key}/pause`);
  const narrow = ['schedules:read', 'schedules:write'];
  const statuses = async (scopes: string[]) => {
    const { body } = await app.request('POST', '/v1/api-keys', { body: { name: 'Schedules', scopes } });
    const call = async (method: 'POST' | 'PUT', path: string, fields?: object) =>
      (
        await app.request(method, `/v1/schedules${path}`, {
          key: body.key,
          body: fields && { name: 'News', target, ...daily, ...fields },
        })
      ).status;
    return [
      await call('POST', '', { key: newKey() }),
      await call('PUT', `/${key}`, {}),
      await call('POST', `/${key}/run`),
      await call('POST', `/${key}/resume`),
      await call('POST', `/${key}/simulate`),
      await call('POST', `/${key}/pause`),
    ];
  };
  expect(await statuses(narrow)).toEqual([...refused, 200]);
  expect((await get(key)).status).toBe('paused');
  expect(await statuses([...narrow, ...own])).toEqual([201, 200, 202, 200, 200, 200]);
});

test('a schedule runs on the virtual clock, with the simulated runs of its slots', async () => {
  await app.define('morning', [
    { id: 'rest', kind: 'delay', duration: '2h' },
    { id: 'done', kind: 'noop' },
  ]);
  const { key } = await create({
    target: { kind: 'workflow', workflow_key: 'morning', trigger_data: { a: 1 } },
  });
  const { status, body } = await post(`${key}/simulate`, { now: '2026-03-27T12:00:00Z', runs: 2 });
  expect(status).toBe(200);
  const wrong = await app.request('POST', '/v1/workflows/morning/versions/1/simulate', {
    body: { trigger_data: {}, recipient_timezone: 'Europe/Atlantis' },
  });
  expect([wrong.status, wrong.body.error?.param]).toEqual([400, 'recipient_timezone']);
  expect(
    body.runs.map(({ local_time, run }: Body) => [local_time, run.status, run.steps[1].started_at]),
  ).toEqual([
    ['2026-03-28T09:00:00+01:00', 'completed', '2026-03-28T10:00:00.000Z'],
    ['2026-03-29T09:00:00+02:00', 'completed', '2026-03-29T09:00:00.000Z'],
  ]);
});
