import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dumpSchema } from '../../src/db/dump.ts';
import { listMigrations, pendingMigrations } from '../../src/db/migrate.ts';
import { query, type Sql } from '../../src/db/sql.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { secretsOf } from '../move/cells.ts';
import { secretOf } from '../simulators/secret.ts';
import { smsone } from '../simulators/smsone.ts';
import { type Answers, readAnswers, readInbox } from './answers.ts';
import { loadDump } from './dump.ts';
import { readRelease, releases } from './fixtures.ts';
import { type Answer, type Caller, callerOf, reaches, sharedSettings, signIn } from './installation.ts';

const repository = new URL('../../../', import.meta.url);
const startSmsone = () =>
  smsone.start({ port: 0, secretFor: (field) => secretOf(`${smsone.kind} ${field}`) });

/** All work is due now, except the timeout of this run: the age of a fixture must not decide. */
async function passTime(sql: Sql, waitingForEvent: string): Promise<void> {
  const due = `now() + case when id = $1 then interval '1 day' else interval '0' end`;
  await query(sql, `update queue_later set run_at = ${due}`, [waitingForEvent]);
  await query(
    sql,
    `update runs set state = jsonb_set(state::jsonb, '{pending,until}', to_jsonb(floor(extract(epoch from ${due}) * 1000)))::json
     where status = 'waiting'`,
    [waitingForEvent],
  );
  await query(sql, 'update digests set closes_at = now()');
  await query(sql, 'update notifications set send_at = now() where send_at is not null');
}

/** A release may add scopes, and then keys with a preset have them. */
function withoutNewScopes(now: Answers, before: Answers): Answers {
  const known = new Set<string>();
  JSON.stringify(before, (name, value) => {
    if (name === 'scopes') for (const scope of value) known.add(scope);
    return value;
  });
  const filtered = (name: string, value: unknown) =>
    name === 'scopes' && Array.isArray(value) ? value.filter((scope) => known.has(scope)) : value;
  return JSON.parse(JSON.stringify(now, filtered));
}

describe.each(releases())('an installation of %s', (release) => {
  const { dump, unfinished, answers } = readRelease(release);
  let database: TestDatabase;
  let provider: Awaited<ReturnType<typeof startSmsone>>['simulator'];
  let app: TestApp;
  let caller: Caller;

  /** The new release on the database of the old one. */
  async function start(roles: string): Promise<void> {
    app = await startTestApp({
      database,
      settings: { ...sharedSettings, CARILLON_ROLES: roles, CARILLON_SMSONE_API_URL: provider.url },
    });
    caller = callerOf(app.url);
  }

  beforeAll(async () => {
    database = await createTestDatabase('template0');
    ({ simulator: provider } = await startSmsone());
    await loadDump(database.pool, dump);
  });
  afterAll(async () => {
    await app?.stop();
    await Promise.all([provider?.stop(), database?.drop()]);
  });

  test('is migrated by the first start to the schema of a new installation', async () => {
    const fresh = await createTestDatabase();
    await start('api');
    expect(await pendingMigrations(database.pool)).toEqual([]);
    expect(await dumpSchema(database.pool)).toBe(await dumpSchema(fresh.pool));
    await fresh.drop();
  });

  test('still answers every read as the old release did', async () => {
    const before = Object.keys(answers);
    expect(before.length).toBeGreaterThan(150);
    const now = withoutNewScopes(await readAnswers(caller, unfinished.inboxUser), answers);
    for (const question of before)
      expect({ [question]: now[question] }).toMatchObject({ [question]: answers[question] });
    expect(Object.keys(now)).toEqual(before);
  });

  test('keeps its secrets, keys, links and people', async () => {
    const [organization] = await query<{ id: string }>(database.pool, 'select id from organizations');
    const key = Buffer.from(sharedSettings.CARILLON_ENCRYPTION_KEY, 'base64');
    const secrets = await secretsOf(database.pool, key, organization?.id ?? '');
    expect(secrets).toEqual(
      expect.arrayContaining([
        `email_settings.providers ${secretOf('postmark server_token')}`,
        'chatone_installations.token_sealed xoxb-simulator-token',
        'workflow_versions.secrets_sealed ["fetch-secret"]',
      ]),
    );
    const narrow = { authorization: `Bearer ${unfinished.narrowKey}` };
    expect((await caller.send('GET', '/v1/notifications', narrow)).status).toBe(200);
    await expect(caller.send('GET', '/v1/templates', narrow)).rejects.toThrow('insufficient_scope');
    expect((await caller.send('GET', new URL(unfinished.unsubscribeLink).pathname, {})).status).toBe(200);
    const owner = await signIn(caller);
    const read = async (path: string): Promise<Answer> => (await caller.send('GET', path, owner)).json();
    const { organizations } = await read('/auth/me');
    const { data } = await read(`/auth/organizations/${organizations[0].id}/members`);
    expect(data.map(({ email }: { email: string }) => email).sort()).toEqual([
      'grace@example.com',
      'owner@example.com',
    ]);
  });

  test('finishes what the old release left under way, exactly once', async () => {
    const { scheduledEmail, scheduledSms, retried, waitingForEvent, delayed, digested } = unfinished;
    await app.stop();
    await passTime(database.pool, waitingForEvent);
    await start('api,worker');
    const event = { event_name: 'order.paid', event_data: { order: 'A-17' } };
    const { awoken_run_count } = await caller.call('test', 'POST', '/v1/workflows/order/events', event);
    expect(awoken_run_count).toBe(1);
    for (const run of [waitingForEvent, delayed, ...digested])
      await reaches(caller, 'test', `/v1/workflows/runs/${run}`, ({ status }) => status === 'completed');
    const ended = ({ status }: { status: string }) => status === 'sent' || status === 'delivered';
    await reaches(caller, 'test', `/v1/notifications/${scheduledEmail}`, ended);
    await reaches(caller, 'live', `/v1/notifications/${scheduledSms}`, ended);
    const tried = answers[`live /v1/notifications/${retried}`].attempt_count;
    await reaches(
      caller,
      'live',
      `/v1/notifications/${retried}`,
      ({ attempt_count }) => attempt_count > tried,
    );

    expect(provider.received.map(({ text }) => text)).toEqual(['Scheduled by the previous release.']);
    const sandbox = await caller.call(
      'test',
      'GET',
      `/v1/sandbox/messages?notification_id=${scheduledEmail}`,
    );
    expect(sandbox.data).toHaveLength(1);
    const inbox = await readInbox(caller, 'test', unfinished.inboxUser);
    const bodies = inbox.data.map(({ html_body }: { html_body: string }) => html_body);
    expect(bodies.filter((body: string) => body === '<p>3 comments</p>')).toHaveLength(1);
    expect(bodies).toHaveLength(answers.inbox.data.length + 1);
  });
});

test('an installation from before the newest migrations is among the fixtures', () => {
  const newest = listMigrations().at(-1)?.name ?? '';
  expect(releases().some((release) => !readRelease(release).dump.includes(newest))).toBe(true);
});

test('a released version has a dump', () => {
  const read = (name: string): string => readFileSync(new URL(name, repository), 'utf8');
  const released = [...read('CHANGELOG.md').matchAll(/^## \[(\d\S*)\] - \d{4}-\d\d-\d\d$/gm)].map(
    ([, version]) => version,
  );
  expect(releases()).toEqual(expect.arrayContaining(released));
});
