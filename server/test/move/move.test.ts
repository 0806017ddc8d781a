import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPool, query } from '../../src/db/sql.ts';
import { type Workflows, withWorkflows } from '../../src/features/workflows/runs/test-harness.ts';
import { newId } from '../../src/kernel/ids.ts';
import { readKeys } from '../../src/operator/move/export.ts';
import { keysOf, type MoveRow, readMoveFile, writeMoveFile } from '../../src/operator/move/move-file.ts';
import { planMove } from '../../src/operator/move/tables.ts';
import { type Load, startLoad } from '../crash/load.ts';
import { buildService } from '../crash/service-process.ts';
import { waitUntil } from '../harness/app.ts';
import { createTestDatabase } from '../harness/database.ts';
import { type SmtpSimulator, startSmtpSimulator } from '../simulators/smtp.ts';
import { type Cell, createStranger, rowsOf, secretsOf, startCell, startRouter } from './cells.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'carillon-move-'));
const file = join(folder, 'acme.move');
/** An export of the stranger's organization. */
const again = join(folder, 'again.move');

let source: Cell;
let target: Cell;
let workflows: Workflows;
let router: Awaited<ReturnType<typeof startRouter>>;
let mailServer: SmtpSimulator;
let load: Load;
let acme: string;
let stranger: Awaited<ReturnType<typeof createStranger>>;

