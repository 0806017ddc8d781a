// Notifications/s accepted, and drained through the sandbox, with rules of the brake against none: both in turns, in one run.
import { startDatabase } from './harness/database.ts';
import { postRequests, runLoad } from './harness/load.ts';
import { message } from './harness/message.ts';
import { createReport, median } from './harness/report.ts';
import { type Service, startService, testKey } from './harness/service.ts';
import type { Drained } from './harness/stopwatch.ts';

const brief = process.argv.includes('--brief');
const rounds = brief ? 1 : 9;
const notifications = brief ? 2_000 : 15_000;
const warmUp = brief ? 500 : 3_000;
const connections = 64;
/** Each recipient has counts of its own: the rows of a real day, not one row that all sends share. */
const recipients = 5_000;

const rules = {
  per_recipient: { scope: 'recipient', window: 'hour', limit: 1_000_000, per_template: true },
  per_environment: { scope: 'environment', window: 'day', limit: 1_000_000_000 },
};

const report = createReport('brake');
const database = await startDatabase();
const requests = Array.from({ length: recipients }, (_, index) =>
  postRequests('/v1/notifications', testKey, {
    ...message,
    recipient: { address: `delivered+${index}@sandbox.test` },
  }),
);
let turn = 0;
const nextRequest: (typeof requests)[number] = (...given) => {
  turn += 1;
  const next = requests[turn % recipients];
  if (!next) throw new Error('there is no such request');
  return next(...given);
};

let api: Service | undefined;
try {
  api = await startService('accept-variant.ts', database, { BENCH_VARIANT: 'real', CARILLON_ROLES: 'api' });
  const found = { acceptOff: [], acceptOn: [], drainOff: [], drainOn: [] } as Record<string, number[]>;
  await accept(api);
  await drain();
  for (let round = 0; round < rounds; round += 1) {
    // In turns: what comes second finds fuller tables.
    const order = round % 2 === 0 ? (['Off', 'On'] as const) : (['On', 'Off'] as const);
    for (const state of order) {
      await setRules(api, state === 'On');
      found[`accept${state}`]?.push(await accept(api));
      found[`drain${state}`]?.push(await drain());
    }
  }
  const { acceptOff = [], acceptOn = [], drainOff = [], drainOn = [] } = found;
  report.rounds('accepted, without rules', acceptOff, 'notifications/s');
  report.rounds('accepted, with rules', acceptOn, 'notifications/s');
  report.rounds('drained, without rules', drainOff, 'notifications/s');
  report.rounds('drained, with rules', drainOn, 'notifications/s');
  const ratio = (on: number[], off: number[]) => median(on.map((rate, round) => rate / (off[round] ?? rate)));
  report.goal('\naccepted with / without', ratio(acceptOn, acceptOff), { op: '>=', figure: 0.95 });
  report.close(ratio(drainOn, drainOff), { op: '>=', figure: 0.95 });
} finally {
  await api?.stop();
  await database.stop();
}

/** Test environments have no default rule that counts: without these there is nothing to count. */
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
  const load = { url: service.url, connections, nextRequest, expectedStatus: 202, requests: notifications };
  return (await runLoad(load)).perSecond;
}

/** Starts a worker on what waits, until nothing does. */
async function drain(): Promise<number> {
  const worker = await startService('counted-worker.ts', database, {
    CARILLON_ROLES: 'worker',
    BENCH_WARM_UP: String(warmUp),
    BENCH_COUNT: String(notifications - warmUp),
  });
  const { perSecond } = await worker.said<Drained>();
  await worker.stop();
  return perSecond;
}
