import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findRunningPostgres } from '../../src/db/embedded/index.ts';
import { createPool } from '../../src/db/sql.ts';
import { createOrganizationFor } from '../../src/features/platform/accounts/index.ts';
import { buildService, freePort } from '../crash/service-process.ts';
import { waitUntil } from '../harness/app.ts';
import { type Running, simulators } from '../simulators/all.ts';
import {
  blocksOf,
  environmentOfIndex,
  index,
  pagesInOrder,
  type Reader,
  reasonsNotToRun,
  runPage,
  textOf,
} from './shell.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const program = join(root, 'server/dist/main.js');
const pageDeadlineMs = 300_000;

interface Credentials {
  organization_id: string;
  test_environment_id: string;
  live_environment_id: string;
  test_key: string;
  live_key: string;
  admin_email: string;
  admin_password: string;
}

let home: string;
let service: ChildProcess;
let output = '';
let url: string;
let settings: Record<string, string>;
const running: Running[] = [];
let addresses: Record<string, string>;

beforeAll(async () => {
  await Promise.all([
    buildService(),
    promisify(execFile)(process.execPath, ['scripts/build-widgets.mjs'], { cwd: root }),
    promisify(execFile)(process.execPath, ['cli/bin/carillon.mjs', '--version'], { cwd: root }),
  ]);
  home = mkdtempSync(join(tmpdir(), 'carillon-guides-'));
  chmodSync(home, 0o711); // the account that root runs PostgreSQL under must be able to pass through
  addresses = {};
  for (const { name, port, start } of simulators) {
    const simulator = await start(0, () => {});
    running.push(simulator);
    addresses[`127.0.0.1:${port}`] = new URL(simulator.url).host;
    if (name === 'webhook') addresses['https://example.com'] = new URL(simulator.url).origin;
  }
  const [port, smtpPort, receiverPort] = [await freePort(), await freePort(), await freePort()];
  url = `http://127.0.0.1:${port}`;
  Object.assign(addresses, {
    'http://127.0.0.1:8400': url,
    '127.0.0.1:2525': `127.0.0.1:${smtpPort}`,
    3999: String(receiverPort),
  });
  settings = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    NO_COLOR: '1',
    CARILLON_PROCESSES: '1',
    LOG_LEVEL: 'warn',
    ...Object.assign({}, ...running.map(({ settings = {} }) => settings)),
  };
  service = spawn(process.execPath, [program], {
    cwd: home,
    env: { ...settings, PORT: String(port), CARILLON_SMTP_PORT: String(smtpPort) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [service.stdout, service.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  await waitUntil(
    async () => (service.exitCode === null && output.includes('is running at')) || new Error(output),
    60_000,
  );
}, 300_000);

afterAll(async () => {
  if (service?.exitCode === null) {
    service.kill('SIGTERM');
    await once(service, 'exit');
  }
  await Promise.all(running.map((simulator) => simulator.stop()));
  rmSync(home, { recursive: true, force: true });
}, 60_000);

const firstCredentials = (): Credentials =>
  JSON.parse(readFileSync(join(home, '.carillon/credentials.json'), 'utf8'));

function readerIn(folder: string, credentials: Credentials): Reader {
  // What the commands of the index export: a test compares. To run them for every page would start Node seven times more.
  const exported = [...textOf(index).matchAll(/([A-Z_]+)=\$\(credential (\w+)\)/g)].map(
    ([, name = '', field = '']) => [name, credentials[field as keyof Credentials]],
  );
  const env = {
    ...settings,
    ...Object.fromEntries(exported),
    CARILLON_URL: url,
    HOME: folder,
    GUIDE_CLI: join(root, 'cli/dist/carillon.js'),
    NODE_COMPILE_CACHE: join(home, 'compiled'),
    GUIDE_SERVER: program,
    SERVICE_DATA_DIR: join(home, '.carillon'),
  };
  return { folder, env, addresses: { ...addresses, 'crl_test_…': credentials.test_key } };
}

/** A reader of one page: with an organization that has nothing yet. */
function newReader(credentials: Credentials, name: string): Reader {
  const folder = join(home, 'readers', name);
  mkdirSync(join(folder, '.carillon'), { recursive: true });
  copyFileSync(join(home, '.carillon/encryption.key'), join(folder, '.carillon/encryption.key'));
  writeFileSync(join(folder, '.carillon/credentials.json'), JSON.stringify(credentials));
  // People belong to the installation, which readers share.
  const people = { 'grace@example.com': `grace.${name}@example.com` };
  const reader = readerIn(folder, credentials);
  return { ...reader, addresses: { ...reader.addresses, ...people } };
}

/** As many organizations as asked for, each with keys of its own. */
async function createOrganizations(count: number): Promise<Credentials[]> {
  const owner = firstCredentials();
  const database = await findRunningPostgres(join(home, '.carillon'));
  const pool = createPool(database ?? '', 2);
  for (let n = 0; n < count; n += 1)
    await createOrganizationFor(pool, { CARILLON_PLAN: 'unmetered' }, owner.admin_email, `Reader ${n}`);
  await pool.end();
  const { cookie } = await signIn(owner);
  const me = await call('GET', '/auth/me', { cookie });
  const organizations = me.organizations.filter(({ id }: { id: string }) => id !== owner.organization_id);
  return Promise.all(
    organizations.map(async ({ id, environments }: Organization) => {
      const environment = (kind: string) => environments.find((one) => one.kind === kind)?.id ?? '';
      const keyOf = async (kind: string) => {
        const headers = { cookie, 'x-environment-id': environment(kind) };
        return (await call('POST', '/v1/api-keys', headers, { name: 'reader', preset: 'full_access' })).key;
      };
      return {
        ...owner,
        organization_id: id,
        test_environment_id: environment('test'),
        live_environment_id: environment('live'),
        test_key: await keyOf('test'),
        live_key: await keyOf('live'),
      };
    }),
  );
}

interface Organization {
  id: string;
  environments: { id: string; kind: string }[];
}

async function signIn({ admin_email: email, admin_password: password }: Credentials) {
  const response = await fetch(`${url}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  return {
    cookie: response.headers
      .getSetCookie()
      .map((set) => set.split(';')[0])
      .join('; '),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: whatever the wire holds
async function call(method: string, path: string, headers: object, body?: object): Promise<any> {
  const response = await fetch(url + path, {
    method,
    headers: { 'x-carillon-csrf': '1', 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

const pages = pagesInOrder().filter((page) => blocksOf(page).some(({ notRun }) => notRun === null));

describe.skipIf(process.platform === 'win32')('the shell commands of a guide run', () => {
  test('in the index, and set what the guides use', async () => {
    const { folder, env, addresses } = readerIn(home, firstCredentials());
    const isSet = (name: string) => new RegExp(`\\b${name}=`).test(textOf(index));
    const bare = Object.fromEntries(Object.entries(env).filter(([name]) => !isSet(name)));
    expect(await environmentOfIndex({ folder, env: bare, addresses })).toMatchObject(env);
  });

  test.each(pages)(
    'in the order of the index: %s',
    async (page) => {
      expect(await runPage(page, readerIn(home, firstCredentials()))).toBe('');
    },
    pageDeadlineMs,
  );

  describe('alone', { concurrent: true, timeout: pageDeadlineMs }, () => {
    let organizations: Credentials[];
    beforeAll(async () => {
      organizations = await createOrganizations(pages.length);
    });
    // What an operator does is the same in every organization.
    const own = pages.filter((page) =>
      blocksOf(page).some(({ code }) => /\$(?:CARILLON|ENVIRONMENT|ORGANIZATION)_|^carillon /m.test(code)),
    );
    test.each(own.map((page, number) => ({ page, number })))(
      'in an organization that has nothing yet: $page',
      async ({ page, number }) => {
        const reader = newReader(organizations[number] as Credentials, `reader-${number}`);
        expect(await runPage(page, reader)).toBe('');
      },
    );
  });
});

test('--database-url prints an address that leads to the bundled database', async () => {
  const run = promisify(execFile)(process.execPath, [program, '--database-url'], {
    cwd: home,
    env: settings,
  });
  const pool = createPool((await run).stdout.trim(), 1);
  const { rows } = await pool.query('select count(*)::int as organizations from organizations');
  await pool.end();
  expect(rows[0].organizations).toBeGreaterThan(0);
});

test('commands that no test runs are few, and say why', () => {
  const blocks = [index, ...pagesInOrder()].flatMap(blocksOf);
  const odd = blocks.filter(
    ({ info, notRun }) => info !== '' && !reasonsNotToRun.some((why) => why === notRun),
  );
  expect(odd.map(({ page, line, info }) => `${page}:${line}: ${info}`)).toEqual([]);
  const skipped = blocks.filter(({ notRun }) => notRun !== null);
  expect(blocks.length).toBeGreaterThan(90);
  expect(skipped.length).toBeLessThanOrEqual(12);
});

test('shell commands are in fences of the language sh', () => {
  const odd = [index, ...pagesInOrder()].filter((page) =>
    /^ *```(bash|shell|console|zsh)/m.test(textOf(page)),
  );
  expect(odd).toEqual([]);
});
