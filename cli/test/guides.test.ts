import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../server/test/harness/app.ts';
import { createWorld, type World } from './world.ts';

const guide = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../docs/guides/${name}`, import.meta.url)), 'utf8');
/** The commands of its shell examples, without comments, and whether they are for Live. */
const commandsOf = (text: string): { args: string[]; isLive: boolean }[] =>
  [...text.matchAll(/^(?:CARILLON_API_KEY=\$(\w+) )?carillon (.*?)(?: +# .*)?$/gm)].map(
    ([, key, command = '']) => ({ args: command.split(' '), isLive: key === 'CARILLON_LIVE_KEY' }),
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
  for (const { args, isLive } of commandsOf(text).slice(1)) {
    const env = isLive ? { CARILLON_API_KEY: app.liveKey, CARILLON_URL: app.url } : {};
    const { code, err } = await world.run(args, { env });
    expect({ args, code, said: code === 0 ? '' : err }).toEqual({ args, code: 0, said: '' });
  }
  const live = await app.request('GET', '/v1/workflows/onboarding', { key: app.liveKey });
  expect(live.body).toMatchObject({ status: 'active', name: 'Onboarding' });
});
