import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { version } from '@carillon/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commands } from '../src/commands.ts';
import { createWorld, type World } from './world.ts';

let world: World;
beforeAll(() => {
  world = createWorld();
});
afterAll(() => world.remove());

test('the help lists every command, and each has its own with an example', async () => {
  const { code, out } = await world.run(['--help']);
  expect(code).toBe(0);
  for (const { name } of commands) {
    expect(out).toContain(` ${name} `);
    const help = await world.run(['help', ...name.split(' ')]);
    expect(help.code).toBe(0);
    expect(help.out).toMatch(/Usage: carillon .*\n[\s\S]*Examples:\n {2}# /);
    expect(help.out.split('\n').filter((line) => line.length > 160)).toEqual([]);
  }
  expect((await world.run(['keys', 'create', '--help'])).out).toContain('--preset <preset>');
  expect((await world.run([])).out).toBe(out);
  expect((await world.run(['--version'])).out).toBe(`${version}\n`);
  const own = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  expect(own.version).toBe(version);
});

test.each([
  [['sned'], 'Unknown command: sned.', 'Did you mean `carillon send`?'],
  [['xyzzy'], 'Unknown command: xyzzy.', '`carillon --help` lists all commands.'],
  [['keys'], 'keys needs a subcommand.', 'Available: keys list, keys create, keys rotate, keys revoke.'],
  [['keys', 'crate'], 'Unknown command: keys crate.', 'Did you mean `carillon keys create`?'],
  [['get'], 'Missing argument.', 'Usage: carillon get <id>'],
  [['get', 'one', 'two'], 'Unexpected argument “two”.', 'Usage: carillon get <id>'],
  [['send', '--tto', 'x'], "Unknown option '--tto'.", ''],
  [['send', '--to'], "Option '-t, --to <value>' argument missing.", ''],
  [['get', 'x'], 'No API key for http://127.0.0.1:8400.', '`carillon login`'],
  [['get', 'x', '--profile', 'nobody'], 'Profile nobody not found.', 'Run `carillon login`.'],
  [['completion', 'tcsh'], 'Unknown shell: tcsh.', 'bash, zsh, fish'],
])('wrong usage %j is explained', async (args, message, hint) => {
  const { code, out, err } = await world.run(args);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(message);
  expect(err).toContain(hint);
});

test('whatever answers, or does not, is told in a sentence', async () => {
  const page = createServer((_request, response) => {
    response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');
  });
  await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(page.address() as AddressInfo).port}`;
  const env = { CARILLON_API_KEY: 'crl_test_0123456789abcdefghij', CARILLON_URL: url };
  const html = await world.run(['get', 'x'], { env });
  expect(html.code).toBe(1);
  expect(html.err).toContain('is not from Carillon');
  expect(html.err).toContain('The response is not from Carillon');
  await new Promise((resolve) => page.close(resolve));
  const down = await world.run(['get', 'x'], { env });
  expect(down.code).toBe(1);
  expect(down.err).toContain(`Is Carillon running at ${url}?`);
});

test('outside the repository, start says what is missing', async () => {
  const { code, err } = await world.run(['start'], { env: { CARILLON_HOME: world.folder } });
  expect(code).toBe(1);
  expect(err).toContain('requires a checkout of the repository');
  expect(err).toContain('run: npx @carillon/server\n');
  expect((await world.run(['start', '--help'])).out).toContain('Start the service.');
});

test('start, demo and simulators run what the repository has, and hand on arguments and exit code', async () => {
  const home = join(world.folder, 'repository');
  mkdirSync(join(home, 'scripts'), { recursive: true });
  writeFileSync(join(home, 'package.json'), '{"name": "carillon"}');
  const script = `require('node:fs').writeFileSync('ran', process.argv.slice(2).join()); process.exitCode = 7;`;
  for (const name of ['start', 'demo', 'simulators']) {
    writeFileSync(
      join(home, `scripts/${name}.mjs`),
      `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url); ${script}`,
    );
    const { code } = await world.run([name, '--free-ports', 'x'], {
      env: { ...process.env, CARILLON_HOME: home },
    });
    expect(code).toBe(7);
    expect(readFileSync(join(home, 'ran'), 'utf8')).toBe('--free-ports,x');
  }
});

test('what the profiles file holds is kept private, and a broken one is not overwritten', async () => {
  const path = join(world.folder, 'home/.config/carillon/config.json');
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, '{ "profiles": ');
  const { code, err } = await world.run(['get', 'x']);
  expect(code).toBe(1);
  expect(err).toContain('was not written by `carillon login`');
  const profile = { url: 'http://127.0.0.1:1', api_key: 'crl_test_x', environment: 'test' };
  writeFileSync(path, JSON.stringify({ current: null, profiles: { one: profile, two: profile } }));
  chmodSync(path, 0o644);
  expect((await world.run(['login', 'one', '--use'])).code).toBe(0);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(await world.json(['login', '--list'])).toMatchObject([
    { name: 'one', current: true, last4: 'st_x' },
    { name: 'two', current: false },
  ]);
  expect((await world.run(['logout'])).out).toBe('Forgot one.\n');
  expect((await world.run(['logout'])).code).toBe(3);
  expect((await world.run(['login', 'one', '--use'])).code).toBe(2);
});

test('a key never goes to another address than it was given for', async () => {
  const heard: (string | undefined)[] = [];
  const stranger = createServer((request, response) => {
    heard.push(request.headers.authorization);
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`;
  expect((await world.run(['login', 'two', '--use'])).code).toBe(0);
  for (const run of [
    world.run(['get', 'x', '--url', url]),
    world.run(['get', 'x'], { env: { CARILLON_URL: url } }),
  ]) {
    expect((await run).err).toContain(`No API key for ${url}.`);
  }
  const both = await world.run(['get', 'x', '--profile', 'two', '--url', url]);
  expect(both.code).toBe(2);
  expect(both.err).toContain(`The key of two is for http://127.0.0.1:1 and is not sent to ${url}.`);
  expect(heard).toEqual([]);
  await new Promise((resolve) => stranger.close(resolve));
});

test('the completion of bash knows commands, their second words and flags', async () => {
  const { out } = await world.run(['completion', 'bash']);
  const path = join(world.folder, 'completion.sh');
  writeFileSync(
    path,
    `${out}\ncomplete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _carillon; echo "\${COMPREPLY[*]}"; }
complete_words carillon wor; complete_words carillon workflows si; complete_words carillon workflows simulate --ev; complete_words carillon send --chan`,
  );
  const { stdout } = await promisify(execFile)('bash', [path]);
  expect(stdout.trim().split('\n')).toEqual(['workflows', 'simulate', '--event', '--channel']);
  expect((await world.run(['completion', 'zsh'])).out).toContain('bashcompinit');
  expect((await world.run(['completion', 'fish'])).out).toContain(
    "-l dry-run -d 'Show what would change, change nothing'",
  );
});

test('people read the names of the services, and learn what to write', async () => {
  const { out } = await world.run(['send', '--help']);
  expect(out).toContain('chatone (Slack), chattwo (Microsoft Teams), chatthree (Discord)');
  for (const [given, hint] of [
    ['slack', 'For Slack, use chatone.'],
    ['Teams', 'For Microsoft Teams, use chattwo.'],
    ['discord', 'For Discord, use chatthree.'],
  ] as const) {
    const refused = await world.run(['send', '--channel', given, '--to', 'x']);
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining(hint) });
  }
  const { err } = await world.run(['tail', '--channel', 'fax']);
  expect(err).toContain('--channel must be one of email, in_app, webhook, sms, chatone (Slack)');
  expect(err).not.toContain('is called');
});
