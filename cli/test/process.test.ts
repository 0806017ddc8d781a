import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { version } from '@carillon/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../server/test/harness/app.ts';
import { installPackages } from '../../server/test/packages/installed.ts';

const bin = fileURLToPath(new URL('../bin/carillon.mjs', import.meta.url));
let app: TestApp;
let folder: string;
const running = new Set<ChildProcess>();

beforeAll(async () => {
  app = await startTestApp();
  folder = mkdtempSync(join(tmpdir(), 'carillon-cli-process-'));
});
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
  await app.stop();
});

/** The command as anybody runs it, in a folder far from the repository. */
function start(args: string[], env: Record<string, string> = {}, input = '') {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      CARILLON_URL: app.url,
      CARILLON_API_KEY: app.testKey,
      ...env,
    },
  });
  running.add(child);
  let out = '';
  let err = '';
  const waiting: { text: string; resolve: () => void }[] = [];
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text;
    for (const each of waiting) if (out.includes(each.text)) each.resolve();
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    err += text;
  });
  child.stdin.end(input);
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    child.on('close', (code) => {
      running.delete(child);
      resolve({ code, out, err });
    });
  });
  /** Until it has printed this, or ended. */
  const said = (text: string) =>
    Promise.race([ended, new Promise<void>((resolve) => waiting.push({ text, resolve }))]);
  return { child, ended, said };
}

test('the command runs from its bundle: results on one stream, remarks on the other, codes for scripts', async () => {
  expect(await start(['--version']).ended).toEqual({ code: 0, out: `${version}\n`, err: '' });
  const request = JSON.stringify({
    recipient: { address: 'delivered@sandbox.test' },
    subject: 's',
    text_body: 't',
  });
  const sent = await start(['send', '--data', '-', '--wait', '--json'], {}, request).ended;
  expect(sent).toMatchObject({ code: 0, err: '' });
  expect(JSON.parse(sent.out).status).toBe('delivered');
  const coloured = await start(['get', 'nonsense'], { FORCE_COLOR: '1' }).ended;
  expect(coloured).toMatchObject({
    code: 3,
    out: '',
    err: expect.stringContaining('\u001b[31merror\u001b[39m'),
  });
  // Newer versions of Node first remark that they would have decided otherwise.
  const plain = await start(['get', 'nonsense'], { FORCE_COLOR: '1', NO_COLOR: '1' }).ended;
  expect(plain.err).toMatch(/^error /m);
  expect((await start(['nonsense']).ended).code).toBe(2);
});

test('tail ends quietly at Ctrl-C', async () => {
  const notification = {
    channel: 'email',
    recipient: { address: 'delivered@sandbox.test' },
    subject: 's',
    text_body: 't',
  };
  const { body } = await app.request('POST', '/v1/notifications', { body: notification });
  await app.waitFor(body.id, ({ status }) => status === 'delivered');
  const { child, ended, said } = start(['tail', '--json', '--interval', '100']);
  await said('Delivered');
  child.kill('SIGINT');
  expect(await ended).toMatchObject({ code: 0, err: '' });
});

/** Stands between the command and the service and holds back what matches, so that it is known when it is under way. */
async function standBetween(holds: (method: string, url: string) => boolean) {
  let reached: () => void = () => {};
  let release: () => void = () => {};
  const inside = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const server = createServer(async (request, response) => {
    const { method = 'GET', url = '', headers } = request;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (holds(method, url)) {
      reached();
      await held;
    }
    const answer = await fetch(app.url + url, {
      method,
      headers: {
        authorization: headers.authorization ?? '',
        ...(chunks.length > 0 ? { 'content-type': 'application/json' } : {}),
      },
      ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
    });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    env: { CARILLON_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    inside,
    release,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function write(path: string, content: object): void {
  const file = join(folder, 'carillon', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(content));
}

test('Ctrl-C in the middle of a push lets the write under way be finished, and a second push does the rest', async () => {
  const between = await standBetween((method) => method === 'POST');
  for (const key of ['one', 'two']) write(`categories/${key}.json`, { name: key, default_channels: [] });
  const { child, ended } = start(['push', '--yes'], between.env);
  await between.inside;
  const remark = new Promise<void>((resolve) => child.stderr.once('data', () => resolve()));
  child.kill('SIGINT');
  await remark; // the signal has arrived
  between.release();
  expect(await ended).toMatchObject({
    code: 130,
    out: expect.stringContaining('✓ 1 of 2: categories/one created\n'),
    err: expect.stringContaining('1 of 2 written. Run push again to finish.'),
  });
  expect((await app.request('GET', '/v1/preferences/categories')).body.data).toHaveLength(1);
  expect((await start(['push', '--yes'], between.env).ended).out).toContain(
    '✓ 1 of 1: categories/two created\n',
  );
  await between.stop();
});

test('killed between the calls of one workflow, a push leaves nothing active, and a second one finishes', async () => {
  const between = await standBetween((method, url) => method === 'POST' && url.endsWith('/activate'));
  write('workflows/hello.json', { name: 'Hello', body: { steps: [{ id: 'x', kind: 'noop' }] } });
  const { child, ended } = start(['workflows', 'push', '--yes'], between.env);
  await between.inside;
  child.kill('SIGKILL');
  await ended;
  const found = async () => (await app.request('GET', '/v1/workflows/hello')).body;
  expect(await found()).toMatchObject({ status: 'draft', latest_version: 1 });
  await between.stop();
  between.release();
  expect(await start(['workflows', 'push', '--yes']).ended).toMatchObject({ code: 0, err: '' });
  expect(await found()).toMatchObject({ status: 'active', active_version: 1, latest_version: 1 });
});

test('the package needs nothing but Node, and runs where it is installed', { timeout: 120_000 }, async () => {
  const execute = promisify(execFile);
  const { folder: elsewhere, pathOf } = await installPackages();
  const files = readdirSync(pathOf('cli'), { recursive: true });
  const folders = ['bin', 'dist'];
  expect(files.filter((path) => !folders.includes(String(path))).sort()).toEqual([
    'LICENSE',
    'README.md',
    join('bin', 'carillon.mjs'),
    join('dist', 'carillon.js'),
    'package.json',
  ]);
  const installed = join(pathOf('cli'), '../../.bin/carillon');
  expect((await execute(installed, ['--version'], { cwd: elsewhere })).stdout).toBe(`${version}\n`);
  await expect(execute(installed, ['demo'], { cwd: elsewhere })).rejects.toThrow(
    'requires a checkout of the repository',
  );
});
