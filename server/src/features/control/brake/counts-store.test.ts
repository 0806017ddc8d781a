import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/database.ts';
import { newId } from '../../../kernel/ids.ts';
import { type Demand, giveBack, listCounts, takeCounts, tidyBrakeCounts } from './counts-store.ts';
import { type ActiveRule, hashSubject, windows } from './rules.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  await database.pool.query('delete from brake_counts');
});
afterAll(() => database.drop());

const environmentId = newId();
const workerId = newId();
const leases = { workerId, ids: [] };
const minuteMs = 60_000;

function ruleOf(limit: number, window: ActiveRule['window'] = 'hour'): ActiveRule {
  return {
    ...{
      key: 'cap',
      name: 'Cap',
      scope: 'recipient',
      match: {},
      per_template: false,
      window,
      unit: 'messages',
    },
    ...{ limit, action: 'hold', hold_expires_hours: 72, includes_critical: false, is_enabled: true },
    workflowId: null,
  };
}

const demandOf = (rule: ActiveRule, amount: number, subject = 'ada'): Demand => ({
  ...{ environmentId, rule, subject, amount, at: Date.now() },
});

async function take(rule: ActiveRule, amount: number, subject?: string) {
  const [found] = await takeCounts(database.pool, [demandOf(rule, amount, subject)], leases);
  return found?.window ?? null;
}

/** Lets time pass for everything that is counted. */
async function age(seconds: number): Promise<void> {
  await database.pool.query(
    `update brake_counts set slot_at = slot_at - make_interval(secs => $1),
       past_slots = (select array_agg(s - make_interval(secs => $1) order by s) from unnest(past_slots) s)`,
    [seconds],
  );
}

async function totalOf(rule: ActiveRule, subject?: string): Promise<number | undefined> {
  const [found] = await listCounts(database.pool, [demandOf(rule, 0, subject)]);
  return found?.window.total;
}

test('a window adds up its slots, says when the first of them was, and forgets those before it', async () => {
  const rule = ruleOf(5);
  expect(await take(rule, 2)).toBeNull();
  await age(30 * 60);
  expect(await take(rule, 3)).toBeNull();
  await age(20 * 60);
  // 50 minutes after the first two, which count, and 20 after the other three.
  const over = await take(rule, 1);
  expect(over?.total).toBe(6);
  expect(Date.now() - (over?.first_at.getTime() ?? 0)).toBeGreaterThanOrEqual(50 * minuteMs);
  expect(Date.now() - (over?.first_at.getTime() ?? 0)).toBeLessThan(52 * minuteMs);
  expect(await totalOf(rule)).toBe(6);

  await age(12 * 60);
  expect(await totalOf(rule)).toBe(4);
  expect(await take(rule, 1)).toBeNull();
  await age(2 * 3_600);
  expect(await totalOf(rule)).toBe(0);
  expect(await take(rule, 5)).toBeNull();
  expect((await take(rule, 1))?.total).toBe(6);
});

test('the slot that the window begins in counts whole', async () => {
  const rule = ruleOf(0);
  const first = await take(rule, 1);
  await age(windows.hour.seconds);
  const second = await take(rule, 1);
  // Unless a new slot has begun meanwhile, and the window with it.
  const isSameSlot = first?.slot_at.getTime() === second?.slot_at.getTime();
  expect(second?.total).toBe(isSameSlot ? 2 : 1);
});

test('what is given back is taken from its slot, also when the slot has passed', async () => {
  const rule = ruleOf(3);
  const over = await take(rule, 5);
  expect(over?.total).toBe(5);
  const slot_at = over?.slot_at ?? new Date(0);
  await giveBack(database.pool, [{ demand: demandOf(rule, 5), slot_at, amount: 2 }], leases);
  expect(await totalOf(rule)).toBe(3);

  await age(10 * 60);
  const later = await take(rule, 4);
  expect(later?.total).toBe(7);
  const passed = new Date(slot_at.getTime() - 10 * minuteMs);
  await giveBack(database.pool, [{ demand: demandOf(rule, 0), slot_at: passed, amount: 1 }], leases);
  expect(await totalOf(rule)).toBe(6);
  // The two that are left of the first slot leave the window together.
  await age(51 * 60);
  expect(await totalOf(rule)).toBe(4);
});

test('a count by a clock that is behind adds to the newest slot, so it leaves the window later and not earlier', async () => {
  const rule = ruleOf(2);
  expect(await take(rule, 2)).toBeNull();
  await age(-2 * 60);
  const over = await take(rule, 1);
  expect(over?.total).toBe(3);
  expect(over?.slot_at.getTime()).toBeGreaterThan(Date.now());
});

test('a rule that gets a longer window keeps its counts, and one that gets a shorter window forgets the old ones', async () => {
  expect(await take(ruleOf(5, 'hour'), 2)).toBeNull();
  await age(40 * 60);
  expect((await take(ruleOf(2, 'day'), 1))?.total).toBe(3);
  await age(30 * 60);
  expect((await take(ruleOf(3, 'day'), 1))?.total).toBe(4);
  expect(await take(ruleOf(1, 'minute'), 0)).toBeNull();
});

test('amounts of any size that the API accepts are counted', async () => {
  const rule = ruleOf(1_000_000_000_000_000);
  for (let round = 1; round <= 4; round += 1) expect((await take(rule, 4e17))?.total).toBe(round * 4e17);
});

test('environments and rules with the same recipient have counts of their own', async () => {
  const other = newId();
  const rule = ruleOf(1);
  const theirs = ruleOf(10);
  const demands = [
    { ...demandOf(rule, 2, `${environmentId} cap ada`) },
    { ...demandOf(theirs, 3, `${other} cap ada`), environmentId: other },
  ];
  const totals = await takeCounts(database.pool, demands, leases);
  expect(totals.map(({ demand, window }) => [demand.environmentId, window.total])).toEqual(
    expect.arrayContaining([
      [environmentId, 2],
      [other, 3],
    ]),
  );
  const { rows } = await database.pool.query('select environment_id, amount::int from brake_counts');
  expect(rows).toHaveLength(2);
  expect(rows).toEqual(expect.arrayContaining([{ environment_id: other, amount: 3 }]));
});

test('tidying deletes the counts that no window reaches, and only those', async () => {
  for (const window of ['minute', 'hour', 'day'] as const) await take(ruleOf(9, window), 1, `old ${window}`);
  await age(3 * 3_600);
  await take(ruleOf(9, 'hour'), 1, 'new');
  await tidyBrakeCounts(database, () => false);
  const { rows } = await database.pool.query('select subject from brake_counts');
  expect(new Set(rows.map(({ subject }) => subject))).toEqual(new Set(['old day', 'new'].map(hashSubject)));
});
