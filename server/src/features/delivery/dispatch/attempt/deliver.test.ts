import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitUntil } from '../../../../../test/harness/app.ts';
import { createTestDatabase, type TestDatabase } from '../../../../../test/harness/database.ts';
import type { Carrier, Channel } from '../../../../channels/contract.ts';
import { createDoorbell, type Doorbell } from '../../../../db/doorbell.ts';
import type { Deps } from '../../../../deps.ts';
import { newId } from '../../../../kernel/ids.ts';
import { createLog } from '../../../../kernel/log.ts';
import { createThrottles, type Throttles } from '../../../providers/provider-health/index.ts';
import { throttlesOn } from './deliver.ts';
import type { Throttled } from './round.ts';

let database: TestDatabase;
const doorbells: Doorbell[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  for (const doorbell of doorbells) await doorbell.stop();
  await database.drop();
});

function createProcess(): Throttles {
  const log = createLog('fatal');
  const doorbell = createDoorbell(database.pool, database.url, log);
  doorbells.push(doorbell);
  const config = { CARILLON_RETRY_SCALE: 1 } as Deps['config'];
  const throttles = createThrottles({ pool: database.pool, clock: Date.now, doorbell, config, log });
  throttles.listen();
  return throttles;
}

const carrier = (more: Partial<Carrier> = {}): Carrier => ({
  name: 'a',
  kind: 'test',
  idempotent: false,
  send: () => Promise.reject(new Error('nothing is sent here')),
  ...more,
});
const slowDown: Throttled = { kind: 'throttled', detail: 'slow down', code: '429', retryAfterMs: 600_000 };

/** Tells who is paused in another environment and another process, once a carrier has been told to slow down. */
async function seenElsewhere(channel: Channel, mine: Carrier, outcome: Throttled) {
  const paces = throttlesOn(createProcess(), newId(), channel);
  expect(await paces.throttle(mine, outcome, Date.now())).toBe(paces.until(mine));
  const other = createProcess();
  const environment = newId();
  await other.load([environment]);
  return (its: Carrier, itsChannel = channel): boolean =>
    throttlesOn(other, environment, itsChannel).until(its) > 0;
}

test('what a provider of an environment asks for holds in that environment alone', async () => {
  const isPaused = await seenElsewhere('email', carrier({ rateLimitKey: 'own' }), slowDown);
  expect(isPaused(carrier({ rateLimitKey: 'own' }))).toBe(false);
});

test('what the provider of the operator asks for holds for all who share it', async () => {
  const managed = carrier({ rateLimitKey: 'managed', isShared: true });
  const isPaused = await seenElsewhere('sms', managed, slowDown);
  expect(isPaused(managed)).toBe(true);
  expect(isPaused(carrier({ rateLimitKey: 'managed' }))).toBe(false);
  expect(isPaused(managed, 'email')).toBe(false);
});

test('what a service asks of everybody who calls from here holds for all who call it', async () => {
  const one = createProcess(); // it is there already, and hears of it
  const environment = newId();
  const host = 'chat.example';
  const isPaused = await seenElsewhere('chatthree', carrier({ rateLimitKey: 'endpoint-1', host }), {
    ...slowDown,
    isForAll: true,
  });
  expect(isPaused(carrier({ rateLimitKey: 'endpoint-2', host }))).toBe(true);
  expect(isPaused(carrier({ rateLimitKey: 'endpoint-2', host: 'chat-of-a-tenant.example' }))).toBe(false);
  expect(isPaused(carrier({ rateLimitKey: 'endpoint-2', host }), 'chattwo')).toBe(false);
  await waitUntil(
    async () =>
      throttlesOn(one, environment, 'chatthree').until(carrier({ host })) > 0 || new Error('not heard'),
    20_000,
  );
});
