import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp, waitUntil } from '../../server/test/harness/app.ts';
import { createWorld, type World } from './world.ts';

let app: TestApp;
let world: World;
beforeAll(async () => {
  app = await startTestApp();
  world = createWorld({ CARILLON_URL: app.url, CARILLON_API_KEY: app.testKey });
});
afterAll(async () => {
  world.remove();
  await app.stop();
});

test('a freeze holds, is shown, and ends with the progress of its release', async () => {
  expect((await world.run(['brake', 'status'])).out).toBe('Nothing is frozen or held.\n');
  expect((await world.run(['freeze', 'pigeon'])).code).not.toBe(0);
  const frozen = await world.run(['freeze', 'email', '--reason', 'A loop']);
  expect(frozen.out).toMatch(/^Frozen since .*Z: email\./);
  const sent = await world.json([
    'send',
    '--to',
    'delivered@sandbox.test',
    '--subject',
    'Hi',
    '--text',
    'Hi',
  ]);
  await waitUntil(async () => {
    const { out } = await world.run(['brake', 'status']);
    return out.includes('held     freeze:email  1') ? out : new Error(out);
  });
  // Days of a hold are not waited for, and the caller learns why.
  const waited = await world.run([
    'send',
    '--to',
    'ada@example.com',
    '--subject',
    'Hi',
    '--text',
    'Hi',
    '--wait',
  ]);
  expect(waited.out).toMatch(/^queued \(held\) .*\n.*The channel email is frozen since/);
  expect(waited.code).toBe(1);
  await app.request('DELETE', `/v1/notifications/${/[0-9a-f-]{36}/.exec(waited.out)?.[0]}`);
  expect((await world.run(['brake', 'holds', 'freeze:email'])).out).toMatch(
    /^1 notification to 1 recipient\n/,
  );
  expect((await world.run(['unfreeze', 'email'])).err).toContain('--yes');
  const unfrozen = await world.run(['unfreeze', 'email', '--yes'], { terminal: true });
  expect(unfrozen.out).toMatch(/^done {2}1 of 1 released/);
  expect(unfrozen.progress.length === 0 || /^[█░]+ \d of 1$/.test(unfrozen.progress[0] ?? '')).toBe(true);
  await app.waitFor(sent.id, ({ status }) => status === 'delivered');
  expect((await world.run(['unfreeze', 'email', '--yes'])).code).toBe(3);
});

test('rules are files: pushed, pulled, and bad ones are refused by name; defaults are left alone', async () => {
  const folder = join(world.folder, 'carillon', 'rules');
  mkdirSync(folder, { recursive: true });
  const rule = { name: 'Cap', scope: 'recipient', window: 'day', limit: 3, match: { channel: 'email' } };
  writeFileSync(join(folder, 'cap.json'), JSON.stringify(rule));
  expect(await world.json(['rules', 'push', '--yes'])).toMatchObject({ applied: true });
  expect((await app.request('GET', '/v1/brake/rules/cap')).body).toMatchObject({ ...rule, action: 'hold' });
  expect((await world.json(['rules', 'push', '--yes'])).changes).toEqual([]);
  expect((await world.json(['rules', 'pull', '--yes', '--force'])).changes).toEqual([]);
  await app.request('PUT', '/v1/brake/rules/cap', { body: { ...rule, limit: 4 } });
  expect((await world.json(['rules', 'pull', '--yes'])).changes).toHaveLength(1);
  expect(readFileSync(join(folder, 'cap.json'), 'utf8')).toContain('"limit": 4');
  writeFileSync(join(folder, 'bad.json'), JSON.stringify({ ...rule, scope: 'planet' }));
  expect((await world.run(['rules', 'push', '--yes'])).err).toContain('bad.json: scope must be environment');
});
