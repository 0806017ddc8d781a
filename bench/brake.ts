// What rules of the brake cost a notification from its request to its send: accepted and drained with rules against none, in one run.
import { query } from '../server/src/db/sql.ts';
import { startDatabase } from './harness/database.ts';
import { postRequests, runLoad } from './harness/load.ts';
import { message } from './harness/message.ts';
import { createReport } from './harness/report.ts';
import { type Service, startService, testKey } from './harness/service.ts';
import type { Drained } from './harness/stopwatch.ts';

const brief = process.argv.includes('--brief');
const pairs = brief ? 1 : 50;
/** Accepted or drained with or without rules, before the other state has its turn. */
const turn = brief ? 2_000 : 4_000;
/** Of what is drained in a turn, this much passes while the worker learns of the change. */
const warmUp = brief ? 500 : 800;
const connections = 64;
/** Each has counts of its own, and most are written to once or twice: the rows of a real day, not one row that all sends share. */
const recipients = 50_000;

const rules = {
  per_recipient: { scope: 'recipient', window: 'hour', limit: 1_000_000 },
  per_environment: { scope: 'environment', window: 'day', limit: 1_000_000_000 },
};

const report = createReport('brake');
const database = await startDatabase();
let sent = 0;
function nextRequest(): string {
  sent += 1;
  const address = `delivered+${sent % recipients}@sandbox.test`;
  return postRequests('/v1/notifications', testKey, { ...message, recipient: { address } })();
}

let api: Service | undefined;
let worker: Service | undefined;
try {
  api = await startService('accept-variant.ts', database, { BENCH_VARIANT: 'real', CARILLON_ROLES: 'api' });
  await accept(api);
  const accepted = await inTurns(api, accept);
  worker = await startService('counted-worker.ts', database, {
    CARILLON_ROLES: 'worker',
    BENCH_WARM_UP: String(warmUp),
    BENCH_COUNT: String(turn - warmUp),
  });
  const { said } = worker;
  await setRules(api, false);
  await said();
  const drained = await inTurns(api, async () => (await said<Drained>()).perSecond);
  await checkCounts(pairs * turn);

  report.quartiles('accepted, without rules', accepted.off, 'notifications/s');
  report.quartiles('accepted, with rules', accepted.on, 'notifications/s');
  report.quartiles('drained, without rules', drained.off, 'notifications/s');
  report.quartiles('drained, with rules', drained.on, 'notifications/s');
  const times = { accepted: timesOf(accepted), drained: timesOf(drained) };
  report.line(`\naccepted, with / without: ${(times.accepted.off / times.accepted.on).toFixed(2)}`);
  report.line(`drained, with / without: ${(times.drained.off / times.drained.on).toFixed(2)}`);
  // Accepting and sending share the processors, so the time that a notification costs is the sum of both.
  const off = times.accepted.off + times.drained.off;
  const on = times.accepted.on + times.drained.on;
  report.close(off / on, { op: '>=', figure: 0.95 });
} finally {
  await worker?.stop();
  await api?.stop();
  await database.stop();
}

interface Turns {
  off: number[];
  on: number[];
}

/** Measures with and without rules in turns; which of them comes first alternates. */
async function inTurns(service: Service, measure: (service: Service) => Promise<number>): Promise<Turns> {
  const found: Turns = { off: [], on: [] };
  for (let pair = 0; pair < pairs; pair += 1) {
    for (const state of pair % 2 === 0 ? (['off', 'on'] as const) : (['on', 'off'] as const)) {
      await setRules(service, state === 'on');
      found[state].push(await measure(service));
    }
  }
  return found;
}

/** The time of a notification in all turns together: the turns vary by a tenth, and their median with them. */
function timesOf({ off, on }: Turns): { off: number; on: number } {
  const sum = (rates: number[]) => rates.reduce((time, rate) => time + 1 / rate, 0);
  return { off: sum(off), on: sum(on) };
}

/** The default rules spare the addresses of the sandbox: without these there is nothing to count. */
async function setRules({ url }: Service, isEnabled: boolean): Promise<void> {
  for (const [key, rule] of Object.entries(rules)) {
    const answer = await fetch(`${url}/v1/brake/rules/${key}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: key, ...rule, is_enabled: isEnabled }),
    });
    if (!answer.ok) throw new Error(`the rule ${key} was not saved: ${answer.status} ${await answer.text()}`);
  }
}

async function accept(service: Service): Promise<number> {
  const load = { url: service.url, connections, nextRequest, expectedStatus: 202, requests: turn };
  return (await runLoad(load)).perSecond;
}

/** Each of the rules has counted what was sent with rules: otherwise the figures mean nothing. */
async function checkCounts(sentWithRules: number): Promise<void> {
  const [row] = await query<{ sum: number }>(
    database.pool,
    'select sum(amount + past)::int as sum from brake_counts',
  );
  const share = (row?.sum ?? 0) / (Object.keys(rules).length * sentWithRules);
  if (share < 0.5 || share > 1.5) throw new Error(`the rules counted ${share} of the notifications`);
}
