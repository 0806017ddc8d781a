import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../server/test/harness/app.ts';
import { barOf } from '../src/commands/broadcast.ts';
import { createWorld, type World } from './world.ts';

let app: TestApp;
let world: World;
beforeAll(async () => {
  app = await startTestApp();
  world = createWorld({ CARILLON_URL: app.url, CARILLON_API_KEY: app.testKey });
  await app.request('POST', '/v1/topics', { body: { key: 'news', name: 'News' } });
  for (const id of ['ada', 'bob'])
    await app.request('PUT', `/v1/users/${id}`, { body: { email: `${id}@example.com` } });
});
afterAll(async () => {
  world.remove();
  await app.stop();
});

const message = ['--name', 'Hello', '--subject', 'Hi', '--text', 'Hello'];

test('subscribers come from arguments and from files', async () => {
  writeFileSync(join(world.folder, 'users.txt'), 'ada\n\n bob \n');
  expect((await world.run(['topics', 'add', 'news', '--from', 'users.txt'])).out).toBe(
    '2 subscribers added.\n',
  );
  expect((await world.run(['topics', 'add', 'news', 'ada', 'eve'])).out).toBe('1 subscriber added.\n');
  expect(await world.json(['topics', 'remove', 'news', '--from', '-'], { input: 'eve\n' })).toEqual({
    removed: 1,
  });
  expect((await world.run(['topics', 'list'])).out).toContain('news  2');
  expect((await world.run(['topics', 'add', 'news'])).code).toBe(2);
});

test('the link to the preference page of a user is printed', async () => {
  const { out } = await world.run(['preferences', 'link', 'ada']);
  expect(out).toMatch(/^http:\/\/\S+\/p\/[\w-]+\n$/);
  expect(await world.json(['preferences', 'link', 'ada'])).toEqual({ url: out.trim() });
});

test('a broadcast is shown before it starts, and watched to its end', async () => {
  const dry = await world.run(['broadcast', 'start', ...message, '--topic', 'news', '--dry-run']);
  expect(dry).toMatchObject({ code: 0 });
  expect(dry.out).toContain('Audience    2 users\nWould send  2: email 2\n');
  const refused = await world.run(['broadcast', 'start', ...message, '--topic', 'news'], { answers: ['n'] });
  expect(refused.err).toContain('Nothing was sent.');
  expect(await world.json(['broadcast', 'list'])).toEqual([]);
  const watched = await world.run(['broadcast', 'start', ...message, '--topic', 'news', '--yes', '--watch'], {
    terminal: true,
  });
  expect(watched).toMatchObject({ code: 0 });
  expect(watched.progress.at(-1)).toMatch(/^[█░]{24} \d+ % · \d of \d · /);
  expect(watched.out).toContain('2 of 2: delivered 2');
  const [broadcast] = await world.json(['broadcast', 'list']);
  expect((await world.run(['broadcast', 'pause', broadcast.id])).err).toContain('already done');
});

test('everybody is asked for by name, and a cancelled broadcast ends with 1', async () => {
  const later = ['--send-at', new Date(Date.now() + 3_600_000).toISOString()];
  const started = await world.json(['broadcast', 'start', ...message, '--all', ...later, '--yes']);
  expect(started).toMatchObject({ status: 'scheduled', audience: { all: true, confirm: true } });
  expect((await world.run(['broadcast', 'pause', started.id])).out).toContain('paused Hello');
  expect((await world.run(['broadcast', 'resume', started.id])).out).toContain('scheduled Hello');
  expect((await world.run(['broadcast', 'cancel', started.id])).out).toContain('cancelled Hello');
  expect((await world.run(['broadcast', 'watch', started.id])).code).toBe(1);
  expect((await world.run(['broadcast', 'start', ...message])).err).toContain('--topic, --filter or --all');
});

test('the bar shows share, counts and the estimated end', () => {
  const progress = { done: 1_500, total: 6_000, estimated_end_at: '2026-01-01T12:00:00Z' };
  const bar = barOf({ status: 'running', progress } as Parameters<typeof barOf>[0]);
  expect(bar).toMatch(/^█{6}░{18} 25 % · 1,500 of 6,000 · running · ends about \d\d:\d\d:\d\d$/);
  const empty = { ...progress, done: 0, total: 0, estimated_end_at: null };
  expect(barOf({ status: 'preparing', progress: empty } as Parameters<typeof barOf>[0])).toBe(
    `${'░'.repeat(24)} 0 % · 0 of 0 · preparing`,
  );
});
