import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../server/test/harness/app.ts';
import type { Check } from '../src/doctor/check.ts';
import { createDns } from '../src/doctor/dns.ts';
import { checkDomain } from '../src/doctor/domain.ts';
import { queueCheck } from '../src/doctor/service.ts';
import { startDnsServer, type Zone } from './dns-server.ts';
import { createWorld, type World } from './world.ts';

const dkim = (bits: number) =>
  generateKeyPairSync('rsa', { modulusLength: bits })
    .publicKey.export({ format: 'der', type: 'spki' })
    .toString('base64');

const zone: Zone = {
  'good.test': { txt: ['v=spf1 include:sendgrid.net -all', 'other=1'], mx: ['mx.good.test'] },
  'sendgrid.net': { txt: ['v=spf1 ip4:192.0.2.0/24 -all'] },
  's1._domainkey.good.test': { txt: [`v=DKIM1; k=rsa; p=${dkim(2048)}`] },
  '_dmarc.good.test': { txt: ['v=DMARC1; p=reject'] },
  'mail.good.test': { txt: ['v=spf1 include:sendgrid.net ~all'], a: ['192.0.2.1'] },
  'bad.test': { txt: ['v=spf1 +all'] },
  's1._domainkey.bad.test': { txt: ['v=DKIM1; p='] },
  'weak._domainkey.bad.test': { txt: [`p=${dkim(512)}`] },
  'cut._domainkey.bad.test': { txt: ['p=MIIBIjAN'] },
  '_dmarc.bad.test': { txt: ['v=DMARC1; rua=mailto:x@bad.test'] },
  'two.test': { txt: ['v=spf1 -all', 'v=spf1 ~all'] },
  '_dmarc.two.test': { txt: ['v=DMARC1; p=none', 'v=DMARC1; p=none'] },
  'open.test': { txt: ['v=spf1 a'] },
  'deep.test': {
    txt: [`v=spf1 ${Array.from({ length: 11 }, (_, index) => `include:i${index}.test`).join(' ')} -all`],
  },
  'loop.test': { txt: ['v=spf1 include:loop.test -all'] },
  'app.good.test': { a: ['192.0.2.2'] },
};

let app: TestApp;
let world: World;
let server: Awaited<ReturnType<typeof startDnsServer>>;

beforeAll(async () => {
  server = await startDnsServer(zone);
  app = await startTestApp({ settings: { PUBLIC_URL: 'https://app.good.test' } });
  world = createWorld({ CARILLON_URL: app.url, CARILLON_API_KEY: app.testKey });
});
afterAll(async () => {
  world.remove();
  await app.stop();
  await server.stop();
});

const domain = async (name: string, kinds: string[] = [], selectors: string[] = []) => {
  const checks = await checkDomain(createDns(server.address), { domain: name, kinds, selectors });
  return Object.fromEntries(checks.map((check) => [check.name.split(' ')[0] ?? '', check])) as Record<
    string,
    Check
  >;
};

