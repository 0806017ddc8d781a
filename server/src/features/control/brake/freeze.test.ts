import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp, waitUntil } from '../../../../test/harness/app.ts';
import { newId } from '../../../kernel/ids.ts';
import { createLog } from '../../../kernel/log.ts';
import { defaultRulesWith } from './rules.ts';
import { createBrakeStates } from './state.ts';

/** Two processes on one database: the one that is called, and a worker. */
let api: TestApp;
let worker: TestApp;
beforeAll(async () => {
  api = await startTestApp({ settings: { CARILLON_ROLES: 'api' } });
  worker = await startTestApp({ database: api.database });
});
afterAll(async () => {
  await worker.stop();
  await api.stop();
});

const numbers = Array.from({ length: 7 }, (_, index) => `+1500555010${index}`);

async function sendTexts(count: number, priority = 'normal'): Promise<string[]> {
  const notifications = Array.from({ length: count }, (_, index) => ({
    channel: 'sms',
    recipient: { address: numbers[index % numbers.length] },
    text_body: `Text ${index}`,
    priority,
  }));
  const ids: string[] = [];
  for (let from = 0; from < count; from += 500) {
    const body = { notifications: notifications.slice(from, from + 500) };
    const answer = await api.request('POST', '/v1/notifications/batch', { body });
    for (const { notification } of answer.body.data) ids.push(notification.id);
  }
  return ids;
}

/** How often each notification reached the sandbox. */
async function deliveries(): Promise<Map<string, number>> {
  const { rows } = await api.pool.query(
    'select notification_id as id, count(*)::int as count from sandbox_messages group by 1',
  );
  return new Map(rows.map(({ id, count }) => [id, count]));
}

const heldCount = async (hold: string): Promise<number> => {
  const { body } = await api.request('GET', '/v1/brake');
  return body.held.find((each: { hold: string }) => each.hold === hold)?.count ?? 0;
};

async function waitForCount(hold: string, count: number): Promise<void> {
  await waitUntil(async () => {
    const held = await heldCount(hold);
    return held === count ? held : new Error(`${held} are held`);
  }, 30_000);
}

