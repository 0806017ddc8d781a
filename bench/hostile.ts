// p99 of /healthz while a Test key and a viewer do the worst they can, 20 requests at once; no lease changes hands, and another tenant's
// sends arrive. Before that: 60 HTML emails of that tenant beside four organizations that preview invalid MJML in all environments.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { query } from '../server/src/db/sql.ts';
import { startSmtpSimulator } from '../server/test/simulators/smtp.ts';
import { startDatabase } from './harness/database.ts';
import { quantile } from './harness/load.ts';
import { createReport } from './harness/report.ts';
import { until } from './harness/seed.ts';
import { type Service, startService } from './harness/service.ts';

const smoke = process.argv.includes('--smoke');
const forMs = smoke ? 3_000 : 30_000;
const atOnce = 20;
const sendEveryMs = 100;
const previewers = { organizations: smoke ? 2 : 4, loops: 3 };
const messages = 60;
const liveKey = 'crl_live_benchbenchbenchbenchbench';
const owner = { email: 'owner@example.com', password: 'correct horse battery' };

/** 130 KB each: as much as the limits of MJML allow, and beyond them. */
const unknownAttributes = Array.from({ length: 90 }, (_, n) => `a${n}="1"`).join(' ');
const invalidMjml = [
  `<mjml><mj-body>${'<mj-section><mj-column><mj-text a="1">x</mj-text></mj-column></mj-section>'.repeat(330)}<!--${'x'.repeat(105_000)}--></mj-body></mjml>`,
  `<mjml><mj-body><mj-section><mj-column>${`<mj-text ${unknownAttributes}>x</mj-text>`.repeat(170)}</mj-column></mj-section></mj-body></mjml>`,
  `<mjml><mj-body><mj-text ${Array.from({ length: 13_000 }, (_, n) => `a${n}="1"`).join(' ')} /></mj-body></mjml>`,
];

const report = createReport('hostile');
const database = await startDatabase();
const mailServer = await startSmtpSimulator();
const env = {
  CARILLON_BOOTSTRAP_LIVE_KEY: liveKey,
  CARILLON_ADMIN_EMAIL: owner.email,
  CARILLON_ADMIN_PASSWORD: owner.password,
  CARILLON_ALLOW_PRIVATE_NETWORK: 'loopback',
};
const services: Service[] = [];
try {
  // The second worker would take over leases of the first, if its heartbeats stopped.
  const attacked = await startService('worker.ts', database, { ...env, CARILLON_ROLES: 'api,worker' });
  services.push(attacked);
  services.push(await startService('worker.ts', database, { ...env, CARILLON_ROLES: 'worker' }));
  const { url } = attacked;
  const cookie = await signIn(url);
  await configureMail(url);
  await measurePreviews(url, cookie);
  mailServer.received.length = 0;
  const attacks = await prepareAttacks(url, await createAttacker(url, cookie));

  const stopProbing = startProbing(url);
  const end = performance.now() + forMs;
  const answers = new Map<string, number>();
  const sent: string[] = [];
  await Promise.all([
    ...Array.from({ length: atOnce }, (_, number) => attack(number)),
    (async () => {
      for (; performance.now() < end; await wait(sendEveryMs)) sent.push(await sendLive(url, sent.length));
    })(),
  ]);
  const tookMs = await stopProbing();

  for (const [what, count] of [...answers].sort()) report.line(`${what.padEnd(44)} ${count}`);
  const states = await settledStates(sent);
  report.line(`\n${sent.length} Live sends of another tenant: ${JSON.stringify(Object.fromEntries(states))}`);
  const rescued = await Promise.all(services.map(rescuedBy));
  const shares = [0.5, 0.9, 0.99, 1].map((share) => quantile(tookMs, Math.min(share, 0.9999)).toFixed(1));
  report.line(`${tookMs.length} times /healthz, p50, p90, p99 and the longest: ${shares.join(', ')} ms\n`);
  const arrived = mailServer.received.length;
  report.goal(
    'leases that changed hands',
    rescued.reduce((sum, count) => sum + count, 0),
    { op: '=', figure: 0 },
  );
  report.goal('Live sends that did not end as sent', sent.length - (states.get('sent') ?? 0), {
    op: '=',
    figure: 0,
  });
  report.goal('messages that the mail server did not get, or twice', Math.abs(sent.length - arrived), {
    op: '=',
    figure: 0,
  });
  report.close(quantile(tookMs, 0.99), { op: '<=', figure: 100 });

  /** A closed loop: the attacks in turn, each connection beginning with another one. */
  async function attack(number: number): Promise<void> {
    for (let turn = number; performance.now() < end; turn += 1) {
      const { name, ask } = attacks[turn % attacks.length] as Attack;
      const answer = `${name}: ${await ask()}`;
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
    }
  }
} finally {
  for (const service of services) await service.stop();
  await mailServer.stop();
  await database.stop();
}

