import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/database.ts';
import { bundledThreads } from '../../../../test/harness/threads.ts';
import type { Carrier, Outcome } from '../../../channels/contract.ts';
import { createDoorbell, type Doorbell } from '../../../db/doorbell.ts';
import { createPool, type Pool, query, transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { newId } from '../../../kernel/ids.ts';
import { createLog } from '../../../kernel/log.ts';
import { createMetrics } from '../../../kernel/metrics.ts';
import { createQueue } from '../../../queue/index.ts';
import { forgetHealth } from './health-store.ts';
import { findHealth } from './statuses.ts';
import { createProviderHealthTracker, type ProviderHealthTracker } from './tracker.ts';

/** Several processes that watch one provider of one environment; here each is a watch with a pool of its own. */
let database: TestDatabase;
let doorbell: Doorbell;
let environmentId: string;
let workers: { pool: Pool; watch: ProviderHealthTracker }[];
let now: number;

const log = createLog('fatal');
const provider = newId();
const carrier: Carrier = {
  name: 'first',
  kind: 'smtp',
  idempotent: false,
  providerId: provider,
  send: () => Promise.reject(new Error('not called')),
};
const other: Carrier = { ...carrier, name: 'second', providerId: newId() };
const failure: Outcome = { kind: 'retry', detail: 'The server could not be reached.', code: 'lost' };
const success: Outcome = { kind: 'accepted', providerMessageId: null, detail: 'ok' };

beforeEach(async () => {
  database = await createTestDatabase();
  doorbell = createDoorbell(database.pool, database.url, log);
  now = Date.now();
  workers = Array.from({ length: 4 }, () => createWorker());
});
afterEach(async () => {
  await Promise.all(workers.map(({ pool }) => pool.end()));
  await doorbell.stop();
  await database.drop();
});

function createWorker() {
  const pool = createPool(database.url, 3);
  const metrics = createMetrics();
  const queue = createQueue({
    ...{ pool, claimPool: pool, database: database.url, doorbell, log, metrics },
    heartbeatEntry: bundledThreads().heartbeat,
  });
  const config = { CARILLON_RETRY_SCALE: 1 } as Deps['config'];
  return {
    pool,
    watch: createProviderHealthTracker({ pool, queue, clock: () => now, config, log, metrics }),
  };
}

async function createEnvironment(plan: string): Promise<void> {
  environmentId = newId();
  const organizationId = newId();
  await query(database.pool, 'insert into organizations (id, name, plan) values ($1, $2, $3)', [
    organizationId,
    'Acme',
    plan,
  ]);
  await query(
    database.pool,
    `insert into environments (id, organization_id, name, kind) values ($1, $2, 'Live', 'live')`,
    [environmentId, organizationId],
  );
  await query(
    database.pool,
    `insert into webhook_endpoints (id, environment_id, url, url_hash, status, event_filters, description, timeout_seconds, secrets, signing_secret_prefix)
     values ($1, $2, 'https://example.com/hooks', '\\x00', 'active', '{}', '', 10, '[]', 'whsec_ab')`,
    [newId(), environmentId],
  );
}

/** Each worker settles its share in batches, all of them at once, and judges in between. */
async function settle(messages: number, outcome: Outcome): Promise<void> {
  const batches = Math.ceil(messages / 100);
  let taken = 0;
  await Promise.all(
    workers.map(async ({ pool, watch }) => {
      for (let batch = taken++; batch < batches; batch = taken++) {
        const observations = Array.from({ length: Math.min(100, messages - batch * 100) }, () => {
          const call = { carrier, outcome, startedAt: now };
          return watch.observe(environmentId, [call], {}).observations;
        }).flat();
        await transaction(pool, (tx) => watch.record(tx, observations));
        await watch.recorded(observations);
        now += 500;
        await watch.tick();
      }
    }),
  );
  now += 2_000;
  for (const { watch } of workers) await watch.tick();
}

/** As if everything counted had happened a window earlier. */
async function letWindowPass(): Promise<void> {
  await query(database.pool, 'delete from provider_health_counts');
}

/** As if the provider had been demoted a while ago, so that what is sent now was sent after it; and everybody knows. */
async function letDemotionAge(): Promise<void> {
  await query(
    database.pool,
    `update provider_health set demoted_since = demoted_since - interval '1 minute'`,
  );
  for (const { watch } of workers) await watch.load([environmentId]);
}

interface Announced {
  [column: string]: unknown;
  type: string;
  id: string;
  data: Record<string, unknown>;
}
const announced = () =>
  query<Announced>(
    database.pool,
    `select id, type, body::json -> 'data' as data from webhook_events where type like 'provider.%' order by id`,
  );

const healthOf = async () => (await findHealth(database.pool, environmentId))(provider);
const orderFor = (worker: (typeof workers)[number], lane: 'critical' | 'normal' = 'normal') =>
  worker.watch.order(environmentId, [carrier, other], lane);

describe('an outage of ten thousand messages, with four workers racing', () => {
  test('is announced exactly once, and its end exactly once', { timeout: 60_000 }, async () => {
    await createEnvironment('pro');
    await settle(10_000, failure);
    const [critical, ...more] = await announced();
    expect(more).toEqual([]);
    expect(critical).toMatchObject({
      type: 'provider.critical',
      data: { provider: 'first', environment_id: environmentId, firing_since: expect.any(String) },
    });
    const [state] = await query<{ outage_id: string }>(
      database.pool,
      'select outage_id from provider_health',
    );
    expect(critical?.id).toBe(state?.outage_id);
    expect(await healthOf()).toMatchObject({
      status: 'outage',
      messages: 10_000,
      failed_messages: 10_000,
      failure_rate: 1,
      since: critical?.data.firing_since,
    });

    await letDemotionAge();
    await settle(500, success); // what gets through brings it back into its place …
    expect(await healthOf()).toMatchObject({ status: 'degraded', messages: 10_500 });
    expect(await announced()).toHaveLength(1);
    await letWindowPass();
    await settle(500, success); // … and the outage ends when the window says so
    const [, recovered, ...rest] = await announced();
    expect(rest).toEqual([]);
    expect(recovered).toMatchObject({
      type: 'provider.recovered',
      data: {
        provider: 'first',
        failed_messages: 0,
        failure_rate: 0,
        firing_since: critical?.data.firing_since,
      },
    });
    expect(await healthOf()).toMatchObject({ status: 'healthy', since: null });
  });

  test('that comes back is another one, with an event of its own', async () => {
    await createEnvironment('unmetered');
    await settle(100, failure);
    await letDemotionAge();
    await letWindowPass();
    await settle(100, success);
    await letWindowPass();
    await settle(100, failure);
    const events = await announced();
    expect(events.map(({ type }) => type)).toEqual([
      'provider.critical',
      'provider.recovered',
      'provider.critical',
    ]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(3);
  });

  test('is not announced to those on the free plan, who see it in the settings', async () => {
    await createEnvironment('free');
    await settle(100, failure);
    expect(await announced()).toEqual([]);
    expect(await healthOf()).toMatchObject({ status: 'outage', failure_rate: 1 });
  });

  test('is not what nineteen messages are', async () => {
    await createEnvironment('pro');
    await settle(19, failure);
    expect(await announced()).toEqual([]);
    expect(await healthOf()).toMatchObject({ status: 'healthy', messages: 19 });
  });

  test('is seen by a process that counted nothing, when the one that did has died', async () => {
    await createEnvironment('pro');
    const [dead, alive] = workers;
    const observations = Array.from(
      { length: 30 },
      () =>
        dead?.watch.observe(environmentId, [{ carrier, outcome: failure, startedAt: now }], {})
          .observations ?? [],
    ).flat();
    if (!dead) throw new Error('no workers');
    await transaction(dead.pool, (tx) => dead.watch.record(tx, observations));
    now += 60_000;
    await alive?.watch.tick();
    expect(await announced()).toHaveLength(1);
  });
});

describe('a provider in outage', () => {
  beforeEach(async () => {
    await createEnvironment('pro');
    await settle(100, failure);
    for (const { watch } of workers) await watch.load([environmentId]);
  });

  const isProbe = async (worker: (typeof workers)[number]) =>
    (await orderFor(worker)).reason?.verdict === 'probe';
  /** The time of the database, which hands out the probes, too. */
  async function letTimePass(ms: number): Promise<void> {
    now += ms;
    await query(database.pool, 'update provider_health set probe_at = probe_at - make_interval(secs => $1)', [
      ms / 1000,
    ]);
    for (const { watch } of workers) await watch.load([environmentId]);
  }

  test('is tried last, by all processes', async () => {
    for (const worker of workers) {
      const { carriers, reason } = await orderFor(worker);
      expect(carriers.map(({ name }) => name)).toEqual(['second', 'first']);
      expect(reason).toMatchObject({ verdict: 'tried_last', detail: expect.stringContaining('first') });
    }
  });

  test('is probed with one message at a time, whoever asks', async () => {
    await letTimePass(11_000);
    const asked = await Promise.all([...workers, ...workers].map(isProbe));
    expect(asked.filter(Boolean)).toHaveLength(1);
    expect(await Promise.all(workers.map(isProbe))).not.toContain(true);
    await letTimePass(11_000);
    const again = await Promise.all(workers.map(isProbe));
    expect(again.filter(Boolean)).toHaveLength(1);
  });

  test('is not probed with what is critical, unless nothing else comes by', async () => {
    const [worker] = workers;
    if (!worker) throw new Error('no workers');
    await letTimePass(11_000);
    expect((await orderFor(worker, 'critical')).reason?.verdict).toBe('tried_last');
    await letTimePass(60_000);
    expect((await orderFor(worker, 'critical')).reason?.verdict).toBe('probe');
  });

  test('is back in its place once a message got through that was sent after it fell', async () => {
    const [worker] = workers;
    if (!worker) throw new Error('no workers');
    const got = async (startedAt: number) => {
      const { observations } = worker.watch.observe(
        environmentId,
        [{ carrier, outcome: success, startedAt }],
        {},
      );
      await worker.watch.recorded(observations);
      await worker.watch.load([environmentId]);
      return (await orderFor(worker)).reason === null;
    };
    expect(await got(now - 3_600_000)).toBe(false);
    await letDemotionAge();
    expect(await got(now)).toBe(true);
  });

  test('that comes last anyway is not probed', async () => {
    const [worker] = workers;
    await letTimePass(11_000);
    expect(await worker?.watch.order(environmentId, [other, carrier], 'normal')).toEqual({
      carriers: [other, carrier],
      reason: null,
    });
  });

  test('that is the only one keeps its place', async () => {
    const [worker] = workers;
    expect(await worker?.watch.order(environmentId, [carrier], 'normal')).toEqual({
      carriers: [carrier],
      reason: null,
    });
  });
});

test('a provider that does not accept our credentials is tried last at once', async () => {
  await createEnvironment('pro');
  const [worker] = workers;
  if (!worker) throw new Error('no workers');
  const broken: Outcome = { kind: 'broken', detail: 'bad password', code: '535' };
  const { observations } = worker.watch.observe(
    environmentId,
    [{ carrier, outcome: broken, startedAt: now }],
    {},
  );
  await worker.watch.recorded(observations);
  await worker.watch.load([environmentId]);
  expect((await orderFor(worker)).carriers.map(({ name }) => name)).toEqual(['second', 'first']);
  expect(await announced()).toEqual([]);
  expect(await healthOf()).toMatchObject({ status: 'outage', messages: 0 });
});

test('saving the settings forgets providers that are gone, and gives the others a fresh chance', async () => {
  await createEnvironment('pro');
  await settle(100, failure);
  const [worker] = workers;
  if (!worker) throw new Error('no workers');
  const save = (kept: string[]) =>
    transaction(database.pool, (tx) => forgetHealth(tx, environmentId, [provider], kept));
  await save([provider]);
  await worker.watch.load([environmentId]);
  expect((await orderFor(worker)).reason).toBeNull();
  expect(await healthOf()).toMatchObject({ status: 'degraded', messages: 100 });
  await save([]);
  now += 60_000;
  await worker.watch.tick();
  expect(await announced()).toHaveLength(1);
  expect(await healthOf()).toMatchObject({ status: 'healthy', messages: 0 });
});

test('a message that is retried counts once, and as well once it got through', async () => {
  await createEnvironment('pro');
  const [worker] = workers;
  if (!worker) throw new Error('no workers');
  let counted = {};
  for (const outcome of [failure, failure, failure, success]) {
    const seen = worker.watch.observe(environmentId, [{ carrier, outcome, startedAt: now }], counted);
    counted = JSON.parse(JSON.stringify(seen.counted)); // it travels with the work
    await transaction(worker.pool, (tx) => worker.watch.record(tx, seen.observations));
    if (outcome === failure) expect(await healthOf()).toMatchObject({ messages: 1, failed_messages: 1 });
  }
  expect(await healthOf()).toMatchObject({ messages: 1, failed_messages: 0 });
});
