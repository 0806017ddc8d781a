// Requests/s of POST /v1/notifications against the same route without its write, with one transaction per request, and against a
// bare Fastify route; and the notifications/s of its batch route.
import type { Variant } from './harness/accept-variant.ts';
import { startDatabase } from './harness/database.ts';
import { type Extent, openLoad, postRequest, postRequests } from './harness/load.ts';
import { message } from './harness/message.ts';
import { createReport, median } from './harness/report.ts';
import { startService, testKey } from './harness/service.ts';

/** Each with processes of its own: what the compiler makes of the same code differs from one process to the next. */
const sets = 4;
const roundMs = 500; // short: a machine that its neighbours slow down for seconds slows down alike what is compared
const warmUp = { requests: 30_000, durationMs: 8_000 };
const connections = 256;
const batchSize = 100;
const batchConnections = 4;

const report = createReport('accept');
const database = await startDatabase();
const nextRequest = postRequests('/v1/notifications', testKey, message);
const nextBatch = postRequest('/v1/notifications/batch', testKey, {
  notifications: Array(batchSize).fill(message),
});
try {
  const againstNothing = await compare('none', 25);
  const againstSingle = await compare('single', 5);
  const againstBare = await compare('bare', 10);
  const againstBatch = await compare('batch', 5);
  report.quartiles('the real route', againstNothing.real, 'requests/s');
  report.quartiles('its write replaced by nothing', againstNothing.other, 'requests/s');
  report.quartiles('  real / nothing, by round', againstNothing.ratios);
  report.quartiles('one transaction per request', againstSingle.other, 'requests/s');
  report.quartiles('  real / single, by round', againstSingle.ratios);
  report.quartiles('bare Fastify, the body echoed', againstBare.other, 'requests/s');
  report.quartiles('  real / bare, by round', againstBare.ratios);
  report.quartiles('the batch route', againstBatch.other, 'notifications/s');
  report.quartiles('  real / batch, by round', againstBatch.ratios);
  report.goal('\nreal / bare', median(againstBare.ratios), { op: '>=', figure: 0.5 });
  report.goal('batch / real', 1 / median(againstBatch.ratios), { op: '>=', figure: 2.5 });
  report.goal('real / one transaction per request', median(againstSingle.ratios), { op: '>=', figure: 2 });
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
async function compare(variant: Variant | 'bare' | 'batch', rounds: number): Promise<Comparison> {
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

async function start(variant: Variant | 'bare' | 'batch') {
  const program = variant === 'bare' ? 'bare.ts' : 'accept-variant.ts';
  const write = variant === 'batch' ? 'real' : variant;
  const service = await startService(program, database, { BENCH_VARIANT: write, CARILLON_ROLES: 'api' });
  const isBatch = variant === 'batch';
  const load = await openLoad({
    url: service.url,
    connections: isBatch ? batchConnections : connections,
    nextRequest: isBatch ? nextBatch : nextRequest,
    expectedStatus: 202,
  });
  return {
    load: {
      async run(extent: Extent) {
        const each = isBatch ? batchSize : 1;
        const requests = extent.requests && extent.requests / each;
        return { perSecond: (await load.run({ ...extent, requests })).perSecond * each };
      },
    },
    stop(): Promise<void> {
      load.close();
      return service.stop();
    },
  };
}
