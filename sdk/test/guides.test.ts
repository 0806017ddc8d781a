import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createClient } from '@carillon/sdk';
import { build } from 'esbuild';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTestApp, type TestApp, waitUntil } from '../../server/test/harness/app.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const codeOf = (guide: string): string[] =>
  [...readFileSync(`${root}docs/guides/${guide}`, 'utf8').matchAll(/```ts\n([\s\S]*?)```/g)].map(
    ([, code = '']) => code,
  );
let app: TestApp;
let client: ReturnType<typeof createClient>;

beforeAll(async () => {
  app = await startTestApp();
  client = createClient({ base_url: app.url, api_key: app.testKey });
  const { signing_key } = await client.inboxTokens.rotateKey(app.testEnvironmentId);
  vi.stubEnv('CARILLON_URL', app.url);
  vi.stubEnv('CARILLON_API_KEY', app.testKey);
  vi.stubEnv('CARILLON_INBOX_KEY', signing_key);
  vi.stubEnv('CARILLON_ENVIRONMENT', app.testEnvironmentId);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await app.stop();
});

/** Runs a piece of code as it stands in a guide; gives what it exports, and what it printed. */
async function runCode(contents: string) {
  const { outputFiles } = await build({
    stdin: { contents, loader: 'ts', resolveDir: root },
    bundle: true,
    format: 'esm',
    platform: 'node',
    conditions: ['carillon-source'],
    write: false,
  });
  const printed = vi.spyOn(console, 'log').mockImplementation(() => {});
  try {
    const code = outputFiles[0]?.text ?? '';
    const exported = await import(`data:text/javascript,${encodeURIComponent(code)}`);
    return { exported, printed: printed.mock.calls };
  } finally {
    printed.mockRestore();
  }
}

test('the code of the SDK guide does what the guide says', async () => {
  const [send, list, twice, errors, workflow, mint, page, ...rest] = codeOf('sdk.md');
  expect(rest).toEqual([]);
  const print = async (code = '') => (await runCode(code)).printed;
  expect(await print(send)).toEqual([[expect.any(String), 'queued']]);
  expect(await print(list)).toEqual([[expect.any(Number), null]]);
  expect(await print(twice)).toEqual([[true]]);
  expect(await print(errors)).toEqual([[expect.stringMatching(/^recipient\.address: /)]]);
  expect(await print(workflow)).toEqual([['completed', ['hello: noop']]]);

  const { inboxTokenFor } = (await runCode(mint ?? '')).exported;
  const { showInbox } = (await runCode(page ?? '')).exported;
  const shown: string[] = [];
  const getToken = async () => (await inboxTokenFor('grace')).token;
  const { inbox, close } = showInbox(app.url, getToken, (text: string) => shown.push(text));
  const until = (text: string) =>
    waitUntil(async () => (shown.includes(text) ? true : new Error(shown.join())), 20_000);
  await until('unread: 0');
  const recipient = { external_user_id: 'grace' };
  await client.notifications.send({ channel: 'in_app', recipient, subject: 'Hi', html_body: '<p>x</p>' });
  await until('new: Hi');
  await until('unread: 1');
  expect(await inbox.unreadCount()).toEqual({ unread_count: 1 });
  close();
}, 60_000);

test('the receiver of the webhook guide takes our calls, and nobody else’s', async () => {
  const secret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;
  vi.stubEnv('CARILLON_WEBHOOK_SECRET', secret);
  const code = codeOf('webhooks.md').find((each) => each.includes('verifyWebhook')) ?? '';
  const { POST } = (await runCode(code)).exported;
  const body = JSON.stringify({ id: 'e1', type: 'webhook.test', created_at: '', data: {} });
  const sentAt = new Date(); // one for both: between two looks at the clock a second may end
  const call = (signature: string): Promise<Response> =>
    POST(
      new Request('http://receiver.test', {
        method: 'POST',
        body,
        headers: {
          'webhook-id': 'e1',
          'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
          'webhook-signature': signature,
        },
      }),
    );
  expect((await call(new Webhook(secret).sign('e1', sentAt, body))).status).toBe(204);
  expect((await call('v1,AAAA')).status).toBe(400);
});

test('the example sends, and hears what became of it', async () => {
  const loader = ['--conditions=carillon-source', '--import', './scripts/typescript.mjs'];
  const run = (address: string) =>
    promisify(execFile)(process.execPath, [...loader, 'examples/node/order-shipped.mjs', address], {
      cwd: root,
      env: { ...process.env, CARILLON_URL: app.url, CARILLON_API_KEY: app.testKey },
    });
  const [good, bad] = await Promise.all([run('delivered@sandbox.test'), run('bounced@sandbox.test')]);
  expect(good.stdout).toMatch(/^sent \S+\nnotification\.delivered\n$/);
  expect(bad.stdout).toMatch(/^sent \S+\nnotification\.bounced .+\n$/);
}, 60_000);
