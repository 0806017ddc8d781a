// Messages/s accepted by SMTP against notifications/s accepted by HTTP, of the same content, by the same process.
import { freePort } from '../server/test/crash/service-process.ts';
import { startDatabase } from './harness/database.ts';
import { openLoad, postRequests } from './harness/load.ts';
import { message } from './harness/message.ts';
import { createReport, median } from './harness/report.ts';
import { startService, testKey } from './harness/service.ts';
import { mimeMessages, openSmtpLoad } from './harness/smtp-load.ts';

const sets = 3;
const rounds = 8;
const roundMs = 1_000;
const warmUpMs = 4_000;
const connections = 128;

const report = createReport('smtp-in');
const database = await startDatabase();
const http: number[] = [];
const smtp: number[] = [];
const ratios: number[] = [];
const p99: number[] = [];
try {
  for (let set = 0; set < sets; set += 1) await measure();
  report.quartiles('by HTTP', http, 'notifications/s');
  report.quartiles('by SMTP', smtp, 'messages/s');
  report.quartiles('  SMTP / HTTP, by round', ratios);
  report.quartiles('p99 from MAIL to 250', p99, 'ms');
  report.close(median(ratios), { op: '>=', figure: 0.5 });
} finally {
  await database.stop();
}

/** Each set has a process of its own; the two loads take turns, and each round is compared with its neighbour. */
async function measure(): Promise<void> {
  const port = await freePort();
  const service = await startService('accept-variant.ts', database, {
    BENCH_VARIANT: 'real',
    CARILLON_ROLES: 'api',
    CARILLON_SMTP_PORT: String(port),
    CARILLON_SMTP_CONNECTIONS_PER_ADDRESS: '1000',
    CARILLON_SMTP_CONNECTIONS_PER_KEY: '1000',
  });
  const requests = await openLoad({
    url: service.url,
    connections,
    nextRequest: postRequests('/v1/notifications', testKey, message),
    expectedStatus: 202,
  });
  const messages = await openSmtpLoad({
    port,
    key: testKey,
    recipient: message.recipient.address,
    connections,
    nextMessage: mimeMessages(message),
  });
  try {
    await requests.run({ durationMs: warmUpMs });
    await messages.run({ durationMs: warmUpMs });
    for (let round = 0; round < rounds; round += 1) {
      const { perSecond: byHttp } = await requests.run({ durationMs: roundMs });
      const { perSecond: bySmtp, p99Ms } = await messages.run({ durationMs: roundMs });
      http.push(byHttp);
      smtp.push(bySmtp);
      ratios.push(bySmtp / byHttp);
      p99.push(p99Ms);
    }
  } finally {
    requests.close();
    messages.close();
    await service.stop();
  }
}
