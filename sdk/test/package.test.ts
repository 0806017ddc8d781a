import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../server/test/harness/app.ts';
import { installPackages } from '../../server/test/packages/installed.ts';

const execute = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
let app: TestApp;
let project: string;
let installed: string;

beforeAll(async () => {
  const { folder, pathOf } = await installPackages();
  [project, installed] = [folder, pathOf('sdk')];
  app = await startTestApp();
}, 120_000);

afterAll(() => app?.stop());

async function runProgram(name: string, code: string): Promise<unknown> {
  writeFileSync(join(project, name), code);
  const env = { ...process.env, NODE_OPTIONS: '', URL: app.url, KEY: app.testKey };
  const { stdout } = await execute(process.execPath, [name], { cwd: project, env });
  return JSON.parse(stdout);
}

const program = `
  const client = createClient({ base_url: process.env.URL, api_key: process.env.KEY });
  const error = await client.notifications.get('nonsense').catch((reason) => reason);
  const { id, status } = await client.notifications.send({
    channel: 'email', recipient: { address: 'delivered@sandbox.test' }, subject: 'Hello', text_body: 'It rings.',
  });
  const refused = await verifyWebhook({ body: '{}', headers: {}, secret: 'whsec_AAAA' }).catch((reason) => reason);
  console.log(JSON.stringify({
    status, known: error instanceof NotFoundError, same: NotFoundError === SameError,
    inbox: typeof createInboxClient, refused: refused.code,
  }));`;
const outcome = {
  status: 'queued',
  known: true,
  same: true,
  inbox: 'function',
  refused: 'missing_header',
};

test('the package holds nothing but itself', () => {
  expect(readdirSync(installed).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
  expect(readdirSync(join(installed, 'dist')).sort()).toEqual(['cjs', 'esm']);
});

test('it is used from an ES module', async () => {
  const code = `
    import { createClient, NotFoundError } from '@carillon/sdk';
    import { createInboxClient, NotFoundError as SameError } from '@carillon/sdk/inbox';
    import { verifyWebhook } from '@carillon/sdk/webhooks';
    ${program}`;
  expect(await runProgram('program.mjs', code)).toEqual(outcome);
});

test('it is used from CommonJS', async () => {
  const code = `
    const { createClient, NotFoundError } = require('@carillon/sdk');
    const { createInboxClient, NotFoundError: SameError } = require('@carillon/sdk/inbox');
    const { verifyWebhook } = require('@carillon/sdk/webhooks');
    (async () => { ${program} })();`;
  expect(await runProgram('program.cjs', code)).toEqual(outcome);
});

test('its declarations hold for users of either and of bundlers, with every check on', async () => {
  const code = `
    import { createClient, type Notification, RateLimitError } from '@carillon/sdk';
    import { createInboxClient, type InboxItem } from '@carillon/sdk/inbox';
    import { verifyWebhook } from '@carillon/sdk/webhooks';

    export async function use(raw: string): Promise<string[]> {
      const client = createClient({ api_key: 'k', max_retries: undefined });
      const sent: Notification = await client.notifications.send(
        { channel: 'sms', recipient: { address: '+1' }, text_body: 'x' },
        { idempotency_key: 'k', signal: new AbortController().signal },
      );
      const keys: string[] = [sent.id];
      for await (const template of client.templates.list({ limit: 5 })) keys.push(template.key);
      const inbox = createInboxClient({ base_url: '/', token: async () => 't' });
      inbox.follow({ on_event: (event) => {
        if (event.type === 'notification.arrived') { const item: InboxItem = event.data; keys.push(item.id); }
      } });
      const event = await verifyWebhook({ body: raw, headers: new Headers(), secret: ['a', 'b'] });
      if (event.type === 'notification.bounced') keys.push(event.data.reason ?? '');
      // @ts-expect-error there is no such channel
      await client.notifications.send({ channel: 'pigeon', recipient: {} });
      // @ts-expect-error only sends and triggers take a key
      await client.templates.get('x', { idempotency_key: 'k' });
      if (new Error() instanceof RateLimitError) return [];
      return keys;
    }`;
  for (const name of ['types.mts', 'types.cts', 'types.ts']) writeFileSync(join(project, name), code);
  const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes'];
  const lib = ['--target', 'es2023', '--lib', 'es2023,dom,dom.iterable,dom.asynciterable'];
  const check = (compiler: string, ...more: string[]) =>
    execute(
      process.execPath,
      [join(root, 'node_modules', compiler, 'bin/tsc'), ...options, ...lib, ...more],
      {
        cwd: project,
      },
    ).catch((error) => error.stdout);
  const checked = await Promise.all([
    check('typescript', '--module', 'node16', 'types.mts', 'types.cts'),
    check('typescript-7', '--module', 'esnext', '--moduleResolution', 'bundler', 'types.ts'),
  ]);
  expect(checked).toMatchObject([{ stdout: '' }, { stdout: '' }]);
}, 60_000);

test('the part for browsers has nothing of Node in it, and is small', async () => {
  for (const entry of ['@carillon/sdk/inbox', '@carillon/sdk/webhooks', '@carillon/sdk']) {
    const { outputFiles, metafile } = await build({
      stdin: { contents: `export * from '${entry}'`, resolveDir: project },
      bundle: true,
      minify: true,
      platform: 'browser',
      format: 'esm',
      write: false,
      metafile: true,
    });
    const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
    expect(imports).toEqual([]);
    const text = outputFiles[0]?.text ?? '';
    expect(builtinModules.filter((name) => text.includes(`"node:${name}"`))).toEqual([]);
    // The client asks `globalThis` for a process, which is no use of it.
    expect(text).not.toMatch(/\brequire\(|\bprocess\.|\bBuffer\b/);
    if (entry.endsWith('/inbox')) expect(gzipSync(text).length).toBeLessThan(8 * 1024);
  }
});

test('every entry point leads to a file', () => {
  const declared = JSON.parse(readFileSync(join(root, 'sdk/package.json'), 'utf8'));
  expect(declared.dependencies).toBe(undefined);
  for (const door of Object.values(declared.exports as Record<string, object | string>)) {
    const paths = JSON.stringify(door).match(/\.\/dist\/[^"]+/g) ?? [];
    for (const path of paths) expect(statSync(join(installed, path)).isFile()).toBe(true);
  }
});
