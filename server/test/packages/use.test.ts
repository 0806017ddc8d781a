import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type InstalledPackages, installPackages } from './installed.ts';
import { cleanEnvironment, launchService, signIn } from './npx-service.ts';

const execute = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));
const { findChromium, testArgs } = (await import(
  new URL('../../../scripts/chromium.mjs', import.meta.url).href
)) as { findChromium(): string | null; testArgs: string[] };
const chromiumPath = findChromium();
/** npm alone takes a second of a processor at each start. */
const timeout = 60_000;
const onWindows = process.platform === 'win32';

let packages: InstalledPackages;
let service: ReturnType<typeof launchService>;
let url: string;
beforeAll(async () => {
  packages = await installPackages();
  service = launchService(packages.folder, '@carillon/server');
  url = await service.ready;
}, 120_000);
afterAll(() => service?.interrupt());

function run(program: string, args: string[], env: Record<string, string> = {}) {
  const options = { cwd: packages.folder, env: cleanEnvironment(env), shell: onWindows };
  return execute(program, args, options).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}

const npx = (args: string[], env?: Record<string, string>) => run('npx', args, env);

async function request(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${service.credentials().test_key}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  expect(response.status).toBeLessThan(300);
  return (await response.json()) as Record<string, unknown>;
}

describe('npx @carillon/server', { timeout }, () => {
  test('keeps its data in the current directory, and prints a command that sends', async () => {
    expect(existsSync(join(packages.folder, '.carillon/postgres/PG_VERSION'))).toBe(true);
    const { stdout } = await execute('sh', ['-c', service.printedCommand()]);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'queued', channel: 'email' });
  });

  test('has the options of npm start, and names the command that was used', async () => {
    const help = await npx(['@carillon/server', '--help']);
    expect(help.stdout).toContain('\nnpx @carillon/server --backup DIR [--without-key]  ');
    expect(help.stdout).not.toContain('npm start');
    const bin = join(packages.pathOf('server'), 'bin/carillon-server.mjs');
    const [version, misspelt, usage] = await Promise.all(
      [['--version'], ['--bakup', 'x'], ['--restore']].map((args) => run(process.execPath, [bin, ...args])),
    );
    expect(version).toMatchObject({ code: 0, stdout: `${packages.manifestOf('server').version}\n` });
    expect(misspelt).toMatchObject({
      code: 2,
      stderr: 'Unknown option --bakup. Did you mean --backup? --help lists all options.\n',
    });
    expect(usage).toMatchObject({ code: 1, stdout: 'Usage: carillon-server --restore DIR [--force]\n' });
  });

  test('backs up the database of the running service', async () => {
    const { code, stdout } = await npx(['@carillon/server', '--backup', 'copy']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('The backup in')]);
    expect(existsSync(join(packages.folder, 'copy'))).toBe(true);
  });

  test('without the PostgreSQL binaries says in one sentence to set DATABASE_URL', async () => {
    const bare = join(packages.folder, '../../bare/node_modules/@carillon/server');
    cpSync(packages.pathOf('server'), bare, { recursive: true });
    const bin = join(bare, 'bin/carillon-server.mjs');
    const env = cleanEnvironment({ PORT: '0' });
    const error = await execute(process.execPath, [bin], { cwd: bare, env }).catch((reason) => reason);
    expect(error).toMatchObject({ code: 1, stdout: '' });
    expect(error.stderr).toMatch(/^The bundled PostgreSQL .* or set DATABASE_URL to use your own .*\.\n$/);
  });

  test('has the flags of npm start, or hands them to the processes that it starts', async () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const flags = scripts.start.match(/--\S+/g);
    const main = join(packages.folder, 'shown/dist/main.js');
    mkdirSync(join(main, '..'), { recursive: true });
    // The start of the package, with a program in place of the service that shows what it was given.
    cpSync(join(packages.pathOf('server'), 'dist/start.js'), join(main, '../start.mjs'));
    writeFileSync(main, 'console.log(JSON.stringify(process.execArgv))');
    const { stdout } = await execute(process.execPath, [join(main, '../start.mjs')], {
      env: cleanEnvironment(),
    });
    // Where Node cannot replace itself, they are for the processes of a supervisor.
    expect(JSON.parse(stdout)).toEqual(flags);
  });
});

