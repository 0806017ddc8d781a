// Requests/s of POST /v1/notifications against the same route without its write, and with one transaction per request.
import type { Variant } from './harness/accept-variant.ts';
import { startDatabase } from './harness/database.ts';
import { postRequests, runLoad } from './harness/load.ts';
import { createReport } from './harness/report.ts';
import { type Service, startService, testKey } from './harness/service.ts';

const rounds = 5;
const roundMs = 5_000;
const warmUpMs = 3_000;
const connections = 64;

const request = postRequests('/v1/notifications', testKey, {
  channel: 'email',
  recipient: { address: 'delivered@sandbox.test', name: 'Ada Lovelace', external_user_id: 'user-1815' },
  subject: 'Your order has been shipped',
  html_body: `<h1>It is on its way</h1><p>${'The parcel left our warehouse this morning. '.repeat(10)}</p>`,
  text_body: `It is on its way. ${'The parcel left our warehouse this morning. '.repeat(10)}`,
});

const labels: Record<Variant, string> = {
  real: 'real route',
  none: 'write replaced by nothing',
  single: 'one transaction per request',
};
const variants = Object.keys(labels) as Variant[];

const report = createReport('accept');
const database = await startDatabase();
const services = new Map<Variant, Service>();
try {
  for (const variant of variants) {
    const service = await startService(database, 'accept-variant.ts', {
      BENCH_VARIANT: variant,
      CARILLON_ROLES: 'api',
    });
    services.set(variant, service);
    await load(service, warmUpMs);
  }

  const perSecond: Record<Variant, number[]> = { real: [], none: [], single: [] };
  const p99: Record<Variant, number[]> = { real: [], none: [], single: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const [variant, service] of services) {
      const result = await load(service, roundMs);
      perSecond[variant].push(result.perSecond);
      p99[variant].push(result.p99Ms);
    }
  }

  const rate = {} as Record<Variant, number>;
  for (const variant of variants) {
    rate[variant] = report.rounds(labels[variant], perSecond[variant], 'requests/s');
    report.rounds('  answered within (p99)', p99[variant], 'ms');
  }
  report.goal('\nreal / one transaction per request', rate.real / rate.single, { op: '>=', figure: 2 });
  report.close(rate.real / rate.none, { op: '>=', figure: 0.75 });
} finally {
  for (const service of services.values()) await service.stop();
  await database.stop();
}

function load(service: Service, durationMs: number) {
  return runLoad({ url: service.url, connections, durationMs, nextRequest: request, expectedStatus: 202 });
}
