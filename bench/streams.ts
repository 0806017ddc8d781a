// 2,000 open inbox streams on one process: memory of an idle one, and how long an arrival takes to its user at 500 items/s.
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { mintToken } from '../server/src/features/inbox/token.ts';
import { idTime } from '../server/src/kernel/ids.ts';
import { startDatabase } from './harness/database.ts';
import { openConnection, quantile } from './harness/load.ts';
import { createReport } from './harness/report.ts';
import { startService } from './harness/service.ts';

const streams = Number(process.env.BENCH_STREAMS ?? 2_000);
const perSecond = 500;
const seconds = Number(process.env.BENCH_SECONDS ?? 20);
const restMs = 10_000;
const liveKey = 'crl_live_benchbenchbenchbenchbench';

if (process.platform !== 'linux') throw new Error('memory is read from /proc, which only Linux has');
const report = createReport('streams');
const database = await startDatabase();
// One process with both roles, in Live, where nothing is kept in the sandbox: what a small installation runs.
const service = await startService('worker.ts', database, {
  CARILLON_ROLES: 'api,worker',
  CARILLON_BOOTSTRAP_LIVE_KEY: liveKey,
});
const open: Socket[] = [];
/** From acceptance to the socket of the user, by the clock of this one machine; and of that from the inbox to the socket. */
const tookMs: number[] = [];
const streamedMs: number[] = [];
try {
  const tokenFor = await createTokens();
  await openAll(await Promise.all(Array.from({ length: 20 }, (_, n) => tokenFor(`warm-${n}`))));
  closeAll();
  await delay(restMs);
  const tokens = await Promise.all(Array.from({ length: streams }, (_, n) => tokenFor(`user-${n}`)));
  const before = residentBytes();
  await openAll(tokens);
  await delay(restMs);
  const idle = (residentBytes() - before) / streams / 1024;
  report.rounds(`${streams} streams, memory of each`, [idle], 'KB');

  await send(3, 'user', streams); // warm
  await delay(1_000);
  for (const times of [tookMs, streamedMs]) times.length = 0;
  const processorBefore = processorMs();
  const sent = await send(seconds, 'user', streams);
  for (const deadline = Date.now() + 10_000; tookMs.length < sent && Date.now() < deadline; ) await delay(50);
  const busy = (processorMs() - processorBefore) / (seconds * 1000);
  if (tookMs.length !== sent) throw new Error(`${tookMs.length} of ${sent} arrivals were told`);
  report.rounds('arrival: p50, p95', [quantile(tookMs, 0.5), quantile(tookMs, 0.95)], 'ms');
  report.rounds(
    '  of that from the inbox: p50, p99',
    [quantile(streamedMs, 0.5), quantile(streamedMs, 0.99)],
    'ms',
  );
  report.rounds('slowest', [Math.max(...tookMs)], 'ms');
  report.line(`the process used ${busy.toFixed(2)} of a core, accepting and dispatching included`);
  report.goal('\nmemory of an idle stream, KB', idle, { op: '<=', figure: 40 });
  report.close(quantile(tookMs, 0.99), { op: '<=', figure: 250 });
} finally {
  closeAll();
  await service.stop();
  await database.stop();
}

/** Signed here, as an application would: two thousand calls would say more about something else. */
async function createTokens(): Promise<(user: string) => Promise<string>> {
  const headers = { authorization: `Bearer ${liveKey}` };
  const me = (await (await fetch(`${service.url}/v1/me`, { headers })).json()) as { environment_id: string };
  const environmentId = me.environment_id;
  const rotated = await fetch(`${service.url}/v1/environments/${environmentId}/inbox-key/rotate`, {
    method: 'POST',
    headers,
  });
  const { signing_key: signingKey } = (await rotated.json()) as { signing_key: string };
  return async (externalUserId) => {
    const claims = { environmentId, externalUserId, scope: 'inbox', ttlSeconds: 3_600 };
    return (await mintToken(signingKey, claims, Date.now())).token;
  };
}

async function openAll(tokens: string[]): Promise<void> {
  for (let from = 0; from < tokens.length; from += 50) {
    await Promise.all(tokens.slice(from, from + 50).map(openOne));
  }
}

/** Resolves with the first event: the stream is open and has its place. */
function openOne(token: string): Promise<void> {
  const { hostname, port } = new URL(service.url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  open.push(socket);
  socket.setEncoding('latin1');
  socket.write(`GET /inbox/v1/stream HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    let text = '';
    socket.on('data', (chunk: string) => {
      const now = Date.now();
      text += chunk;
      if (text.includes('unread_count.changed')) resolve();
      const frames = text.split('\n\n');
      text = frames.pop() ?? '';
      for (const frame of frames) {
        const data = /event: notification\.arrived\ndata: (.*)/.exec(frame)?.[1];
        if (!data) continue;
        const item = JSON.parse(data) as { id: string; created_at: string };
        tookMs.push(now - idTime(item.id));
        streamedMs.push(now - Date.parse(item.created_at));
      }
    });
  });
}

function closeAll(): void {
  for (const socket of open.splice(0)) socket.destroy();
}

/** An open loop: items leave by the clock, to one user after another. Answers with how many were accepted. */
async function send(forSeconds: number, prefix: string, users: number): Promise<number> {
  const connections = await Promise.all(Array.from({ length: 50 }, () => openConnection(service.url)));
  const total = perSecond * forSeconds;
  const startedAt = Date.now();
  const answers: Promise<number>[] = [];
  for (let n = 0; n < total; n += 1) {
    const wait = startedAt + (n * 1000) / perSecond - Date.now();
    if (wait > 0) await delay(wait);
    await answers[n - connections.length]; // one request at a time on each connection
    const connection = connections[n % connections.length];
    // 7919 is a prime: neighbours in time are not neighbours in name
    if (connection) answers.push(connection.send(request(`${prefix}-${(n * 7919) % users}`)));
  }
  const statuses = await Promise.all(answers);
  for (const connection of connections) connection.close();
  if (statuses.some((status) => status !== 202)) throw new Error('a request was not accepted');
  return total;
}

function request(user: string): string {
  const json = JSON.stringify({
    channel: 'in_app',
    recipient: { external_user_id: user },
    subject: 'Your order has been shipped',
    html_body: `<p>It is on its way.</p><p>${'The parcel left our warehouse this morning. '.repeat(5)}</p>`,
  });
  const head = `POST /v1/notifications HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${liveKey}`;
  return `${head}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`;
}

function residentBytes(): number {
  const status = readFileSync(`/proc/${service.process.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

function processorMs(): number {
  const fields = readFileSync(`/proc/${service.process.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10; // in hundredths of a second
}
