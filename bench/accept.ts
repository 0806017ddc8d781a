// Requests/s of POST /v1/notifications against the same route without its write, and with one transaction per request.
import type { Variant } from './harness/accept-variant.ts';
import { startDatabase } from './harness/database.ts';
import { openLoad, postRequests } from './harness/load.ts';
import { message } from './harness/message.ts';
import { createReport, median } from './harness/report.ts';
import { startService, testKey } from './harness/service.ts';

/** Each with processes of its own: what the compiler makes of the same code differs from one process to the next. */
const sets = 4;
const roundMs = 500; // short: a machine that its neighbours slow down for seconds slows down alike what is compared
const warmUp = { requests: 30_000, durationMs: 8_000 };
const connections = 256;

const report = createReport('accept');
const database = await startDatabase();
const nextRequest = postRequests('/v1/notifications', testKey, message);
try {
  const againstNothing = await compare('none', 25);
  const againstSingle = await compare('single', 5);
  report.quartiles('the real route', againstNothing.real, 'requests/s');
  report.quartiles('its write replaced by nothing', againstNothing.other, 'requests/s');
  report.quartiles('  real / nothing, by round', againstNothing.ratios);
  report.quartiles('one transaction per request', againstSingle.other, 'requests/s');
  report.quartiles('  real / single, by round', againstSingle.ratios);
  report.goal('\nreal / one transaction per request', median(againstSingle.ratios), { op: '>=', figure: 2 });
  report.close(median(againstNothing.ratios), { op: '>=', figure: 0.75 });
} finally {
  await database.stop();
}

interface Comparison {
  real: number[];
  other: number[];
  ratios: number[];
}

/** The two take turns, and each round is compared with its neighbour alone. */
async function compare(variant: Variant, rounds: number): Promise<Comparison> {
  const found: Comparison = { real: [], other: [], ratios: [] };
  for (let set = 0; set < sets; set += 1) {
    const [real, other] = await Promise.all([start('real'), start(variant)]);
    try {
      await real.load.run(warmUp);
      await other.load.run(warmUp);
      for (let round = 0; round < rounds; round += 1) {
        const { perSecond: first } = await real.load.run({ durationMs: roundMs });
        const { perSecond: second } = await other.load.run({ durationMs: roundMs });
        found.real.push(first);
        found.other.push(second);
        found.ratios.push(first / second);
      }
    } finally {
      await Promise.all([real.stop(), other.stop()]);
    }
  }
  return found;
}

async function start(variant: Variant) {
  const env = { BENCH_VARIANT: variant, CARILLON_ROLES: 'api' };
  const service = await startService('accept-variant.ts', database, env);
  const load = await openLoad({ url: service.url, connections, nextRequest, expectedStatus: 202 });
  return {
    load,
    stop(): Promise<void> {
      load.close();
      return service.stop();
    },
  };
}