/** /healthz and the emails of a tenant, quiet and beside previews that keep the threads busy. */
async function measurePreviews(url: string, cookie: string): Promise<void> {
  await sendLetters(url); // compiles what the others use
  const quietMs = Math.min(await sendLetters(url), await sendLetters(url));
  const keys = await Promise.all(
    Array.from({ length: previewers.organizations }, (_, n) => createKeys(url, cookie, `Previewer ${n}`)),
  );
  let isOver = false;
  const answers = new Map<number, number>();
  const loops = keys.flat().flatMap((key) => Array.from({ length: previewers.loops }, () => preview(key)));
  async function preview(key: string): Promise<void> {
    const ask = asker(url, { authorization: `Bearer ${key}` });
    for (let turn = 0; !isOver; turn += 1) {
      const html_template = invalidMjml[turn % invalidMjml.length] as string;
      const body = { channel: 'email', subject_template: 'x', html_template };
      const { status } = await ask('POST', '/v1/templates/preview', body);
      answers.set(status, (answers.get(status) ?? 0) + 1);
      if (status === 429) await wait(1_000);
    }
  }
  await wait(smoke ? 1_000 : 5_000); // until the threads are as busy as they will be
  const stopProbing = startProbing(url);
  const besideMs = await sendLetters(url);
  await wait(smoke ? 0 : 10_000);
  const tookMs = await stopProbing();
  isOver = true;
  await Promise.all(loops);
  report.line(
    `${loops.length} loops of previews: ${JSON.stringify(Object.fromEntries(answers))}; ${messages} HTML emails took ${besideMs.toFixed(0)} ms, ${quietMs.toFixed(0)} ms when it was quiet`,
  );
  const shares = [0.5, 0.99, 0.9999].map((share) => quantile(tookMs, share).toFixed(1));
  report.line(`${tookMs.length} times /healthz, p50, p99 and the longest: ${shares.join(', ')} ms\n`);
  report.goal('p99 of /healthz beside previews, ms', quantile(tookMs, 0.99), { op: '<=', figure: 100 });
  report.goal('HTML emails beside previews / quiet', besideMs / quietMs, { op: '<=', figure: 2 });
}

/** Returns how long it takes until all have been sent: 3,500 tags each, whose text is made in a thread. */
async function sendLetters(url: string): Promise<number> {
  const ask = asker(url, { authorization: `Bearer ${liveKey}` });
  const began = performance.now();
  const html_body = '<p>It <b>rings</b>.</p>'.repeat(1_750);
  const ids = await Promise.all(
    Array.from({ length: messages }, async (_, n) => {
      const message = { channel: 'email', subject: 'Message', html_body };
      const recipient = { address: `message-${n}@example.com` };
      return (await made<{ id: string }>(ask('POST', '/v1/notifications', { ...message, recipient }))).id;
    }),
  );
  await until(async () => {
    const [row] = await query<{ count: number }>(
      database.pool,
      `select count(*)::int as count from notifications where id = any ($1::uuid[]) and status = 'sent'`,
      [ids],
    );
    return row?.count === messages;
  }, 180_000);
  return performance.now() - began;
}

/** Returns what ends it, and gives how long each answer took. */
function startProbing(url: string): () => Promise<number[]> {
  const prober = fork(fileURLToPath(new URL('harness/healthz-prober.ts', import.meta.url)), [url]);
  return async () => {
    prober.send('stop');
    const [tookMs] = (await once(prober, 'message')) as [number[]];
    return tookMs;
  };
}

interface Attack {
  name: string;
  /** Gives the status of the answer. */
  ask(): Promise<number>;
}

type Ask = (
  method: string,
  path: string,
  body?: string | object,
) => Promise<{ status: number; json: unknown }>;

