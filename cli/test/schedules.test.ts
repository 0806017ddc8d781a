import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../server/test/harness/app.ts';
import { createWorld, type World } from './world.ts';

let app: TestApp;
let world: World;
beforeAll(async () => {
  app = await startTestApp();
  world = createWorld({ CARILLON_URL: app.url, CARILLON_API_KEY: app.testKey });
  mkdirSync(at('workflows'), { recursive: true });
  mkdirSync(at('schedules'));
  writeFileSync(
    at('workflows/report.json'),
    JSON.stringify({ name: 'Report', body: { steps: [{ id: 'only', kind: 'noop' }] } }),
  );
});
afterAll(async () => {
  world.remove();
  await app.stop();
});

const at = (path: string): string => join(world.folder, 'carillon', path);
const write = (schedule: object): void =>
  writeFileSync(at('schedules/weekly.json'), JSON.stringify({ name: 'Weekly', ...schedule }));
const target = { kind: 'workflow', workflow_key: 'report' };

test('schedules are files: pushed with their workflow, pulled as they are, paused, pruned', async () => {
  write({ target: { ...target, workflow_key: 'none' }, cron: '0 9 * * 1' });
  const lost = await world.run(['push', '--yes']);
  expect([lost.code === 0, lost.err]).toEqual([
    false,
    expect.stringContaining('refers to the workflow none, which does not exist'),
  ]);
  write({ target, cron: '0  9 * * 1', timezone: 'Europe/Rome', starts_at: '2026-01-01T00:00:00+01:00' });
  expect(await world.run(['push', '--yes'])).toMatchObject({ code: 0 });
  expect(await world.run(['diff', '--exit-code'])).toMatchObject({ code: 0 });
  const before = await app.request('GET', '/v1/schedules/weekly');
  write({
    status: 'paused',
    target,
    cron: '0 9 * * 1',
    timezone: 'Europe/Rome',
    starts_at: '2025-12-31T23:00:00Z',
  });
  expect(await world.run(['push', '--yes'])).toMatchObject({ code: 0 });
  expect((await app.request('GET', '/v1/schedules/weekly')).body).toMatchObject({
    status: 'paused',
    cron: before.body.cron,
  });
  rmSync(at('schedules/weekly.json'));
  expect(await world.run(['schedules', 'pull'])).toMatchObject({ code: 0 });
  expect(JSON.parse(readFileSync(at('schedules/weekly.json'), 'utf8'))).toEqual({
    name: 'Weekly',
    status: 'paused',
    target,
    cron: '0 9 * * 1',
    timezone: 'Europe/Rome',
    starts_at: '2025-12-31T23:00:00.000Z',
  });
  write({ target, rule: { every: 'day', at: '07:00' } });
  expect(await world.run(['push', '--yes'])).toMatchObject({ code: 0 });
  expect((await app.request('GET', '/v1/schedules/weekly')).body).toMatchObject({
    status: 'active',
    cron: '0 7 * * *',
  });
});

test('a schedule of a broadcast is a file too, and what it refers to is checked before the push', async () => {
  const broadcast = {
    name: 'News',
    channels: ['email'],
    audience: { topic: 'news' },
    subject: 'News',
    text_body: 'Hello',
  };
  const file = { target: { kind: 'broadcast', broadcast }, cron: '0 9 * * 1' };
  write({ ...file, target: { kind: 'broadcast' } });
  expect((await world.run(['push', '--yes'])).err).toContain('target.broadcast must be an object');
  write(file);
  expect((await world.run(['push', '--yes'])).err).toContain(
    'refers to the topic news, which does not exist',
  );
  await app.request('POST', '/v1/topics', { body: { key: 'news', name: 'News' } });
  expect(await world.run(['push', '--yes'])).toMatchObject({ code: 0 });
  expect(await world.run(['diff', '--exit-code'])).toMatchObject({ code: 0 });
  rmSync(at('schedules/weekly.json'));
  expect(await world.run(['schedules', 'pull'])).toMatchObject({ code: 0 });
  expect(JSON.parse(readFileSync(at('schedules/weekly.json'), 'utf8'))).toEqual({ name: 'Weekly', ...file });
  const simulated = await world.run(['schedules', 'simulate', 'weekly', '--now', '2026-05-01T00:00:00Z']);
  expect(simulated.out).toContain('2026-05-04T09:00:00+00:00  0 of 0 users would be sent to');
  write({ target, rule: { every: 'day', at: '07:00' } });
  expect(await world.run(['push', '--yes'])).toMatchObject({ code: 0 });
});

test('a schedule is shown, paused, resumed, run and simulated', async () => {
  expect((await world.run(['schedules', 'list'])).out).toContain('weekly  active');
  const shown = await world.run(['schedules', 'get', 'weekly']);
  expect(shown.out.trim().split('\n')).toHaveLength(11);
  expect((await world.run(['schedules', 'pause', 'weekly'])).out).toContain('paused');
  expect((await world.run(['schedules', 'resume', 'weekly'])).out).toContain('active');
  expect((await world.run(['schedules', 'run', 'weekly', '--yes'])).out).toMatch(/^Started /);
  expect((await world.run(['schedules', 'runs', 'weekly'])).out).toContain('started');
  const simulated = await world.run([
    'schedules',
    'simulate',
    'weekly',
    '--now',
    '2026-05-01T00:00:00Z',
    '--runs',
    '2',
  ]);
  expect(simulated.out).toContain('2026-05-02T07:00:00+00:00  completed  only noop');
  expect((await world.run(['schedules', 'get', 'nobody'])).code).toBe(3);
  rmSync(at('schedules/weekly.json'));
  expect(await world.run(['schedules', 'push', '--prune', '--yes'])).toMatchObject({ code: 0, err: '' });
  expect((await app.request('GET', '/v1/schedules/weekly')).status).toBe(404);
});
