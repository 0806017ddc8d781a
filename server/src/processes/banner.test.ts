import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/harness/app.ts';
import type { App } from '../app.ts';
import { banner } from './banner.ts';

// A folder with what a shell and a JavaScript string both stumble over.
const folder = join(mkdtempSync(join(tmpdir(), 'carillon-banner-')), 'it\'s a "$HOME" folder');
let first: TestApp;
let later: TestApp;
const settings = { CARILLON_ROLES: 'api', CARILLON_DATA_DIR: folder };
beforeAll(async () => {
  mkdirSync(folder);
  first = await startTestApp({ settings });
  later = await startTestApp({ settings, database: first.database });
});
afterAll(async () => {
  await later.stop();
  await first.stop();
  rmSync(join(folder, '..'), { recursive: true, force: true });
});

const secretsOf = ({ credentials }: App) => [credentials?.live_key ?? '', credentials?.admin_password ?? ''];

/** What a person pastes into a shell: the commands of the text, without what is said around them. */
function pasted(text: string): string {
  const commands = text.match(/^(?:export|curl) (?:.*\\\n)*.*$/gm) ?? [];
  return commands.join('\n');
}
async function run(commands: string) {
  const options = { env: { PATH: process.env.PATH }, timeout: 20_000 };
  return JSON.parse((await promisify(execFile)('bash', ['-c', commands], options)).stdout);
}

test('a terminal sees the keys and the login that the first start made', () => {
  const text = banner(first.app, { isTerminal: true });
  for (const secret of [first.testKey, ...secretsOf(first.app)]) expect(text).toContain(secret);
});

test('redirected output holds the generated Test key with its curl, and says where the Live key and the login are', async () => {
  const config = { ...first.app.deps.config, CARILLON_BOOTSTRAP_TEST_KEY: null };
  const text = banner({ ...first.app, deps: { ...first.app.deps, config } }, { isTerminal: false });
  for (const secret of secretsOf(first.app)) expect(text).not.toContain(secret);
  expect(text).toContain(first.testKey);
  expect(text).toContain(join(folder, 'credentials.json'));
  expect(await run(pasted(text))).toMatchObject({ channel: 'email', status: 'queued' });
});

test('redirected output does not hold a Test key that the operator set, which has full access', async () => {
  const text = banner(first.app, { isTerminal: false });
  expect(text).not.toContain(first.testKey);
  expect(await run(pasted(text))).toMatchObject({ channel: 'email', status: 'queued' });
});

test.each([true, false])(
  'later starts print no secret, only how to get the key (terminal: %s)',
  async (isTerminal) => {
    const text = banner(later.app, { isTerminal });
    for (const secret of [first.testKey, ...secretsOf(first.app)]) expect(text).not.toContain(secret);
    expect(text).toContain('Bearer $CARILLON_API_KEY');
    expect(await run(pasted(text))).toMatchObject({ channel: 'email', status: 'queued' });
  },
);

test('a service that listens on every address shows one that can be opened', async () => {
  const wide = await startTestApp({ settings: { ...settings, HOST: '0.0.0.0' }, database: first.database });
  expect(banner(wide.app, { isTerminal: true })).toMatch(/running at http:\/\/127\.0\.0\.1:\d+ /);
  await wide.stop();
});