function asker(url: string, headers: Record<string, string>): Ask {
  return async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = text.length < 1_000_000 && response.headers.get('content-type')?.includes('json');
    return { status: response.status, json: isJson ? JSON.parse(text) : null };
  };
}

async function made<Value>(asked: ReturnType<Ask>): Promise<Value> {
  const { status, json } = await asked;
  if (status >= 300) throw new Error(`answered ${status}: ${JSON.stringify(json)}`);
  return json as Value;
}

async function signIn(url: string): Promise<string> {
  const login = await fetch(`${url}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(owner),
  });
  return login.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
}

interface NewOrganization {
  id: string;
  /** Asks in the dashboard, by kind of environment. */
  in: Record<'test' | 'live', Ask>;
}

/** An organization without a limit to its rate. */
async function createOrganization(url: string, cookie: string, name: string): Promise<NewOrganization> {
  const signedIn = { cookie, 'x-carillon-csrf': '1' };
  const { id } = await made<{ id: string }>(asker(url, signedIn)('POST', '/auth/organizations', { name }));
  await query(database.pool, `update organizations set plan = 'unmetered' where id = $1`, [id]);
  const environments = await query<{ id: string; kind: 'test' | 'live' }>(
    database.pool,
    'select id, kind from environments where organization_id = $1',
    [id],
  );
  const asks = environments.map(({ id: environmentId, kind }) => [
    kind,
    asker(url, { ...signedIn, 'x-environment-id': environmentId }),
  ]);
  return { id, in: Object.fromEntries(asks) };
}

async function createKey(ask: Ask): Promise<string> {
  const key = { name: 'attack', preset: 'full_access' };
  return (await made<{ key: string }>(ask('POST', '/v1/api-keys', key))).key;
}

async function createKeys(url: string, cookie: string, name: string): Promise<string[]> {
  const { in: environments } = await createOrganization(url, cookie, name);
  return Promise.all(Object.values(environments).map(createKey));
}

/** A key, the worst that one can be; and a person who may only read. */
async function createAttacker(url: string, cookie: string): Promise<{ key: string; viewer: Ask }> {
  const { id, in: environments } = await createOrganization(url, cookie, 'Attacker');
  const key = await createKey(environments.test);
  await query(database.pool, `update memberships set role = 'viewer' where organization_id = $1`, [id]);
  return { key, viewer: environments.test };
}

async function prepareAttacks(url: string, { key, viewer }: { key: string; viewer: Ask }): Promise<Attack[]> {
  const ask = asker(url, { authorization: `Bearer ${key}` });
  const stranger = asker(url, {});
  const email = { channel: 'email', recipient: { address: 'delivered@sandbox.test' }, subject: 'x' };
  const nested = JSON.stringify({ ...email, html_body: '<b>'.repeat(33_300) });
  const first = await made<{ id: string }>(ask('POST', '/v1/notifications', nested));
  for (let left = 19; left > 0; left -= 1) await made(ask('POST', '/v1/notifications', nested));

  // Saved while every pattern was taken.
  await made(ask('POST', '/v1/workflows', { key: 'bomb', name: 'Bomb' }));
  const steps = [{ id: 'a', kind: 'noop' }];
  const schema = { properties: { a: { pattern: '^a+$' } } };
  await made(ask('POST', '/v1/workflows/bomb/versions', { body: { trigger_data_schema: schema, steps } }));
  await query(database.pool, `update workflow_versions set body = replace(body, '^a+$', '^(?=a)(a+)+$')`);
  await made(ask('POST', '/v1/workflows/bomb/versions/1/activate', {}));
  const trigger = { trigger_data: { a: `${'a'.repeat(32)}!` } };

  const bomb = '{% for i in (1..n) %}{% for j in (1..n) %}{{ i }}{% endfor %}{% endfor %}';
  await made(
    ask('POST', '/v1/templates', {
      ...{ key: 'bomb', name: 'Bomb', subject_template: 'x', html_body_template: bomb },
    }),
  );
  const data = { n: 99_999 };
  const numbers = Array.from({ length: 400 }, (_, n) => n);
  const when = 'trigger.a.all(x, trigger.a.all(y, trigger.a.all(z, x == y || true)))';
  const branch = { id: 'a', kind: 'branch', branches: [{ when, goto: 'end' }] };
  await made(ask('POST', '/v1/workflows', { key: 'loop', name: 'Loop' }));
  await made(ask('POST', '/v1/workflows/loop/versions', { body: { steps: [branch] } }));
  const values = `{"channel":"email","template_data":{"a":[${'{"a":1,"b":2},'.repeat(63_000)}0]}${' '.repeat(1_800_000)}}`;
  const long = JSON.stringify({ email: 'x'.repeat(1_000_000), password: 'x' });

  const leapDay = { cron: '0 0 29 2 *', timezone: 'America/New_York', per_recipient_timezone: true };
  const audience = { users: ['ada'] };
  for (let left = 100; left > 0; left -= 1)
    await made(
      ask('POST', '/v1/schedules', {
        ...{ key: `leap_${left}`, name: 'Leap', ...leapDay },
        target: { kind: 'workflow', workflow_key: 'loop', audience },
      }),
    );

  const by = (name: string, asker: Ask, ...request: Parameters<Ask>): Attack => ({
    name,
    ask: async () => (await asker(...request)).status,
  });
  return [
    by('a send of 33,300 nested tags', ask, 'POST', '/v1/notifications', nested),
    by('the sandbox', ask, 'GET', '/v1/sandbox/messages?limit=100'),
    by('the content of a send', ask, 'GET', `/v1/notifications/${first.id}/content`),
    by('a pattern that backtracks', ask, 'POST', '/v1/workflows/bomb/trigger', trigger),
    by('2.7 MB with 190,000 values', ask, 'POST', '/v1/notifications', values),
    by('a login of 1 MB', stranger, 'POST', '/auth/login', long),
    by('a template bomb', ask, 'POST', '/v1/templates/bomb/render', { data }),
    by('a preview of one', ask, 'POST', '/v1/templates/preview', {
      ...{ channel: 'email', subject_template: 'x', html_template: bomb, data },
    }),
    by('a send of one', ask, 'POST', '/v1/notifications', {
      ...{ ...email, subject: undefined, template_key: 'bomb', template_data: data },
    }),
    by('a list of schedules, by a viewer', viewer, 'GET', '/v1/schedules?limit=100'),
    by('a preview of a leap day, by a viewer', viewer, 'POST', '/v1/schedules/preview', leapDay),
    by('a preview of no day, by a viewer', viewer, 'POST', '/v1/schedules/preview', {
      cron: '0 0 1-21 * +SUN#L',
    }),
    by('an expression bomb', ask, 'POST', '/v1/workflows/loop/versions/1/simulate', {
      trigger_data: { a: numbers },
    }),
  ];
}

/** The first tenant's Live environment sends through the mail server. */
async function configureMail(url: string): Promise<void> {
  const ask = asker(url, { authorization: `Bearer ${liveKey}` });
  const { environment_id } = await made<{ environment_id: string }>(ask('GET', '/v1/me'));
  const path = `/v1/environments/${environment_id}/email-settings`;
  const config = { host: '127.0.0.1', port: mailServer.port, secure: false };
  await made(ask('PUT', path, { from_address: 'bells@example.com', providers: [{ kind: 'smtp', config }] }));
}

async function sendLive(url: string, number: number): Promise<string> {
  const ask = asker(url, { authorization: `Bearer ${liveKey}` });
  const recipient = { address: `ada-${number}@example.com` };
  const body = { channel: 'email', recipient, subject: 'Shipped', text_body: 'It rings.' };
  return (await made<{ id: string }>(ask('POST', '/v1/notifications', body))).id;
}

/** How the sends ended, once all have; `outcome_unknown` is one of the ways. */
async function settledStates(ids: string[]): Promise<Map<string, number>> {
  const listed = () =>
    query<{ state: string; count: number }>(
      database.pool,
      `select case when last_error like 'outcome_unknown%' then 'outcome_unknown' else status end as state, count(*)::int
       from notifications where id = any ($1::uuid[]) group by 1`,
      [ids],
    );
  await until(async () => (await listed()).every(({ state }) => state !== 'queued'), 60_000);
  return new Map((await listed()).map(({ state, count }) => [state, count]));
}

/** Work that this process took over from another one. */
async function rescuedBy({ url }: Service): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const counts = [...text.matchAll(/^carillon_work_rescued_total\{[^}]*\} (\d+)/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}
