// Requests/s of POST /v1/notifications against the same route without its write, and with one transaction per request.
import type { Variant } from './harness/accept-variant.ts';
import { startDatabase } from './harness/database.ts';
import { type LoadResult, postRequests, runLoad } from './harness/load.ts';
import { message } from './harness/message.ts';
import { createReport } from './harness/report.ts';
import { type Service, startService, testKey } from './harness/service.ts';

const rounds = 11;
const roundMs = 2_000; // short, so that a machine that is slow for a while is slow for all variants
const warmUp = { requests: 30_000, durationMs: 10_000 };
const connections = 256;

const labels: Record<Variant, string> = {
  real: 'the real route',
  none: 'its write replaced by nothing',
  single: 'one transaction per request',
};

const report = createReport('accept');
const database = await startDatabase();
const nextRequest = postRequests('/v1/notifications', testKey, message);
const runs: { variant: Variant; service: Service; results: LoadResult[] }[] = [];
try {
  for (const variant of Object.keys(labels) as Variant[]) {
    const env = { BENCH_VARIANT: variant, CARILLON_ROLES: 'api' };
    const service = await startService('accept-variant.ts', database, env);
    runs.push({ variant, service, results: [] });
    await load(service, warmUp);
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const { service, results } of runs) results.push(await load(service, { durationMs: roundMs }));
  }

  const rate: Record<Variant, number> = { real: 0, none: 0, single: 0 };
  for (const { variant, results } of runs) {
    const perSecond = results.map((result) => result.perSecond);
    const p99 = results.map((result) => result.p99Ms);
    rate[variant] = report.rounds(labels[variant], perSecond, 'requests/s');
    report.rounds('  answered within (p99)', p99, 'ms');
  }
  report.goal('\nreal / one transaction per request', rate.real / rate.single, { op: '>=', figure: 2 });
  report.close(rate.real / rate.none, { op: '>=', figure: 0.75 });
} finally {
  for (const { service } of runs) await service.stop();
  await database.stop();
}

function load(service: Service, extent: { requests?: number; durationMs: number }): Promise<LoadResult> {
  return runLoad({ url: service.url, connections, nextRequest, expectedStatus: 202, ...extent });
}
