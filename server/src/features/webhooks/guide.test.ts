import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';
import { expect, test } from 'vitest';
import { startTestApp, waitUntil } from '../../../test/harness/app.ts';
import { deliveryStatuses, endpointStatuses } from './schema.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const guide = readFileSync(`${root}docs/guides/webhooks.md`, 'utf8');

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

test('the receiver of the guide takes our calls, and nobody else’s', async () => {
  const [, snippet = ''] = /```ts\n(import \{ createServer[\s\S]*?)```/.exec(guide) ?? [];
  const { code } = transformSync(snippet, { loader: 'ts', format: 'esm' });
  const app = await startTestApp();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/hooks`;
  const { body: endpoint } = await app.request('POST', '/v1/webhook-endpoints', { body: { url } });
  const receiver = spawn(process.execPath, ['--input-type=module', '-'], {
    cwd: root,
    env: { ...process.env, PORT: String(port), CARILLON_WEBHOOK_SECRET: endpoint.signing_secret },
  });
  try {
    let output = '';
    receiver.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
    receiver.stdin.end(code);
    const forged = await waitUntil(() =>
      fetch(url, { method: 'POST', body: '{}', headers: { 'webhook-id': 'x' } }).catch(
        (error: Error) => error,
      ),
    );
    expect(forged.status).toBe(400);
    const { body: delivery } = await app.request('POST', `/v1/webhook-endpoints/${endpoint.id}/send-test`);
    await waitUntil(async () => {
      const { body } = await app.request(
        'GET',
        `/v1/webhook-endpoints/${endpoint.id}/deliveries/${delivery.id}`,
      );
      return body.status === 'succeeded' ? body : new Error(JSON.stringify(body));
    });
    await waitUntil(async () =>
      output.includes(`webhook.test ${delivery.event_id}`) ? true : new Error(output),
    );
  } finally {
    receiver.kill();
    await app.stop();
  }
});

test('the guide speaks of every status that an endpoint has, and of every failure', () => {
  for (const word of [...endpointStatuses, ...deliveryStatuses.filter((status) => status.includes('fail'))])
    expect(guide).toContain(`\`${word}\``);
});