test('npx @carillon/cli sends from outside a checkout', { timeout }, async () => {
  const env = { CARILLON_URL: url, CARILLON_API_KEY: service.credentials().test_key };
  const message = ['--to', 'delivered@sandbox.test', '--subject', 'Hello', '--text', 'Hello.'];
  const { code, stdout } = await npx(['@carillon/cli', 'send', ...message, '--wait', '--json'], env);
  expect(code).toBe(0);
  expect(JSON.parse(stdout).status).toBe('delivered');
});

describe.skipIf(!chromiumPath)('in a browser', { timeout }, () => {
  async function inBrowser(use: (page: Page) => Promise<void>): Promise<void> {
    const browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: testArgs });
    try {
      const page = await browser.newPage();
      const complaints: string[] = [];
      page.on('pageerror', (error) => complaints.push(error.message));
      await use(page);
      expect(complaints).toEqual([]);
    } finally {
      await browser.close();
    }
  }

  test('the dashboard opens and takes the login of the first start', () =>
    inBrowser(async (page) => {
      await page.goto(url);
      await signIn(page, service.credentials());
    }));

  test('a Vite page shows the inbox with the widgets and the SDK', async () => {
    const { token } = await request('POST', '/v1/inbox/tokens', { external_user_id: 'ada' });
    const message = { channel: 'in_app', recipient: { external_user_id: 'ada' }, subject: 'It rings' };
    await request('POST', '/v1/notifications', { ...message, html_body: '<p>Come in.</p>' });
    const site = await buildSite({ url, token });
    try {
      await inBrowser(async (page) => {
        await page.goto(site.url);
        await page.getByRole('article', { name: 'It rings' }).waitFor();
        await page.getByText('1 unread by the SDK').waitFor();
      });
    } finally {
      await site.close();
    }
  });
});

/** A page in TypeScript, built by Vite from the installed packages and served from an origin of its own. */
async function buildSite(settings: object): Promise<{ url: string; close(): Promise<void> }> {
  const folder = join(packages.folder, 'site');
  mkdirSync(folder);
  writeFileSync(
    join(folder, 'index.html'),
    '<!doctype html><p id="count"></p><script type="module" src="page.ts"></script>',
  );
  writeFileSync(
    join(folder, 'page.ts'),
    `import '@carillon/widgets/inbox';
    import { createInboxClient } from '@carillon/sdk/inbox';

    const { url, token }: { url: string; token: string } = ${JSON.stringify(settings)};
    const inbox = document.createElement('carillon-inbox');
    inbox.variant = 'panel';
    inbox.url = url;
    inbox.tokenProvider = async () => token;
    document.body.append(inbox);

    const client = createInboxClient({ base_url: url, token: async () => token });
    const { unread_count } = await client.unreadCount();
    document.querySelector('#count')!.textContent = unread_count + ' unread by the SDK';`,
  );
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  await execute(process.execPath, [vite, 'build', '--logLevel', 'warn', '--target', 'es2022'], {
    cwd: folder,
    env: cleanEnvironment(),
  });
  const types: Record<string, string> = { html: 'text/html', js: 'text/javascript' };
  const server = createServer((incoming, response) => {
    const path = incoming.url === '/' ? '/index.html' : (incoming.url ?? '');
    const file = join(folder, 'dist', path);
    if (!existsSync(file)) return response.writeHead(404).end();
    response.setHeader('content-type', types[path.split('.').at(-1) ?? ''] ?? 'text/plain');
    return response.end(readFileSync(file));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('the service that npx started', { timeout }, () => {
  const hasStopped = async () => {
    expect(existsSync(join(packages.folder, '.carillon/postgres/postmaster.pid'))).toBe(false);
    await expect(fetch(url)).rejects.toThrow();
  };

  test('stops at Ctrl-C', async () => {
    await service.interrupt();
    expect(service.output()).toContain('SIGINT: finishing work in progress');
    await hasStopped();
  });

  test('starts again with the same data, and stops when a signal reaches npx alone', async () => {
    service = launchService(packages.folder, '@carillon/server');
    url = await service.ready;
    const { data } = await request('GET', '/v1/notifications');
    expect(data).toContainEqual(expect.objectContaining({ subject: 'Hello' }));
    await service.terminateNpx();
    await hasStopped();
  });
});
