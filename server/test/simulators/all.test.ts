import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withVendor } from '../../src/kernel/vendors.ts';
import { startTestApp, type TestApp, waitUntil } from '../harness/app.ts';
import { type Running, simulators, whyNot } from './all.ts';

const running = new Map<string, Running>();
const lines: string[] = [];
let app: TestApp;

beforeAll(async () => {
  for (const { name, start } of simulators)
    running.set(name, await start(0, (line) => lines.push(`${name} ${line}`)));
  const settings = Object.assign({}, ...[...running.values()].map(({ settings = {} }) => settings));
  app = await startTestApp({ settings });
});
afterAll(async () => {
  await app.stop();
  await Promise.all([...running.values()].map((simulator) => simulator.stop()));
});

describe('npm run simulators', () => {
  it('has the ports that the guide lists', () => {
    const guide = readFileSync(new URL('../../../docs/guides/simulators.md', import.meta.url), 'utf8');
    const listed = [...guide.matchAll(/^\| `(\w+)` \| (\d+) \|/gm)].map(([, name, port]) => [
      name,
      Number(port),
    ]);
    expect(listed).toEqual(simulators.map(({ name, port }) => [name, port]));
  });

  it('has a port of its own for each', () => {
    const ports = simulators.map(({ port }) => port);
    expect(new Set(ports).size).toBe(ports.length);
    const contributing = readFileSync(new URL('../../../CONTRIBUTING.md', import.meta.url), 'utf8');
    // The control ports of the HTTP/2 simulators follow theirs.
    const [, tutorial] = /8_429\/(8_\d+)/.exec(contributing) ?? [];
    expect(Number(tutorial?.replace('_', ''))).toBeGreaterThan(Math.max(...ports) + 1);
  });

  it.each(simulators.map(({ name }) => name))(
    '%s gets what is sent as its instructions say',
    async (name) => {
      const simulator = running.get(name);
      if (!simulator) throw new Error(`${name} does not run`);
      for (const { method, path, body } of simulator.steps) {
        const answer = await app.request(method, path.replace('{env}', app.liveEnvironmentId), {
          key: app.liveKey,
          body,
        });
        expect([path, answer.status, answer.body.error]).toEqual([
          path,
          expect.toBeOneOf([200, 201]),
          undefined,
        ]);
      }
      // Settings of an earlier provider of the channel may count for a second more.
      await waitUntil(async () => {
        const { body } = await app.request('POST', '/v1/notifications', {
          key: app.liveKey,
          body: simulator.send,
        });
        const ended = await app.waitFor(body.id, ({ status }) => !['queued', 'sending'].includes(status));
        return lines.some((line) => line.startsWith(`${name} `)) || new Error(JSON.stringify(ended));
      }, 20_000);
    },
  );

  it.each(simulators.map(({ name }) => name))('%s says what can be scripted', async (name) => {
    const answer = await fetch(`${running.get(name)?.controlUrl}/__nothing`, { method: 'POST', body: '{}' });
    expect(await answer.json()).toMatchObject({ controls: expect.arrayContaining(['script']) });
  });

  it('smtp answers as scripted', async () => {
    const simulator = running.get('smtp');
    const script = async (body: object) =>
      (await fetch(`${simulator?.controlUrl}/__reply`, { method: 'POST', body: JSON.stringify(body) }))
        .status;
    expect(await script({ step: 'rcpt', code: 550, text: '5.1.1 No such user' })).toBe(200);
    expect(await script({ step: 'rcpt' })).toBe(200);
    expect(await script({ step: 'dance' })).toBe(400);
  });
});

it('the command says which port is in use, and how to do without it', async () => {
  const { port } = new URL(running.get('webhook')?.url ?? '');
  for (const { name, start } of simulators) {
    const error = await start(Number(port), () => {}).catch((error: unknown) => error);
    expect(whyNot(name, error)).toBe(
      `${withVendor(name)} cannot start: port ${port} is taken by another program. Stop that program, or let the simulators use free ports: npm run simulators -- --free-ports`,
    );
  }
  expect(whyNot('smtp', new Error('no memory'))).toBe('smtp cannot start: no memory');
});

it('the command prints how to point Carillon at each, and stops on a signal', async () => {
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  const child = spawn(
    process.execPath,
    ['--import', './scripts/typescript.mjs', 'server/test/simulators/main.ts', '--free-ports'],
    { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += String(chunk);
  });
  await waitUntil(async () => printed.includes('are running') || new Error(printed), 30_000);
  for (const { name } of simulators) expect(printed).toContain(`# ${withVendor(name)} on port `);
  expect(printed).toMatch(/# smtp on port (\d+), controlled on port (?!\1)\d+\n/);
  expect(printed).toContain('# Slack (chatone) on port ');
  for (const setting of ['CARILLON_SMSONE_API_URL', 'CARILLON_CHATTWO_URL_PATTERNS'])
    expect(printed).toContain(`export ${setting}=`);
  const exited = once(child, 'exit');
  child.kill('SIGINT');
  expect(await exited).toEqual([0, null]);
}, 60_000);
