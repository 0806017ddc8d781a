import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../server/test/app.ts';
import { createWorld, type World } from './world.ts';

const guide = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../docs/guides/${name}`, import.meta.url)), 'utf8');
/** The commands of its shell examples, without comments; quotes group words. */
const commandsOf = (text: string): { args: string[]; input: string }[] =>
  [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, code = '']) =>
    code
      .trim()
      .split('\n')
      .map((line) => {
        const [, input = '', command = ''] =
          /^(?:echo '(.*)' \| )?carillon (.*?)(?: +# .*)?$/.exec(line) ?? [];
        return {
          args: [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? ''),
          input,
        };
      }),
  );

let app: TestApp;
let world: World;
beforeAll(async () => {
  app = await startTestApp();
  world = createWorld({ CARILLON_DATA_DIR: undefined });
  for (const key of [app.testKey, app.liveKey]) await world.run(['login', '--url', app.url], { input: key });
});
afterAll(async () => {
  world.remove();
  await app.stop();
});

test('every command of the guide to the command line works', async () => {
  const { id } = await world.json([
    'send',
    '--to',
    'delivered@sandbox.test',
    '--subject',
    's',
    '--text',
    't',
    '--wait',
  ]);
  for (const [path, body] of [
    ['/v1/topics', { key: 'release_notes', name: 'Release notes' }],
    ['/v1/topics/release_notes/subscribers', { external_user_ids: ['ada'] }],
  ] as const)
    await app.request('POST', path, { body });
  const commands = commandsOf(guide('cli.md'));
  expect(commands.length).toBeGreaterThanOrEqual(9);
  for (const { args, input } of commands) {
    if (args[0] === 'start' || args[0] === 'login') continue; // the service of the test runs already
    const filled = args.map((arg) => (arg.startsWith('0198c3a1-') ? id : arg));
    expect(await world.run(filled, { input }), filled.join(' ')).toMatchObject({ code: 0 });
  }
});

test('every command and file of the guide to configuration as code works', async () => {
  const text = guide('configuration-as-code.md');
  const named = [
    ...text.matchAll(/`((?:templates|categories|topics|workflows|rules|schedules|brand)\/\S+\.json)`/g),
  ].map(([, path = '']) => path);
  const blocks = [...text.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json = '']) => json);
  expect(named).toHaveLength(7);
  expect(blocks).toHaveLength(7);
  const write = (path: string, content: string) => {
    const file = join(world.folder, 'carillon', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  };
  expect((await world.run(['pull'])).code).toBe(0);
  for (const [index, path] of named.entries()) write(path, blocks[index] ?? '');
  for (const body of ['email.html', 'email.txt', 'email.de.html', 'sms.txt'])
    write(`templates/welcome/${body}`, 'Hello\n');
  write('templates/welcome/chatone.json', '[{"type": "divider"}]\n');
  for (const { args } of commandsOf(text).slice(1))
    expect(await world.run(args), args.join(' ')).toMatchObject({ code: 0 });
  const live = await app.request('GET', '/v1/workflows/onboarding', { key: app.liveKey });
  expect(live.body).toMatchObject({ status: 'active', name: 'Onboarding' });
});
