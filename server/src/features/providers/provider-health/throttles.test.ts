import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../../../../test/harness/app.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/database.ts';
import { createDoorbell, type Doorbell } from '../../../db/doorbell.ts';
import type { Sql } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { newId } from '../../../kernel/ids.ts';
import { createLog } from '../../../kernel/log.ts';
import { findProviderStatuses } from './statuses.ts';
import {
  askedThrottleMs,
  createThrottles,
  deleteOldThrottles,
  insertThrottles,
  longestThrottleMs,
  mergeThrottles,
  type Throttles,
} from './throttles.ts';

let database: TestDatabase;
const doorbells: Doorbell[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  for (const doorbell of doorbells) await doorbell.stop();
  await database.drop();
});

/** One process's knowledge of pauses. */
function createProcess(retryScale = 1): Throttles {
  const log = createLog('fatal');
  const doorbell = createDoorbell(database.pool, database.url, log);
  doorbells.push(doorbell);
  const config = { CARILLON_RETRY_SCALE: retryScale } as Deps['config'];
  const throttles = createThrottles({ pool: database.pool, clock: Date.now, doorbell, config, log });
  throttles.listen();
  return throttles;
}

/** By the database's clock, to the second: from when it was asked for to when it ends. */
async function lengthOf(environmentId: string, pace = 'email:a'): Promise<number> {
  const { rows } = await database.pool.query(
    `select round(extract(epoch from paused_until - paused_at))::int as seconds from provider_pauses
     where environment_id = $1 and pace = $2`,
    [environmentId, pace],
  );
  return rows[0]?.seconds;
}

/** As if everything had happened so much earlier. */
async function letPass(environmentId: string, ms: number): Promise<void> {
  await database.pool.query(
    `update provider_pauses set paused_at = paused_at - make_interval(secs => $2), paused_until = paused_until - make_interval(secs => $2)
     where environment_id = $1`,
    [environmentId, ms / 1000],
  );
}

describe('a pause', () => {
  test('is kept when the old ones are swept away while it is written', async () => {
    const pause = {
      environment_id: newId(),
      pace: 'email:a',
      asked_ms: 60_000,
      own_ms: 1_000,
      call_ms: 5,
      lifted: false,
    };
    const sweeping: Sql = {
      async query(config) {
        await deleteOldThrottles(database.pool);
        return database.pool.query(config);
      },
    };
    expect(await insertThrottles(sweeping, [pause])).toHaveLength(1);
    expect(await lengthOf(pause.environment_id)).toBe(60);
  });

  test('is shown as that of the provider who asked for it, and of nobody else', async () => {
    const [environment, provider] = [newId(), newId()];
    await createProcess().throttle(environment, 'email:resend:hash', 600_000, Date.now(), provider);
    await createProcess().throttle(environment, `sms:smsone:${provider}`, 300_000, Date.now());
    const { throttledUntil: pausedUntil } = await findProviderStatuses(database.pool, environment);
    expect(pausedUntil('email', provider)?.getTime()).toBeGreaterThan(Date.now() + 400_000);
    expect(pausedUntil('sms', provider)?.getTime()).toBeLessThan(Date.now() + 400_000);
    expect(pausedUntil('email', newId())).toBeNull();
    expect(pausedUntil('chattwo', provider)).toBeNull();
    expect((await findProviderStatuses(database.pool, newId())).throttledUntil('email', provider)).toBeNull();
  });

  test('holds in every process, which hears of it without asking', async () => {
    const [one, two] = [createProcess(), createProcess()];
    const environment = newId();
    expect(one.until(environment, 'email:a')).toBe(0);
    const end = await one.throttle(environment, 'email:a', 600_000, Date.now());
    expect(end).toBeGreaterThan(Date.now());
    expect(one.until(environment, 'email:a')).toBe(end);
    await waitUntil(async () => two.until(environment, 'email:a') || new Error('not heard'), 20_000);
    expect(await lengthOf(environment)).toBe(600);
  });

  test('is of its environment and its pace alone', async () => {
    const pauses = createProcess();
    const environment = newId();
    await pauses.throttle(environment, 'email:a', 30_000, Date.now());
    expect(pauses.until(environment, 'email:b')).toBe(0);
    expect(pauses.until(newId(), 'email:a')).toBe(0);
  });

  test('is known with the next batch to a process that heard nothing', async () => {
    const environment = newId();
    await createProcess().throttle(environment, 'email:a', 600_000, Date.now());
    const late = createProcess();
    await late.load([environment]);
    expect(late.until(environment, 'email:a')).toBeGreaterThan(0);
  });

  test('only ever gets longer', async () => {
    const pauses = createProcess();
    const environment = newId();
    const startedAt = Date.now() - 60_000; // all three calls were under way together
    await pauses.throttle(environment, 'email:a', 600_000, startedAt);
    await pauses.throttle(environment, 'email:a', 5_000, startedAt);
    expect(await lengthOf(environment)).toBe(600);
    await pauses.throttle(environment, 'email:a', 1_800_000, startedAt);
    expect(await lengthOf(environment)).toBeGreaterThanOrEqual(1_800);
  });
});

describe('without a word about how long', () => {
  test('pauses double up to a minute, as long as nothing gets through', async () => {
    const pauses = createProcess();
    const environment = newId();
    const lengths: number[] = [];
    for (let strike = 0; strike < 8; strike += 1) {
      await pauses.throttle(environment, 'email:a', null, Date.now());
      lengths.push(await lengthOf(environment));
      await letPass(environment, 120_000);
    }
    expect(lengths).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  });

  test('the first pause after something got through is short again', async () => {
    const pauses = createProcess(0.01);
    const environment = newId();
    for (let strike = 0; strike < 3; strike += 1) {
      await pauses.throttle(environment, 'email:a', null, Date.now());
      await letPass(environment, 120_000);
    }
    await waitUntil(async () => pauses.until(environment, 'email:a') === 0 || new Error('still paused'));
    pauses.lift(environment, 'email:a');
    await pauses.throttle(environment, 'email:a', null, Date.now());
    const { rows } = await database.pool.query(
      'select strikes from provider_pauses where environment_id = $1',
      [environment],
    );
    expect(rows).toEqual([{ strikes: 1 }]);
  });

  test('calls that were under way together are one strike', async () => {
    const pauses = createProcess();
    const environment = newId();
    const startedAt = Date.now() - 60_000;
    await pauses.throttle(environment, 'email:a', null, startedAt);
    for (let call = 0; call < 5; call += 1) await pauses.throttle(environment, 'email:a', null, startedAt);
    expect(await lengthOf(environment)).toBe(1);
  });
});

describe('what a provider asks for', () => {
  test.each([
    [30_000, 30_000],
    [7 * 86_400_000, longestThrottleMs],
    [Number.POSITIVE_INFINITY, longestThrottleMs],
    [-5_000, null],
    [0, null],
    [Number.NaN, null],
    [null, null],
  ])('%s is taken as %s', (asked, taken) => {
    expect(askedThrottleMs(asked)).toBe(taken);
  });

  test('in one batch becomes one wish for each pace: the longest', () => {
    const pause = {
      environment_id: 'e',
      pace: 'a',
      asked_ms: null,
      own_ms: 1_000,
      call_ms: 50,
      lifted: false,
    };
    expect(
      mergeThrottles([
        pause,
        { ...pause, asked_ms: 7_000, call_ms: 90 },
        { ...pause, asked_ms: 3_000 },
        { ...pause, pace: 'b' },
      ]),
    ).toEqual([
      { ...pause, asked_ms: 7_000 },
      { ...pause, pace: 'b' },
    ]);
  });
});