test('a domain that is set up rightly passes, and a subdomain inherits its DMARC', async () => {
  const good = await domain('good.test', ['sendgrid']);
  expect(Object.values(good).map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok']);
  const mail = await domain('mail.good.test', ['sendgrid']);
  expect(mail.DMARC).toMatchObject({ status: 'ok', detail: 'v=DMARC1; p=reject (of good.test)' });
  expect(mail.MX).toMatchObject({ status: 'ok' });
  expect(mail.DKIM).toMatchObject({ status: 'warn', advice: expect.stringContaining('--selector') });
});

test('what is missing is said together with what to publish', async () => {
  const { SPF, DKIM, DMARC, MX } = await domain('none.test', ['ses', 'smtp'], ['s9']);
  expect(SPF).toMatchObject({
    status: 'fail',
    advice: 'Publish: none.test  TXT  "v=spf1 include:amazonses.com a mx ~all"',
  });
  expect(DKIM).toMatchObject({ status: 'fail', detail: 's9: no record' });
  expect(DMARC).toMatchObject({
    status: 'fail',
    advice: expect.stringContaining('_dmarc.none.test  TXT  "v=DMARC1; p=none'),
  });
  expect(MX).toMatchObject({ status: 'warn' });
});

test('what is wrong is told apart', async () => {
  const bad = await domain('bad.test', [], ['s1', 'weak', 'cut']);
  expect(bad.SPF?.detail).toContain('+all lets anyone send');
  expect(bad.DKIM?.detail).toBe(
    's1: the key was revoked (p= is empty); weak: the key has 512 bits; at least 1024 are required, 2048 are recommended; cut: invalid key (is the record truncated?)',
  );
  expect(bad.DMARC?.detail).toContain('no policy');
  const two = await domain('two.test');
  expect([two.SPF?.advice, two.DMARC?.advice]).toEqual(['Merge them into one.', 'Keep only one.']);
  expect((await domain('open.test')).SPF).toMatchObject({
    status: 'warn',
    advice: 'End it with ~all or -all.',
  });
  expect((await domain('good.test', ['mailgun'])).SPF?.advice).toContain('include:mailgun.org');
  expect((await domain('deep.test')).SPF?.detail).toContain('11 DNS lookups');
  expect((await domain('loop.test')).SPF?.status).toBe('ok');
});

test('offline is not a failure of the domain', async () => {
  const { address, stop } = await startDnsServer({});
  await stop();
  const checks = await checkDomain(createDns(address), { domain: 'good.test', kinds: [], selectors: [] });
  expect(checks.map(({ status }) => status)).toEqual(['skip', 'skip', 'skip', 'skip']);
  expect(checks[0]?.detail).toContain('DNS query failed');
});

test('the doctor looks at the service, the key, each connection, the domain and the unsubscribe links', async () => {
  const path = `/v1/environments/${app.testEnvironmentId}/email-settings`;
  const providers = [
    { kind: 'sandbox', name: 'fine' },
    { kind: 'smtp', name: 'away', config: { host: '127.0.0.1', port: 1, secure: false } },
  ];
  const put = await app.request('PUT', path, { body: { from_address: 'a@good.test', providers } });
  expect(put.status, JSON.stringify(put.body)).toBe(200);
  await app.request('POST', '/v1/preferences/categories', {
    body: { key: 'news', name: 'n', default_channels: ['email'] },
  });
  await app.request('PUT', `/v1/environments/${app.testEnvironmentId}/push-settings`, {
    body: { web_push: { contact: 'ops@good.test' } },
  });
  const args = ['doctor', '--resolver', server.address, '--selector', 's1'];
  const before = await world.run(args);
  expect(before.out).toContain('- one-click unsubscribe  no email with a category in the sandbox yet');

  await world.run([
    'send',
    '--to',
    'delivered@sandbox.test',
    '--subject',
    's',
    '--text',
    't',
    '--category',
    'news',
    '--wait',
  ]);
  const { code, out } = await world.run([...args, '--json']);
  expect(code).toBe(1);
  const checks = Object.fromEntries(JSON.parse(out).checks.map((check: Check) => [check.name, check.status]));
  expect(checks).toMatchObject({
    database: 'ok',
    migrations: 'ok',
    queue: 'ok',
    'queue lag': 'ok',
    key: 'ok',
    'email fine': 'ok',
    'email away': 'fail',
    'push web_push': 'ok',
    'SPF of good.test': 'ok',
    'DKIM of good.test': 'ok',
    'DMARC of good.test': 'ok',
    'one-click unsubscribe': 'ok',
  });
  const human = await world.run([...args, '--offline']);
  expect(human.out).toMatch(/✗ email away {2}.*\n {4}→ Check the credentials of smtp\./);
  expect(human.out).toMatch(/\n1 failed, \d+ warnings, \d+ checks\n$/);
  for (const wrong of [
    ['--domain', 'nonsense'],
    ['--resolver', 'example.com'],
  ])
    expect((await world.run(['doctor', ...wrong])).code).toBe(2);
});

test('a key that may not look says which scope it lacks', async () => {
  const { key } = await world.json(['keys', 'create', '--name', 'x', '--preset', 'send_only']);
  const { code, out } = await world.run(['doctor', '--offline'], { env: { CARILLON_API_KEY: key } });
  expect(code).toBe(0);
  expect(out).toContain('- email  this key lacks the scope channels:read');
});

test('a service that is not ready tells which part it is', async () => {
  const unwell = createServer((request, response) => {
    const body = {
      status: 'unavailable',
      components: [{ name: 'database', ok: false, detail: 'does not answer' }],
    };
    if (request.url === '/readyz')
      response.writeHead(503, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    else if (request.url === '/metrics') response.writeHead(200, { 'content-type': 'text/plain' }).end('');
    else
      response
        .writeHead(503, { 'content-type': 'application/json' })
        .end('{"error":{"type":"api_error","code":"temporarily_unavailable","message":"Later."}}');
  });
  await new Promise<void>((resolve) => unwell.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(unwell.address() as AddressInfo).port}`;
  const { code, out } = await world.run(['doctor', '--offline'], { env: { CARILLON_URL: url } });
  expect(code).toBe(1);
  expect(out).toContain('✗ database  does not answer');
  await new Promise((resolve) => unwell.close(resolve));
});

test('a long queue is something to look at', () => {
  const metrics =
    'carillon_queue_waiting{kind="dispatch",lane="bulk"} 900\ncarillon_queue_waiting{kind="dispatch",lane="normal"} 200\n';
  expect(queueCheck(metrics)).toMatchObject({
    status: 'warn',
    detail: '1100 waiting, no sends from this process yet',
  });
});