describe('a script that sends hundreds of texts to seven numbers', () => {
  test('delivers the cap, and after a freeze from another process and a release everything arrives exactly once', {
    timeout: 60_000,
  }, async () => {
    const limit = 20;
    const rule = { name: 'Cap', scope: 'recipient', window: 'hour', limit, match: { channel: 'sms' } };
    expect(await api.request('PUT', '/v1/brake/rules/cap', { body: rule })).toMatchObject({ status: 201 });
    await waitUntil(async () => {
      // The worker has read nothing about the environment yet, or has it in its cache: both end within a second.
      const { rows } = await api.pool.query('select count(*)::int as count from brake_rules');
      return rows[0].count === 1 ? true : new Error('no rule');
    });
    const ids = await sendTexts(700);
    await waitForCount('cap', 700 - numbers.length * limit);
    expect([...(await deliveries()).values()].reduce((sum, count) => sum + count, 0)).toBe(
      numbers.length * limit,
    );

    const began = Date.now();
    const frozen = await api.request('POST', '/v1/brake/freeze', {
      body: { channel: 'sms', reason: 'A loop' },
    });
    expect(frozen).toMatchObject({
      status: 201,
      body: { channel: 'sms', hold: 'freeze:sms', reason: 'A loop' },
    });
    const again = await api.request('POST', '/v1/brake/freeze', { body: { channel: 'sms' } });
    expect(again).toMatchObject({
      status: 200,
      body: { frozen_at: frozen.body.frozen_at, reason: 'A loop' },
    });
    await waitUntil(async () => {
      const state = worker.services.brake.judgeFreeze(requestFor(worker));
      return state ?? new Error('the worker does not know of the freeze');
    }, 2_000);
    expect(Date.now() - began).toBeLessThan(2_000);

    // What a release sends meanwhile is held by the freeze; critical notifications pass.
    const [critical = ''] = await sendTexts(1, 'critical');
    await waitUntil(async () => (await deliveries()).get(critical) ?? new Error('not delivered'));
    const released = await api.request('POST', '/v1/brake/holds/cap/release', {
      body: { action: 'release' },
    });
    expect(released.body).toMatchObject({ status: 'running', total: 560 });
    await waitForCount('freeze:sms', 560);
    expect((await deliveries()).size).toBe(numbers.length * limit + 1);
    expect(
      await api.request('POST', '/v1/brake/holds/freeze:sms/release', { body: { action: 'release' } }),
    ).toMatchObject({ status: 409, body: { error: { code: 'brake_frozen' } } });

    const unfreeze = () => api.request('POST', '/v1/brake/unfreeze', { body: { channel: 'sms' } });
    const answers = await Promise.all([unfreeze(), unfreeze()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 404]);
    await waitUntil(async () => {
      const { size } = await deliveries();
      return size === ids.length + 1 ? size : new Error(`${size} are delivered`);
    }, 60_000);
    expect(new Set((await deliveries()).values())).toEqual(new Set([1]));
    expect(await heldCount('freeze:sms')).toBe(0);
    expect(await heldCount('cap')).toBe(0);
  });

  test('what is being cancelled is not released, neither by an unfreeze nor by a release', async () => {
    await api.request('POST', '/v1/brake/freeze', { body: { channel: 'in_app' } });
    const ids = ['freeze:in_app', 'some_rule'].map((hold) => ({ id: newId(), hold }));
    for (const { id, hold } of ids)
      await api.pool.query(
        `insert into brake_releases (id, environment_id, hold, action, status, total, held_before, started_at)
         values ($1, $2, $3, 'cancel', 'running', 1000, now(), now())`,
        [id, api.testEnvironmentId, hold],
      );
    const unfreeze = () => api.request('POST', '/v1/brake/unfreeze', { body: { channel: 'in_app' } });
    const release = () =>
      api.request('POST', '/v1/brake/holds/some_rule/release', { body: { action: 'release' } });
    for (const answer of [await unfreeze(), await release()])
      expect(answer).toMatchObject({ status: 409, body: { error: { code: 'brake_cancelling' } } });
    for (const { id } of ids) await api.request('POST', `/v1/brake/releases/${id}/stop`);
    expect(await unfreeze()).toMatchObject({ status: 202 });
    expect(await release()).toMatchObject({ status: 404 });
  });

  test('a freeze of one channel leaves the others alone', async () => {
    await api.request('POST', '/v1/brake/freeze', { body: { channel: 'email' } });
    const [id = ''] = await sendTexts(1);
    await waitUntil(async () => (await deliveries()).get(id) ?? (await isCapped(id)) ?? new Error('waiting'));
    await api.request('POST', '/v1/brake/unfreeze', { body: { channel: 'email' } });
  });
});

/** The numbers have had their texts for this hour. */
async function isCapped(id: string): Promise<true | null> {
  const { body } = await api.request('GET', `/v1/notifications/${id}/trace`);
  return body.summary.includes('The rule cap') ? true : null;
}

/** A text of the environment, as the dispatch job asks the brake about it. */
function requestFor({ testEnvironmentId }: TestApp) {
  return {
    input: {
      id: '01890000-0000-7000-8000-000000000000',
      environment_id: testEnvironmentId,
      environment_kind: 'test' as const,
      channel: 'sms' as const,
      priority: 'normal',
      ...{ address: '+15005550100', external_user_id: null, category: null, template_key: null },
      ...{ source_id: null, chain: null, attachments: null, template_version_id: null, text_body: null },
    },
    at: Date.now(),
    hold: null,
    decision: null,
    isCounted: false,
  };
}

test('many changes at once cause few reads of the rules, and each sees its own', async () => {
  let reads = 0;
  const pool = new Proxy(api.pool, {
    get(target, name) {
      if (name === 'query') reads += 1;
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const doorbell = { ring() {}, on: () => () => {}, stop: async () => {} };
  const states = createBrakeStates({ pool, doorbell, log: createLog('silent') }, defaultRulesWith(0));
  await states.load(new Map([[api.liveEnvironmentId, 'live']]));
  reads = 0;
  const freeze = (channel: string) =>
    api.request('POST', '/v1/brake/freeze', { body: { channel }, key: api.liveKey });
  await Promise.all(
    ['email', 'sms', 'in_app', 'chatone', 'chattwo', 'chatthree'].map(async (channel) => {
      await freeze(channel);
      await Promise.all(Array.from({ length: 10 }, () => states.changed()));
      const frozen = states.get(api.liveEnvironmentId)?.freezes.map((each) => each.channel);
      expect(frozen).toContain(channel);
    }),
  );
  expect(reads).toBeLessThanOrEqual(12);
});
