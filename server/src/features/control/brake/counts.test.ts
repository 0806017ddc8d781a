import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import type { Pool } from '../../../db/sql.ts';
import { newId } from '../../../kernel/ids.ts';
import { createBrake } from './brake.ts';
import { hashSubject, subjectsOf } from './rules.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const anHour = 3_600_000;

async function send(category: string): Promise<string> {
  const { body } = await app.request('POST', '/v1/notifications', {
    body: {
      ...{ channel: 'email', recipient: { address: 'delivered@sandbox.test' }, category },
      ...{ subject: 'Hello', text_body: 'Hi', send_at: new Date(Date.now() + anHour).toISOString() },
    },
  });
  return body.id;
}

/** Notifications to one address, leased by a worker that this test is. */
async function lease(category: string, workerId: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) ids.push(await send(category));
  await app.pool.query(
    `with moved as (delete from queue_later where id = any ($1) returning kind, id, lane, environment_id, note)
     insert into queue_leased (kind, id, lane, environment_id, note, worker_id) select *, $2::uuid from moved`,
    [ids, workerId],
  );
  await app.pool.query('update notifications set send_at = null where id = any ($1)', [ids]);
  return ids;
}

async function startWorker(): Promise<string> {
  const id = newId();
  await app.pool.query(`insert into workers (id, alive_until) values ($1, now() + interval '1 hour')`, [id]);
  return id;
}

const requestOf = (id: string, category: string) => ({
  input: {
    ...{ id, environment_id: app.testEnvironmentId, environment_kind: 'test' as const, category },
    ...{ channel: 'email' as const, priority: 'normal', address: 'delivered@sandbox.test' },
    ...{ external_user_id: null, template_key: null, source_id: null, chain: null, attachments: null },
    ...{ template_version_id: null, text_body: null },
  },
  ...{ at: Date.now(), hold: null, decision: null, isCounted: false },
});

/** The brake of a worker, to which the answers of these statements are lost once. */
async function brakeOf(workerId: string, lost: string[] = []) {
  const claimPool = new Proxy(app.deps.claimPool, {
    get(pool, name) {
      if (name !== 'query') return Reflect.get(pool, name).bind(pool);
      return async (config: { name: string; text: string }) => {
        const answer = await pool.query(config);
        const index = lost.indexOf(config.name);
        if (index < 0) return answer;
        lost.splice(index, 1);
        throw Object.assign(new Error('the connection broke'), { code: 'ECONNRESET' });
      };
    },
  }) as Pool;
  const { brakeStates: states } = app.services;
  await states.changed();
  await states.load(new Map([[app.testEnvironmentId, 'test']]));
  const deps = { ...app.deps, claimPool, queue: { workerId } };
  return createBrake({ ...deps, states, engagements: { engage() {} } });
}

async function limit(category: string, most: number, action: string, scope = 'recipient') {
  await app.request('POST', '/v1/preferences/categories', {
    body: { key: category, name: category, default_channels: ['email'] },
  });
  const rule = { scope, window: 'day', limit: most, match: { category }, action };
  const answer = await app.request('PUT', `/v1/brake/rules/${category}`, {
    body: { name: category, ...rule },
  });
  expect(answer).toMatchObject({ status: 201 });
  return answer.body;
}

test('a count stays with the notification when the worker dies, and another sends it; one over the limit is not marked', async () => {
  await limit('rescued', 2, 'suppress');
  const workerId = await startWorker();
  const ids = await lease('rescued', workerId, 3);
  const brake = await brakeOf(workerId);
  // Within the limit, then at the edge of it.
  const first = await brake.judge([requestOf(ids[0] ?? '', 'rescued')]);
  const rest = await brake.judge(ids.slice(1).map((id) => requestOf(id, 'rescued')));
  expect([...first, ...rest].map(([id, { kind }]) => [id, kind])).toEqual([
    [ids[0], 'pass'],
    [ids[1], 'pass'],
    [ids[2], 'suppress'],
  ]);
  const { rows } = await app.pool.query('select note from queue_leased where id = any ($1) order by id', [
    ids,
  ]);
  expect(rows.map(({ note }) => note)).toEqual([{ braked: true }, { braked: true }, null]);

  await app.pool.query('delete from workers where id = $1', [workerId]);
  const ended = await Promise.all(
    ids.map((id) => app.waitFor(id, ({ status }) => ['delivered', 'suppressed'].includes(status))),
  );
  expect(ended.map(({ status }) => status)).toEqual(['delivered', 'delivered', 'suppressed']);
});

test('a count that many wait for is asked again less and less often; that of a recipient when its window opens', async () => {
  const shared = await limit('shared', 1, 'delay', 'environment');
  const own = await limit('own', 1, 'delay');
  const brake = await brakeOf(newId());
  const slotMs = 1_440_000;
  const judged = async (rule: { key: string }, count: number, times?: number) => {
    const expires = Date.now() + 72 * anHour;
    const hold =
      times === undefined ? null : { hold: rule.key, since: 0, expires, delayed: true as const, times };
    const requests = Array.from({ length: count }, () => ({ ...requestOf(newId(), rule.key), hold }));
    return [...(await brake.judge(requests)).values()].flatMap((verdict) =>
      verdict.kind === 'hold' ? verdict : [],
    );
  };
  const spreadOf = (verdicts: { until: number }[]) => {
    const untils = verdicts.map(({ until }) => until);
    return Math.max(...untils) - Math.min(...untils);
  };
  expect(spreadOf(await judged(own, 20))).toBe(0);
  expect(spreadOf(await judged(own, 20, 9))).toBe(0);
  const first = await judged(shared, 20);
  expect(spreadOf(first)).toBeGreaterThan(0);
  expect(spreadOf(first)).toBeLessThan(slotMs);
  expect(first.every(({ note }) => note.times === 0)).toBe(true);
  const later = await judged(shared, 50, 9);
  expect(spreadOf(later)).toBeGreaterThan(10 * slotMs);
  expect(later.every(({ note, until }) => note.times === 10 && until <= note.expires)).toBe(true);
});

test('a count is not repeated when the answer of the database is lost', async () => {
  const rule = await limit('lost', 3, 'hold');
  const workerId = await startWorker();
  const ids = await lease('lost', workerId, 5);
  const brake = await brakeOf(workerId, ['brake_take', 'brake_give_back']);
  const first = await brake.judge(ids.slice(0, 2).map((id) => requestOf(id, 'lost')));
  expect([...first.values()].map(({ kind }) => kind)).toEqual(['pass', 'pass']);
  const rest = await brake.judge(ids.slice(2).map((id) => requestOf(id, 'lost')));
  expect([...rest.values()].map(({ kind }) => kind)).toEqual(['pass', 'hold', 'hold']);
  // The last batch was counted and what it could not send was given back, each once.
  const { rows } = await app.pool.query(
    'select sum(amount + past)::int as count from brake_counts where subject = $1',
    [subjectsOf({ ...rule, workflowId: null }, requestOf('', 'lost').input).map(hashSubject)[0]],
  );
  expect(rows).toEqual([{ count: 3 }]);
  await app.pool.query('delete from queue_leased where worker_id = $1', [workerId]);
});
