import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorkflows, type Workflows } from '../../src/features/workflows/runs/test-harness.ts';
import { workKinds } from '../../src/queue/index.ts';
import { waitUntil } from '../harness/app.ts';
import { buildService, createServiceProcess, type ServiceProcess } from './service-process.ts';

let app: Workflows;
let workers: ServiceProcess[];
let folder: string;

beforeAll(async () => {
  await buildService();
  folder = mkdtempSync(join(tmpdir(), 'carillon-schedules-crash-'));
  app = await startWorkflows({ settings: { CARILLON_ROLES: 'api' } });
  workers = await Promise.all(
    ['one', 'two'].map((name) =>
      createServiceProcess({
        name,
        logFile: join(folder, `${name}.log`),
        settings: {
          DATABASE_URL: app.database.url,
          CARILLON_DATA_DIR: folder,
          CARILLON_ROLES: 'worker',
          CARILLON_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
        },
      }),
    ),
  );
}, 60_000);

afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.kill()));
  await app.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function count(text: string): Promise<number> {
  return (await app.pool.query(`select count(*)::int as count from ${text}`)).rows[0].count;
}

const schedules = 60;
const toMembers = 10;
const toBroadcast = 20;
const members = 1_000;

/** The first go to members, the last to a broadcast, the others start one run each. */
function targetOf(number: number, users: string[]): object {
  if (number >= schedules - toBroadcast)
    return {
      kind: 'broadcast',
      broadcast: {
        name: `Broadcast ${number}`,
        channels: ['in_app'],
        audience: { topic: 'news' },
        html_body: '<p>Hello</p>',
      },
    };
  const workflow = { kind: 'workflow', workflow_key: 'plain' };
  return number < toMembers ? { ...workflow, audience: { users } } : workflow;
}

test('workers that are killed while they fire slots start every run and every broadcast once', {
  timeout: 240_000,
}, async () => {
  await app.define('plain', [{ id: 'only', kind: 'noop' }]);
  const users = Array.from({ length: members }, (_, index) => `user-${index}`);
  await app.request('PUT', '/v1/users/reader', { body: { name: 'Reader' } });
  await app.request('POST', '/v1/topics', { body: { key: 'news', name: 'News' } });
  await app.request('POST', '/v1/topics/news/subscribers', { body: { external_user_ids: ['reader'] } });
  for (let number = 0; number < schedules; number++) {
    const { status } = await app.request('POST', '/v1/schedules', {
      body: {
        key: `yearly_${number}`,
        name: 'Yearly',
        cron: '0 0 1 1 *',
        target: targetOf(number, users),
      },
    });
    expect(status).toBe(201);
  }
  // All of them are due now.
  const now = new Date();
  await app.pool.query('update schedules set next_slot = $1, active_since = $1', [now]);
  await app.pool.query('update queue_later set run_at = $2 where kind = $1', [workKinds.schedule, now]);

  const total = schedules - toBroadcast - toMembers + toMembers * members;
  await Promise.all(workers.map((worker) => worker.start()));
  for (let kill = 0; kill < 4; kill++) {
    const reached = Math.floor((total * kill) / 5) + 1;
    await waitUntil(async () => {
      const started = await count('runs');
      return started >= reached ? started : new Error(`${started} runs`);
    }, 60_000);
    const worker = workers[kill % 2];
    await worker?.kill();
    await worker?.start();
  }
  await waitUntil(async () => {
    const open = await count("schedule_runs where status = 'running'");
    const begun = await count('schedule_runs');
    return open === 0 && begun === schedules ? begun : new Error(`${begun} begun, ${open} open`);
  }, 60_000);
  expect(await count('runs')).toBe(total);
  expect(
    await count(
      '(select 1 from runs where external_user_id is not null group by external_user_id having count(*) = 10) each_user',
    ),
  ).toBe(members);
  expect(await count('broadcasts')).toBe(toBroadcast);
  expect(await count('schedule_runs r join broadcasts b on b.id = r.broadcast_id')).toBe(toBroadcast);
  await waitUntil(async () => {
    const done = await count("broadcasts where status = 'done'");
    return done === toBroadcast ? done : new Error(`${done} broadcasts`);
  }, 60_000);
  expect(await count("notifications where external_user_id = 'reader'")).toBe(toBroadcast);
  expect(await count(`queue_later where kind = ${workKinds.schedule}`)).toBe(schedules);
  expect(workers.flatMap(({ unexpectedEnds }) => unexpectedEnds)).toEqual([]);
});