beforeAll(async () => {
  [source, target, mailServer] = await Promise.all([
    startCell('a'),
    startCell('b'),
    startSmtpSimulator({ user: { username: 'acme', password: 'provider-password' } }),
    buildService(),
  ]);
  router = await startRouter(source.app.url);
  workflows = withWorkflows(source.app);
  const [row] = await query<{ id: string }>(source.app.pool, 'select id from organizations');
  acme = row?.id ?? '';
  stranger = await createStranger(source);
  const smtp = {
    host: '127.0.0.1',
    port: mailServer.port,
    secure: false,
    username: 'acme',
    password: 'provider-password',
  };
  await saveMail(source.app.liveKey, source.app.liveEnvironmentId, { kind: 'smtp', config: smtp });
  await saveMail(source.app.testKey, source.app.testEnvironmentId, {
    kind: 'resend',
    config: { api_key: 're_secret_key' },
  });
}, 60_000);
afterAll(async () => {
  void load?.stop(); // after a failure it would wait for answers in vain
  await router?.stop();
  await Promise.all([source?.app.stop(), target?.app.stop(), mailServer?.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

async function saveMail(key: string, environmentId: string, provider: object): Promise<void> {
  const body = { from_address: 'bells@example.com', providers: [provider] };
  const saved = await source.app.request('PUT', `/v1/environments/${environmentId}/email-settings`, {
    key,
    body,
  });
  expect([saved.status, saved.body.error]).toEqual([200, undefined]);
}

/** The path that the provider of the Test environment reports to. */
async function callbackPath({ app }: Cell): Promise<string> {
  const path = `/v1/environments/${source.app.testEnvironmentId}/email-settings`;
  const { body } = await app.request('GET', path, { key: source.app.testKey });
  return new URL(body.providers[0].callback_url).pathname;
}

const mail = (subject: string, more: object = {}) => ({
  channel: 'email',
  recipient: { address: 'ada@example.com' },
  subject,
  text_body: 'It rings.',
  ...more,
});

async function send(cell: Cell, body: object): Promise<string> {
  const answer = await cell.app.request('POST', '/v1/notifications', { key: source.app.liveKey, body });
  expect([answer.status, answer.body.error]).toEqual([202, undefined]);
  return answer.body.id;
}

const statusOf = async (cell: Cell, id: string): Promise<string> =>
  (await cell.app.request('GET', `/v1/notifications/${id}`, { key: source.app.liveKey })).body.status;

/** The events and the trace; of one that goes on, those until now. */
async function historyOf(cell: Cell, id: string): Promise<{ events: object[]; entries: object[] }> {
  const options = { key: source.app.liveKey };
  const { body } = await cell.app.request('GET', `/v1/notifications/${id}`, options);
  const trace = await cell.app.request('GET', `/v1/notifications/${id}/trace`, options);
  return { events: body.events, entries: trace.body.entries };
}

/** A person of both organizations, signed in at the source, sends for the other one. */
async function strangersSend(cookie: string): Promise<number> {
  const answer = await source.app.request('POST', '/v1/notifications', {
    key: null,
    headers: { cookie, 'x-carillon-csrf': '1', 'x-environment-id': stranger.testEnvironmentId },
    body: mail('From the stranger'),
  });
  return answer.status;
}

async function signIn(): Promise<string> {
  const { adminEmail: email, adminPassword: password } = source.app;
  const answer = await source.app.request('POST', '/auth/login', { key: null, body: { email, password } });
  expect(answer.status).toBe(204);
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}

test('an organization moves under load: every accepted notification is sent exactly once', {
  timeout: 120_000,
}, async () => {
  // Before the move: a scheduled email, one that is retried, a run that waits, tokens and links, and sends all the time.
  mailServer.script.rcpt = (address) =>
    address.startsWith('later') ? { code: 451, text: '4.3.0 Try again later' } : null;
  const scheduled = await send(
    source,
    mail('Scheduled', { send_at: new Date(Date.now() + 3_600_000).toISOString() }),
  );
  const retried = await send(source, mail('Retried', { recipient: { address: 'later@example.com' } }));
  await workflows.define('order', [
    {
      id: 'paid',
      kind: 'wait_for_event',
      event: 'paid',
      match: { order: '{{ trigger.order }}' },
      timeout: '3d',
    },
  ]);
  const run = await workflows.trigger('order', { order: 'A1' });
  await workflows.reaches(run, 'waiting');
  const token = (await source.app.request('POST', '/v1/inbox/tokens', { body: { external_user_id: 'ada' } }))
    .body.token;
  await source.app.request('POST', '/v1/webhook-endpoints', { body: { url: 'https://acme.example/hook' } });
  const callback = await callbackPath(source);
  load = startLoad(
    router.url,
    'message',
    (number) => ({ apiKey: source.app.liveKey, body: mail(`Message ${number}`) }),
    20,
  );
  await waitUntil(
    async () => mailServer.received.length >= 20 || new Error(`${mailServer.received.length} messages`),
  );
  await source.app.waitFor(retried, ({ attempt_count }) => attempt_count > 0);
  const finished = [...load.acknowledged.values()][0] ?? '';
  await source.app.waitFor(finished, ({ status }) => status === 'sent');
  const histories = await Promise.all([finished, retried].map((id) => historyOf(source, id)));
  // As a release before the compact history stored it.
  await query(
    source.app.pool,
    `update notifications n set events = r.events, trace = r.trace, history = null from notifications_readable r
     where n.id = $1 and r.id = n.id`,
    [finished],
  );
  const cookie = await signIn();
  expect(await strangersSend(cookie)).toBe(202);

  // Export.
  const principal = await source.app.deps.authenticator.byKey(source.app.liveKey);
  const counted = await source.organization('export', acme, '--dry-run');
  expect(counted).toMatch(/notifications: \d+ rows/);
  expect(await statusOf(source, scheduled)).toBe('queued');
  await source.organization('export', acme, file);
  const refused = await source.app.request('POST', '/v1/notifications', {
    key: source.app.liveKey,
    body: mail('No'),
  });
  expect([refused.status, refused.body.error.code, refused.headers.get('retry-after')]).toEqual([
    503,
    'organization_moving',
    '10',
  ]);
  expect([statSync(file).mode & 0o777, statSync(`${file}.key`).mode & 0o777]).toEqual([0o600, 0o600]);

  // A process that let the request in before it knew of the move finds the fence; its neighbours in the batch do not.
  const { authenticator } = source.app.deps;
  const { byKey } = authenticator;
  Object.assign(authenticator, { byKey: async () => principal });
  const [late, deleted, other] = await Promise.all([
    source.app.request('POST', '/v1/notifications', { key: source.app.liveKey, body: mail('Late') }),
    source.app.request('DELETE', `/v1/notifications/${finished}`, { key: source.app.liveKey }),
    strangersSend(cookie),
  ]);
  Object.assign(authenticator, { byKey });
  expect([late.status, late.body.error?.code]).toEqual([503, 'organization_moving']);
  expect([deleted.status, deleted.body.error?.code]).toEqual([503, 'organization_moving']);
  expect(other).toBe(202);
  await signIn();

  // Import: killed in the middle, and repeated.
  await killedImport();
  const imported = await target.organization('import', file);
  expect(imported).toMatch(/continuing after \d+ rows/);
  const rows = await rowsOf(target.app.pool, acme);
  expect(rows).toEqual(await rowsOf(source.app.pool, acme));
  const secrets = await secretsOf(target.app.pool, target.key, acme);
  expect(secrets).toEqual(await secretsOf(source.app.pool, source.key, acme));
  expect(secrets).toContain('email_settings.providers provider-password');
  expect(new Set(secrets.map((secret) => secret.split(' ')[0]))).toEqual(
    new Set([
      'email_settings.providers',
      'inbox_keys.sealed_key',
      'unsubscribe_secrets.sealed_secret',
      'webhook_endpoints.secrets',
    ]),
  );
  const early = await target.app.request('GET', '/v1/me', { key: source.app.liveKey });
  expect([early.status, early.body.error.code]).toEqual([503, 'organization_moving']);
  await expect(target.organization('import', file)).resolves.toContain('not active yet');

  // Handover and activation.
  await expect(target.organization('activate', acme, 'guessed')).rejects.toThrow('The code is wrong');
  const receipt = /handover \S+ (\S+) URL/.exec(imported)?.[1] ?? '';
  await expect(source.organization('handover', acme, 'none', target.app.url)).rejects.toThrow(
    'not the receipt',
  );
  const handed = await source.organization('handover', acme, receipt, target.app.url);
  await expect(source.organization('release', acme)).rejects.toThrow('has moved');
  await expect(source.organization('export', acme, join(folder, 'again.move'))).rejects.toThrow('has moved');
  mailServer.script.rcpt = () => null;
  await target.organization('activate', acme, /activate \S+ (\S+)/.exec(handed)?.[1] ?? '');

  // After the move: all goes on at the target.
  const sentBefore = mailServer.received.length;
  await waitUntil(
    async () => mailServer.received.length >= sentBefore + 20 || new Error('no messages'),
    30_000,
  );
  await load.stop();
  expect(load.surprises).toEqual([]);
  expect(load.repeats()).toBeGreaterThan(0);
  const due = await target.app.request('PATCH', `/v1/notifications/${scheduled}`, {
    key: source.app.liveKey,
    body: { send_at: null },
  });
  expect(due.status).toBe(200);
  const [old, compact] = histories;
  expect(await historyOf(target, finished)).toEqual(old);
  const { events } = await historyOf(target, retried);
  expect(events.slice(0, 3)).toEqual(compact?.events.slice(0, 3));
  for (const id of [scheduled, retried]) {
    await waitUntil(async () => {
      const status = await statusOf(target, id);
      return status === 'sent' || new Error(`${id === scheduled ? 'scheduled' : 'retried'}: ${status}`);
    }, 30_000);
  }
  const there = withWorkflows({
    ...target.app,
    request: (method, path, options) =>
      target.app.request(method, path, { key: source.app.testKey, ...options }),
  });
  expect((await there.run(run)).status).toBe('waiting');
  expect(await there.post('order', 'paid', { order: 'A1' })).toBe(1);
  await there.reaches(run, 'completed');
  const inbox = await target.app.request('GET', '/inbox/v1/feed', { key: token });
  expect(inbox.status).toBe(200);
  expect(await callbackPath(target)).toBe(callback);

  // Exactly once: each accepted notification is one message at the sink.
  await waitUntil(async () => {
    const open = await query(
      target.app.pool,
      `select id, status from notifications where environment_id = $1 and status in ('queued', 'sending')`,
      [source.app.liveEnvironmentId],
    );
    return open.length === 0 || new Error(JSON.stringify(open));
  }, 30_000);
  const lettersOf = new Map<string, number>();
  for (const { raw } of mailServer.received) {
    const id = /^Message-ID: <([0-9a-f-]{36})@/im.exec(raw.toString('latin1'))?.[1] ?? 'none';
    lettersOf.set(id, (lettersOf.get(id) ?? 0) + 1);
  }
  const accepted = [...load.acknowledged.values(), scheduled, retried];
  expect(accepted.filter((id) => lettersOf.get(id) !== 1)).toEqual([]);
  expect(lettersOf.size).toBe(accepted.length);

  // The source names the new address, writes nothing, and can forget the organization; the stranger notices nothing.
  const moved = await source.app.request('GET', '/v1/me', { key: source.app.liveKey });
  expect([moved.status, moved.body.error.code, moved.headers.get('carillon-moved-to')]).toEqual([
    421,
    'organization_moved',
    target.app.url,
  ]);
  const before = await rowsOf(source.app.pool, stranger.id);
  await source.organization('delete', acme);
  expect(await rowsOf(source.app.pool, stranger.id)).toEqual(before);
  expect(Object.keys(await rowsOf(source.app.pool, acme))).toEqual([]);
  expect(await query(source.app.pool, `select 1 from pg_trigger where tgname like 'moving_%'`)).toEqual([]);
  expect(await strangersSend(cookie)).toBe(202);
  expect(await query(source.app.pool, 'select 1 from organization_moves')).toEqual([]);
});

/** kill -9 while the rows of a table are being written: the import waits for a lock that the test holds. */
async function killedImport(): Promise<void> {
  const locker = createPool(target.app.database.url, 1);
  const client = await locker.connect();
  await client.query('begin; lock table notification_contents in access exclusive mode');
  const child = spawn(process.execPath, ['server/dist/main.js', '--organization', 'import', file], {
    cwd: root,
    env: { PATH: process.env.PATH, ...target.settings },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  try {
    await waitUntil(async () => {
      const [row] = await query<{ waits: boolean }>(
        target.app.pool,
        `select exists (select from pg_stat_activity where wait_event_type = 'Lock'
           and query like '%insert into notification_contents (%json_populate_recordset%') as waits`,
      );
      return row?.waits || new Error(`not waiting; exit code ${child.exitCode}`);
    }, 30_000);
  } finally {
    child.kill('SIGKILL');
    await ended;
    await client.query('rollback');
    client.release();
    await locker.end();
  }
  const [move] = await query<{ state: string; rows_done: string }>(
    target.app.pool,
    'select state, rows_done from organization_moves',
  );
  expect([move?.state, Number(move?.rows_done)]).toEqual(['arriving', expect.any(Number)]);
  expect(Number(move?.rows_done)).toBeGreaterThan(0);
}

describe('the file', () => {
  test('contains no secret in plain text', async () => {
    const text = gunzipSync(readFileSync(file)).toString();
    const secrets = await secretsOf(target.app.pool, target.key, acme);
    expect(
      secrets.map((secret) => secret.split(' ')[1] ?? '').filter((secret) => text.includes(secret)),
    ).toEqual([]);
    expect(text).not.toContain(source.app.liveKey);
  });

  test('is refused when it is truncated, and by an installation that has the organization', async () => {
    await expect(target.organization('import', file)).rejects.toThrow('exists here already');
    truncateSync(file, statSync(file).size - 100);
    await expect(target.organization('import', file)).rejects.toThrow('is not complete');
  });
});

test('a move that is cancelled leaves the organization as it was', { timeout: 60_000 }, async () => {
  const [grace, herNamesake] = [newId(), newId()];
  const member = `with person as (insert into users (id, email, name, password_hash) values ($1, 'grace@example.com', 'Grace', ''))`;
  await query(
    source.app.pool,
    `${member} insert into memberships (user_id, organization_id, role) values ($1, $2, 'viewer')`,
    [grace, stranger.id],
  );
  await query(target.app.pool, `${member} select 1`, [herNamesake]);
  await source.organization('export', stranger.id, again);

  // Emails are not verified: the same email is the same person only if the operator says so.
  await expect(target.organization('import', again)).rejects.toThrow(
    /other accounts here: grace@example.com/,
  );
  expect(await target.organization('import', again, '--merge-users', '--dry-run')).toContain(
    'can be imported here',
  );

  // An import that fails half-way leaves no fence, and goes on when the cause is gone.
  const [sent] = await query<{ row: string }>(
    source.app.pool,
    `select (to_jsonb(n) || jsonb_build_object('environment_id', $2::text))::text as row
     from notifications n where environment_id = $1 limit 1`,
    [stranger.testEnvironmentId, target.app.testEnvironmentId],
  );
  const [taken] = await query<{ id: string }>(
    target.app.pool,
    'insert into notifications select * from jsonb_populate_record(null::notifications, $1::jsonb) returning id',
    [sent?.row],
  );
  await expect(target.organization('import', again, '--merge-users')).rejects.toThrow(
    'A row of notifications exists here already',
  );
  expect(await query(target.app.pool, `select 1 from pg_trigger where tgname like 'moving_%'`)).toEqual([]);
  await query(target.app.pool, 'delete from notifications where id = $1', [taken?.id]);
  expect(await target.organization('import', again, '--merge-users')).toMatch(/continuing after \d+ rows/);
  const members = await query(
    target.app.pool,
    `select user_id from memberships where organization_id = $1 and role = 'viewer'`,
    [stranger.id],
  );
  expect(members).toEqual([{ user_id: herNamesake }]);

  expect(await source.organization('release', stranger.id)).toContain('active here again');
  const receipt = gunzipSync(readFileSync(again)).toString().trim().split('\n').at(-1) ?? '';
  await expect(source.organization('handover', stranger.id, receipt, target.app.url)).rejects.toThrow(
    'not been exported',
  );
  await target.organization('delete', stranger.id);
  expect(Object.keys(await rowsOf(target.app.pool, stranger.id))).toEqual([]);
  expect(await strangersSend(await signIn())).toBe(202);
});

describe('a file that its source did not write as it is', () => {
  const crafted = join(folder, 'crafted.move');
  const importCrafted = () => target.organization('import', crafted, '--merge-users');
  /** Writes the export of the stranger's organization again, with other rows. */
  async function craft(change: (rows: MoveRow[]) => MoveRow[], key = readFileSync(`${again}.key`, 'utf8')) {
    const rows: MoveRow[] = [];
    const { authenticate } = await readKeys(again);
    const { manifest } = await readMoveFile(again, authenticate, (row) => void rows.push(row));
    rmSync(crafted, { force: true });
    writeFileSync(`${crafted}.key`, key);
    const writer = await writeMoveFile(crafted, keysOf(Buffer.from(key, 'base64')).authenticate, manifest);
    for (const { table, json } of change(rows)) await writer.row(table, json);
    await writer.end();
  }

  /** A row of the table as the target has it. */
  async function rowOf(table: string, where: string, changes: object): Promise<MoveRow> {
    const [row] = await query<{ row: object }>(
      target.app.pool,
      `select to_jsonb(t) as row from ${table} t where ${where} limit 1`,
    );
    return { table, json: JSON.stringify({ ...row?.row, ...changes }) };
  }

  /** Behind the last row of its table or, when the file has none, of all. */
  const added = (row: MoveRow) => (rows: MoveRow[]) => {
    const at = rows.findLastIndex(({ table }) => table === row.table);
    return rows.toSpliced(at < 0 ? rows.length : at + 1, 0, row);
  };

  async function expectNothingKept(): Promise<void> {
    expect(Object.keys(await rowsOf(target.app.pool, stranger.id))).toEqual([]);
    expect(await query(target.app.pool, 'select 1 from organization_moves')).toEqual([]);
    expect(await query(target.app.pool, `select 1 from users where email = 'new@example.com'`)).toEqual([]);
  }

  test('is refused with one row of another organization, in whichever table, and nothing of it stays', {
    timeout: 120_000,
  }, async () => {
    const there = target.app;
    const [own] = await query<{ organization: string; owner: string }>(
      there.pool,
      `select m.organization_id as organization, m.user_id as owner from memberships m
       join environments e on e.organization_id = m.organization_id where e.id = $1`,
      [there.liveEnvironmentId],
    );
    const [notification] = await query<{ id: string }>(
      there.pool,
      'select id from notifications where environment_id = $1 limit 1',
      [source.app.liveEnvironmentId],
    );
    await there.request('POST', '/v1/workflows', { body: { key: 'ours', name: 'Ours' } });
    const [workflow] = await query<{ id: string }>(
      there.pool,
      'select id from workflows where environment_id = $1',
      [there.testEnvironmentId],
    );
    const [person] = await query<{ id: string }>(
      source.app.pool,
      `select user_id as id from memberships where organization_id = $1 and role = 'owner'`,
      [stranger.id],
    );
    const account = (await rowOf('users', 'true', { id: newId(), email: 'new@example.com' })).json;
    const cases: [MoveRow, RegExp][] = [
      [
        await rowOf('api_keys', `environment_id = '${there.liveEnvironmentId}'`, {
          id: newId(),
          key_hash: `\\x${'ab'.repeat(32)}`,
        }),
        /row of api_keys in the file belongs to another organization/,
      ],
      [
        await rowOf('memberships', 'true', {
          ...{ organization_id: own?.organization, user_id: person?.id, role: 'owner' },
        }),
        /row of memberships in the file belongs to another organization/,
      ],
      [
        await rowOf('memberships', 'true', { organization_id: stranger.id, user_id: own?.owner }),
        /row of memberships in the file refers to \S+, which belongs to another organization/,
      ],
      [
        {
          table: 'queue_held',
          json: JSON.stringify({
            ...{ environment_id: stranger.testEnvironmentId, kind: 1, lane: 0, id: notification?.id },
          }),
        },
        /row of queue_held in the file refers to \S+, which belongs to another organization/,
      ],
      [
        {
          table: 'workflow_activity',
          json: JSON.stringify({ workflow_id: workflow?.id, slot: '2026-01-01T00:00:00Z', triggered: 1 }),
        },
        /row of workflow_activity in the file belongs to another organization/,
      ],
      [{ table: 'users', json: account }, /row of users in the file is an account without a place/],
      [{ table: 'sessions', json: '{}' }, /rows of an unknown table, sessions/],
    ];
    for (const [row, message] of cases) {
      await craft(added(row));
      await expect(importCrafted()).rejects.toThrow(message);
      await expectNothingKept();
    }
  });

  test('is refused when it was changed without its key, or comes without authentication', async () => {
    const other = Buffer.alloc(32, 'k').toString('base64');
    await craft((rows) => rows.slice(1), other);
    writeFileSync(`${crafted}.key`, readFileSync(`${again}.key`));
    await expect(importCrafted()).rejects.toThrow('it was changed after the export, or its key is that of');
    rmSync(`${crafted}.key`);
    await expect(importCrafted()).rejects.toThrow('crafted.move.key is missing');
    writeFileSync(`${crafted}.key`, other);
    writeFileSync(crafted, gzipSync('{"format":1}\n'));
    await expect(importCrafted()).rejects.toThrow('a release whose exports were not authenticated');
    await expectNothingKept();
  });
});

test('an unassigned table stops the export', async () => {
  const database = await createTestDatabase();
  try {
    await planMove(database.pool, acme, []);
    await query(database.pool, 'create table unassigned (id uuid primary key)');
    await expect(planMove(database.pool, acme, [])).rejects.toThrow('The table unassigned has neither');
    await query(database.pool, 'alter table unassigned add column environment_id uuid');
    const { tables, fenced } = await planMove(database.pool, acme, []);
    expect(tables.map(({ name }) => name)).toContain('unassigned');
    expect(fenced.map(({ table }) => table)).toContain('unassigned');
  } finally {
    await database.drop();
  }
});

test('`carillon organization` lists the steps', { timeout: 60_000 }, async () => {
  const said = await promisify(execFile)(process.execPath, ['cli/bin/carillon.mjs', 'organization'], {
    cwd: root,
    env: { PATH: process.env.PATH, ...source.settings },
  }).catch((error: { code: number; stdout: string }) => error);
  expect(said.stdout).toContain('export ID FILE');
  expect(said.stdout).toContain('Stranger');
});
