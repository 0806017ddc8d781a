// `npm run smoke`: a first start on this machine, as a newcomer makes it. The service becomes ready, the printed curl command is
// accepted and delivered, and the service stops.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { root } from './setup.mjs';

const withinMs = 120_000;

await ensureInstalled({ share: 'service' });
await ensureBuilt();
const folder = mkdtempSync(join(tmpdir(), 'carillon-smoke-'));
const service = spawn(process.execPath, ['server/dist/main.js'], {
  cwd: root,
  env: { ...process.env, PORT: String(await freePort()), CARILLON_DATA_DIR: folder },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const ended = once(service, 'exit');
let printed = '';
service.stdout.setEncoding('utf8').on('data', (text) => {
  printed += text;
  process.stdout.write(text);
});

try {
  const [, url] = await until('print its curl command', () =>
    /curl -s (\S+)\/v1\/notifications \\/.exec(printed),
  );
  const ready = await fetch(`${url}/readyz`);
  if (!ready.ok) throw new Error(`/readyz returned ${ready.status}`);
  const [, authorization] = await until('print its key', () => /-H 'Authorization: (.*)' \\/.exec(printed));
  const [, body] = await until('print a notification', () => /-d '(.*)'/.exec(printed));
  const headers = { authorization, 'content-type': 'application/json' };
  const sent = await fetch(`${url}/v1/notifications`, { method: 'POST', headers, body });
  if (sent.status !== 202) throw new Error(`the send returned ${sent.status}: ${await sent.text()}`);
  const { id } = await sent.json();
  await until('deliver the notification', async () => {
    const seen = await fetch(`${url}/v1/notifications/${id}`, { headers: { authorization } });
    return (await seen.json()).status === 'delivered';
  });
  service.kill('SIGINT');
  const [code] = await ended;
  // Windows has no signals: there the process is ended at once, and has no exit code of its own.
  if (process.platform !== 'win32' && code !== 0) throw new Error(`the service ended with exit code ${code}`);
  console.log('smoke: started, sent, delivered, stopped');
} finally {
  service.kill('SIGKILL');
  await ended;
  if (process.platform === 'win32') endDatabase();
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 500 });
}

async function until(what, ask) {
  for (const deadline = Date.now() + withinMs; Date.now() < deadline; await delay(50)) {
    if (service.exitCode !== null) throw new Error(`the service ended before it could ${what}`);
    const answer = await ask();
    if (answer) return answer;
  }
  throw new Error(`the service did not ${what} within ${withinMs / 1000} s`);
}

/** Windows ends the service before it can stop its database, whose open files would keep the folder. */
function endDatabase() {
  const file = join(folder, 'postgres', 'postmaster.pid');
  if (existsSync(file)) process.kill(Number(readFileSync(file, 'utf8').split('\n', 1)[0]));
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
