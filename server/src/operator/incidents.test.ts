import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp, waitUntil } from '../../test/harness/app.ts';
import { findOperatorCommand } from './index.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings: { CARILLON_ROLES: 'api' } });
});
afterAll(() => app.stop());

async function run(...words: string[]): Promise<{ code: number; said: string }> {
  const command = findOperatorCommand(['node', 'main.js', ...words]);
  if (!command) throw new Error('no such command');
  const lines: string[] = [];
  const code = await command.run(app.deps.config, (line) => lines.push(line), command.args);
  return { code, said: lines.join('\n') };
}

type Status = { active_incidents: { id: string }[]; recent_incidents: { id: string }[] };

/** The page may be a second old. */
async function statusWhen(isDue: (status: Status) => boolean): Promise<Status> {
  let status: Status = { active_incidents: [], recent_incidents: [] };
  await waitUntil(async () => {
    status = (await app.request('GET', '/status', { key: null })).body;
    return isDue(status) || new Error(JSON.stringify(status));
  });
  return status;
}

test('an operator opens an incident, tells how it goes and resolves it; the status page and the audit log say so', async () => {
  const opened = await run('--open-incident', 'SMS is delayed', 'We see delays of ten minutes.');
  expect(opened.code).toBe(0);
  const id = /[0-9a-f-]{36}/.exec(opened.said)?.[0] ?? '';
  expect(await statusWhen(({ active_incidents }) => active_incidents.length === 1)).toMatchObject({
    status: 'degraded',
    recent_incidents: [],
    active_incidents: [
      {
        id,
        title: 'SMS is delayed',
        status: 'active',
        source: 'operator',
        started_at: expect.stringMatching(/Z$/),
        resolved_at: null,
        updates: [{ message: 'We see delays of ten minutes.', created_at: expect.stringMatching(/Z$/) }],
      },
    ],
  });

  expect(await run('--update-incident', id, 'The provider works on it.')).toMatchObject({ code: 0 });
  expect(await run('--resolve-incident', id)).toMatchObject({ code: 0 });
  expect(await statusWhen(({ recent_incidents }) => recent_incidents.length === 1)).toMatchObject({
    status: 'operational',
    active_incidents: [],
    recent_incidents: [
      {
        id,
        status: 'resolved',
        resolved_at: expect.stringMatching(/Z$/),
        updates: [
          { message: 'This incident is resolved.' },
          { message: 'The provider works on it.' },
          { message: 'We see delays of ten minutes.' },
        ],
      },
    ],
  });
  const log = await app.request('GET', `/v1/audit-log?target=incident:${id}`);
  expect(log.body.data).toMatchObject([
    { action: 'incident.resolved', actor: { kind: 'system' }, after: { title: 'SMS is delayed' } },
    { action: 'incident.updated', after: { message: 'The provider works on it.' } },
    { action: 'incident.opened' },
  ]);
});

test('without an active incident to change it lists those that there are', async () => {
  const { said } = await run('--open-incident', 'Planned maintenance');
  const id = /[0-9a-f-]{36}/.exec(said)?.[0] ?? '';
  for (const words of [
    ['--update-incident'],
    ['--resolve-incident', 'this one'],
    ['--update-incident', '01981234-0000-7000-8000-000000000000', 'Hello'],
  ]) {
    const answer = await run(...words);
    expect([answer.code, answer.said], words.join(' ')).toEqual([
      1,
      expect.stringContaining(`  ${id}  Planned`),
    ]);
  }
  await run('--resolve-incident', id);
  expect((await run('--resolve-incident', id)).said).toContain('No incident is active.');
});

test.each([
  [['--open-incident'], 'The title is missing.'],
  [['--open-incident', 'x'.repeat(201)], 'The title must have at most 200 characters.'],
  [['--open-incident', 'Two\nlines'], 'The title must be one line'],
  [['--open-incident', 'Title', ''], 'The message is missing.'],
])('%j is refused', async (words, sentence) => {
  expect(await run(...words)).toEqual({ code: 2, said: expect.stringContaining(sentence) });
});

test('as many incidents can be open as the status page shows', async () => {
  const opened = [];
  for (let turn = 0; turn < 20; turn += 1) opened.push(await run('--open-incident', `Incident ${turn}`));
  expect(opened.every(({ code }) => code === 0)).toBe(true);
  expect(await run('--open-incident', 'One more')).toEqual({
    code: 1,
    said: expect.stringContaining('20 incidents are active'),
  });
  await statusWhen(({ active_incidents }) => active_incidents.length === 20);
});
