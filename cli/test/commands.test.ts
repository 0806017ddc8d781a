import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lowestIdAt } from '../../server/src/kernel/ids.ts';
import { startTestApp, type TestApp } from '../../server/test/harness/app.ts';
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

const hello = ['--subject', 'Hello', '--text', 'It rings.'];

test('login checks a key, stores it for its owner alone, and other commands use it', async () => {
  const own = createWorld();
  const piped = await own.run(['login', '--url', app.url], { input: `${app.testKey}\n` });
  expect(piped.out).toBe(`✓ test: the test environment at ${app.url}\n`);
  const asked = await own.run(['login', 'production', '--url', app.url], { answers: [app.liveKey] });
  expect(asked.out).toContain('✓ production: the live environment');
  expect(asked.out).toContain('--profile production');
  const path = join(own.folder, 'home/.config/carillon/config.json');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(path, 'utf8')).current).toBe('test');

  const list = await own.run(['login', '--list']);
  expect(list.out).toMatch(/^\* {2}test {8}test {2}http/);
  expect(list.out + asked.err).not.toContain(app.liveKey);
  expect((await own.json(['keys', 'list'])).length).toBe(1);
  const live = await own.json(['keys', 'list', '--profile', 'production']);
  expect(live[0].last4).toBe(app.liveKey.slice(-4));

  const bad = await own.run(['login', '--url', app.url], { input: `crl_test_${'0'.repeat(30)}` });
  expect(bad.code).toBe(1);
  expect(bad.err).toContain('carillon login');
  expect((await own.run(['login', '--url', app.url], { input: 'hunter2' })).code).toBe(2);

  writeFileSync(
    join(own.folder, 'credentials.json'),
    JSON.stringify({ test_key: app.testKey, live_key: app.liveKey }),
  );
  const local = await own.run(['login', '--local', '--url', app.url], {
    env: { CARILLON_DATA_DIR: own.folder },
  });
  expect(local.out).toMatch(/✓ test: .*\n✓ live: /);
  own.remove();
});

test('the older variable of the key is read where nothing else names one', async () => {
  const own = createWorld({ CARILLON_URL: app.url, CARILLON_KEY: app.testKey });
  const last4 = async (env = {}) => (await own.json(['keys', 'list'], { env }))[0].last4;
  expect(await last4()).toBe(app.testKey.slice(-4));
  expect(await last4({ CARILLON_API_KEY: app.liveKey })).toBe(app.liveKey.slice(-4));
  await own.run(['login', '--url', app.url], { input: app.liveKey });
  expect(await last4()).toBe(app.liveKey.slice(-4));
  own.remove();
});

test('an email by flags is sent, waited for, shown and explained', async () => {
  const sent = await world.run(['send', '--to', 'delivered@sandbox.test', ...hello, '--wait']);
  expect(sent).toMatchObject({ code: 0 });
  expect(sent.out).toMatch(/^delivered {2}email to delivered@sandbox\.test {2}[0-9a-f-]{36}\n$/);
  const id = sent.out.trim().split(' ').at(-1) ?? '';

  const shown = await world.run(['get', id]);
  expect(shown.out).toMatch(/status +delivered\n/);
  expect(shown.out).toMatch(/Z {2}Delivered/);
  expect((await world.json(['get', id])).subject).toBe('Hello');

  const traced = await world.run(['trace', id]);
  expect(traced.out).toMatch(/^delivered {2}Delivered after 1 attempt\.\n/);
  expect(traced.out).toContain('✓ suppression list passed');
  expect(traced.out).toContain('✓ sandbox accepted it');
});

test('an inbox item gets its tags and buttons by flags', async () => {
  const item = ['send', '--channel', 'in_app', '--user', 'tagged', '--html', '<p>Hi</p>'];
  const flags = ['--tag', 'orders', '--action', 'ok=OK', '--action', 'see=See it=/orders?a=7'];
  const sent = await world.json([...item, ...flags]);
  expect([sent.tags, sent.actions]).toEqual([
    ['orders'],
    [
      { key: 'ok', label: 'OK', url: null, style: 'default' },
      { key: 'see', label: 'See it', url: '/orders?a=7', style: 'default' },
    ],
  ]);
  expect((await world.run([...item, '--action', 'ok'])).code).toBe(2);
});

test('the whole request may be JSON, flags win, and an idempotency key sends once', async () => {
  const request = { channel: 'sms', recipient: { address: '+15005550006', name: 'Ada' }, text_body: 'one' };
  const args = ['send', '--data', '-', '--text', 'two', '--idempotency-key', 'cli-1'];
  const first = await world.json(args, { input: JSON.stringify(request) });
  expect(first).toMatchObject({ channel: 'sms', text_body: 'two', recipient: { name: 'Ada' } });
  expect((await world.json(args, { input: JSON.stringify(request) })).id).toBe(first.id);

  writeFileSync(join(world.folder, 'body.html'), '<p>Dear {{ name }}</p>');
  writeFileSync(join(world.folder, 'bill.pdf'), '%PDF');
  const rich = ['--html-file', 'body.html', '--attach', 'bill.pdf', '--template-data', '{"name":"Ada"}'];
  const email = await world.json(['send', '--to', 'ada@sandbox.test', '--subject', 'Bill', ...rich]);
  expect(email).toMatchObject({
    html_body: '<p>Dear {{ name }}</p>',
    attachments: [{ filename: 'bill.pdf', content_type: 'application/pdf', size_bytes: 4 }],
  });
});

test.each([
  [['--data', '{"a":'], 2, '--data is not valid JSON'],
  [['--data', '{"recipient":"ada"}'], 2, 'recipient must be an object'],
  [['--data', '[]'], 2, '--data must be a JSON object.'],
  [['--data', '@nowhere.json'], 2, 'nowhere.json cannot be read (ENOENT)'],
  [['--channel', 'pigeon'], 2, '--channel must be one of email'],
  [['--to', 'nobody', ...hello], 1, 'field recipient.address'],
  [['--to', 'ada@sandbox.test', '--template', 'nonsense'], 1, 'code template_not_found'],
  [['--to', 'a@sandbox.test', ...hello, '--timeout', 'soon'], 2, '--timeout must be a whole number'],
])('send %j is refused and says why', async (args, code, message) => {
  const result = await world.run(['send', ...args]);
  expect(result.code).toBe(code);
  expect(result.err).toContain(message);
});

test('a send that does not arrive ends with 1, and its trace says what to do', async () => {
  const bounced = await world.run(['send', '--to', 'bounced@sandbox.test', ...hello, '--wait']);
  expect(bounced.code).toBe(1);
  expect(bounced.out).toMatch(/^bounced/);
  await app.request('POST', '/v1/suppressions', { body: { address: 'held@sandbox.test' } });
  const again = await world.run(['send', '--to', 'held@sandbox.test', ...hello, '--wait', '--json']);
  expect(again.code).toBe(1);
  const { id, status } = JSON.parse(again.out);
  expect(status).toBe('suppressed');
  expect((await world.run(['trace', id])).out).toContain(
    'DELETE /v1/suppressions/{address} removes it from the list',
  );
});

test('what does not exist ends with 3, and a bad key says how to log in', async () => {
  const id = '0198c3a1-5a0e-7c4e-9d3b-2f6a1b7c8d9e';
  for (const name of ['get', 'trace']) expect((await world.run([name, id])).code).toBe(3);
  const { code, err } = await world.run(['get', id], {
    env: { CARILLON_API_KEY: `crl_test_${'1'.repeat(38)}` },
  });
  expect(code).toBe(1);
  expect(err).toContain('run `carillon login`');
});

test('tail shows each event once, new ones as they come, and ends at Ctrl-C', async () => {
  const user = `tail-${Date.now()}`;
  const send = () =>
    world.json(['send', '--to', 'delivered@sandbox.test', '--user', user, ...hello, '--wait']);
  const old = await send();
  const lines: { notification_id: string; type: string }[] = [];
  const sends: Promise<{ id: string }>[] = [Promise.resolve(old)];
  const args = ['tail', '--user', user, '--interval', '50', '--json'];
  const result = await world.run(args, {
    onLine(line, interrupt) {
      lines.push(JSON.parse(line));
      if (sends.length === 1) sends.push(send());
      if (lines.filter(({ type }) => type === 'Delivered').length === 2) interrupt();
    },
  });
  expect(result).toMatchObject({ code: 0, err: '' });
  const seen = lines.map(({ notification_id, type }) => `${notification_id} ${type}`);
  expect(new Set(seen).size).toBe(seen.length);
  const sent = await Promise.all(sends);
  for (const { id } of sent) expect(seen).toContain(`${id} Delivered`);
  const once = await world.run(['tail', '--once', '--user', user, '--lines', '1']);
  expect(once.out).toContain(sent[1]?.id);
  expect(once.out).not.toContain(old.id);
  expect((await world.run(['tail', '--status', 'lost'])).code).toBe(2);
});

test('tail shows what happens after the delivery, also of one that is not the newest', async () => {
  const user = 'reader';
  const send = ['send', '--channel', 'in_app', '--user', user, '--html', '<p>Hi</p>', '--wait'];
  const deliver = async (): Promise<string> => (await world.json(send)).id;
  const made = await deliver();
  const old = lowestIdAt(Date.now() - 60_000);
  for (const [table, id] of Object.entries({
    notifications: 'id',
    notification_contents: 'notification_id',
    inbox_items: 'id',
  }))
    await app.pool.query(`update ${table} set ${id} = $2 where ${id} = $1`, [made, old]);
  const newest = await deliver();
  const { body } = await app.request('POST', '/v1/inbox/tokens', { body: { external_user_id: user } });
  const read = () => app.request('POST', `/inbox/v1/notifications/${old}/read`, { key: body.token });
  const seen: string[] = [];
  await world.run(['tail', '--user', user, '--interval', '50', '--json'], {
    onLine(line, interrupt) {
      const { notification_id, type } = JSON.parse(line);
      seen.push(`${notification_id} ${type}`);
      if (notification_id === newest && type === 'Delivered') void read();
      if (type === 'Opened') interrupt();
    },
  });
  expect(seen.at(-1)).toBe(`${old} Opened`);
});

test('text of others cannot act on the terminal', async () => {
  const subject = 'a\u202eb';
  const { id } = await world.json(['send', '--to', 'ada@sandbox.test', '--subject', subject, '--text', 'x']);
  const { out } = await world.run(['get', id], { color: true });
  expect(out).not.toContain('\u202e');
  expect(out).toContain('\u001b[');
});

test('keys are created, listed, rotated and revoked', async () => {
  const made = await world.run(['keys', 'create', '--name', 'shop', '--preset', 'send_only']);
  const key = made.out.trim();
  expect(key).toMatch(/^crl_test_\w{38}$/);
  const [shop] = (await world.json(['keys', 'list'])).filter(({ name }: { name: string }) => name === 'shop');
  expect(shop).toMatchObject({ preset: 'send_only', last4: key.slice(-4) });
  expect((await world.run(['keys', 'list'])).out).toContain('send_only');

  const refused = await world.run(['keys', 'list'], { env: { CARILLON_API_KEY: key } });
  expect(refused.code).toBe(1);
  expect(refused.err).toContain('keys:read');

  expect((await world.run(['keys', 'rotate', shop.id])).err).toContain('Pass --yes');
  const rotated = await world.json(['keys', 'rotate', shop.id, '--grace', '60', '--yes']);
  expect(rotated.key).not.toBe(key);
  expect((await world.run(['keys', 'revoke', rotated.id], { answers: ['n'] })).out).toBe('');
  expect((await world.run(['keys', 'revoke', rotated.id], { answers: ['y'] })).out).toBe(
    `Revoked ${rotated.id}.\n`,
  );
  expect((await world.run(['keys', 'revoke', rotated.id, '--yes'])).code).toBe(3);
  for (const args of [[], ['--name', 'x'], ['--name', 'x', '--preset', 'send_only', '--scope', 'keys:read']])
    expect((await world.run(['keys', 'create', ...args])).code).toBe(2);
  const scopes = ['--scope', 'templates:read', '--scope', 'templates:write'];
  expect((await world.json(['keys', 'create', '--name', 'ci', ...scopes])).scopes).toHaveLength(2);
});

test('the devices of a user are listed without their tokens, and removed', async () => {
  expect((await world.run(['devices', 'list', 'ada'])).out).toBe('No devices.\n');
  const token = 'ab'.repeat(32);
  const device = { kind: 'apns', token, label: 'Phone of Ada' };
  const { body } = await app.request('PUT', '/v1/users/ada/devices', { body: device });
  const listed = await world.run(['devices', 'list', 'ada']);
  expect(listed.out).toContain(body.id);
  expect(listed.out).toMatch(/APNs {2}.*Phone of Ada.*none/);
  expect(listed.out + JSON.stringify(await world.json(['devices', 'list', 'ada']))).not.toContain(token);
  await world.run(['devices', 'delete', 'ada', body.id], { answers: ['n'] });
  expect(await world.json(['devices', 'list', 'ada'])).toHaveLength(1);
  expect((await world.run(['devices', 'delete', 'ada', body.id, '--yes'])).out).toBe(`Removed ${body.id}.\n`);
  expect(await world.json(['devices', 'list', 'ada'])).toEqual([]);
  expect((await world.run(['devices', 'delete', 'ada', body.id, '--yes'])).code).toBe(3);
});

test('a simulation is a timeline, with scripted events', async () => {
  const steps = [
    {
      id: 'mail',
      kind: 'send',
      channel: 'email',
      recipient: { address: '{{ trigger.email }}' },
      subject: 's',
      text_body: 't',
    },
    { id: 'paid', kind: 'wait_for_event', event: 'order.paid', timeout: '3d', on_timeout: 'late' },
    { id: 'thanks', kind: 'noop', next: 'end' },
    { id: 'late', kind: 'cancel' },
  ];
  await app.request('POST', '/v1/workflows', { body: { key: 'dunning', name: 'Dunning' } });
  expect((await world.run(['workflows', 'simulate', 'dunning'])).err).toContain(
    'dunning has no version yet.',
  );
  await app.request('POST', '/v1/workflows/dunning/versions', { body: { body: { steps } } });

  const args = ['workflows', 'simulate', 'dunning', '--data', '{"email":"ada@example.com"}'];
  const late = await world.run(args);
  expect(late.out).toMatch(/^dunning version 1\n {2}\+0s {2,}● {2}mail +send +sent/);
  expect(late.out).toMatch(/\+3d +● {2}late +cancel/);
  expect(late.out).toMatch(/cancelled\n$/);
  const paid = await world.json([...args, '--event', 'order.paid@25h={"amount":42}']);
  expect(paid.status).toBe('completed');
  const drawn = await world.run([...args, '--event', 'order.paid@25h={"amount":42}']);
  const guide = readFileSync(new URL('../../docs/guides/cli.md', import.meta.url), 'utf8');
  expect(guide).toContain(`\`\`\`text\n${drawn.out}\`\`\``);
  expect((await world.run([...args, '--event', 'x={'])).code).toBe(2);
  expect((await world.run(['workflows', 'simulate', 'nobody'])).code).toBe(3);
});

test('promotion shows what would change in Live, asks, and is then a no-op', async () => {
  const body = { key: 'welcome', name: 'Welcome', subject_template: 'Hi', html_body_template: '<p>Hi</p>' };
  await app.request('POST', '/v1/templates', { body });
  const dry = await world.json(['templates', 'promote', 'welcome', '--dry-run']);
  expect(dry).toEqual({
    applied: false,
    items: [{ kind: 'templates', key: 'welcome', status: 'new', refusal: null }],
  });
  expect((await world.run(['promote'], { answers: ['no'] })).err).toContain('Nothing was promoted.');
  const { code, out } = await world.run(['promote'], { answers: ['y'] });
  expect({ code, out }).toEqual({ code: 0, out: '+ templates/welcome (new)\n✓ templates/welcome\n' });
  expect((await app.request('GET', '/v1/templates/welcome', { key: app.liveKey })).status).toBe(200);
  expect((await world.run(['promote', '--yes'])).out).toBe('Live is up to date.\n');
  const live = await world.run(['templates', 'promote', 'welcome', '--yes'], {
    env: { CARILLON_API_KEY: app.liveKey },
  });
  expect(live.err).toContain('use a key of the Test environment');
  expect((await world.run(['templates', 'promote', 'nobody', '--yes'])).code).toBe(3);
});

/** Scheduled for tomorrow, in a category of their own. */
async function schedule(count: number, category: string): Promise<void> {
  await app.request('POST', '/v1/preferences/categories', {
    body: { key: category, name: category, default_channels: ['email'] },
  });
  const send_at = new Date(Date.now() + 86_400_000).toISOString();
  const one = {
    ...{ channel: 'email', recipient: { address: 'ada@example.com' }, subject: 'Sale', text_body: 'Now.' },
    ...{ category, send_at },
  };
  const body = { notifications: Array.from({ length: count }, () => one) };
  expect((await app.request('POST', '/v1/notifications/batch', { body })).status).toBe(202);
}

test('redrive shows what it would send again, asks, and waits until it is done', async () => {
  await world.run(['send', '--to', 'refused@sandbox.test', ...hello, '--wait']);
  const args = ['redrive', '--to', 'refused@sandbox.test'];
  const dry = await world.run([...args, '--dry-run']);
  expect(dry.out).toMatch(/^1 notification matches:\n[0-9a-f-]{36} {2}email {2}refused@sandbox\.test/);
  const declined = await world.run(args, { answers: ['n'] });
  expect(declined).toMatchObject({ code: 0, err: 'Send 1 notification again? [y/N] Nothing was started.\n' });
  expect((await world.run(args)).code).toBe(2); // no terminal, no --yes

  const done = await world.run(args, { answers: ['y'] });
  expect(done).toMatchObject({ code: 0 });
  expect(done.out).toContain('✓ 1 notification redriven\n');
  expect(await world.json([...args, '--yes'])).toMatchObject({ status: 'completed', skipped: 1 });
});

test('cancel without a filter is refused, and a filter without a match starts nothing', async () => {
  const refused = await world.run(['cancel', '--yes']);
  expect(refused.code).toBe(1);
  expect(refused.err).toContain('filter.all');
  const none = await world.run(['cancel', '--template', 'no-such-template', '--yes']);
  expect(none).toMatchObject({ code: 0, out: '0 notifications match.\n' });
});

test('Ctrl-C leaves a cancellation running and says how to watch or stop it', async () => {
  await schedule(450, 'bulk-cli');
  const left = await world.run(['cancel', '--category', 'bulk-cli', '--yes'], {
    terminal: true,
    onLine: (line, interrupt) => {
      if (/[1-9]\d* of 450/.test(line)) interrupt();
    },
  });
  expect(left.code).toBe(130);
  expect(left.progress.at(-1)).toMatch(/^█+░+ 200 of 450, \d+ s left$/);
  const [, id = ''] = /carillon cancel --watch ([0-9a-f-]{36})/.exec(left.err) ?? [];
  expect(left.err).toContain(`stop it: carillon cancel --stop ${id}`);

  const stopped = await world.run(['cancel', '--stop', id]);
  expect(stopped.out).toMatch(/^stopped {2}(200|400) notifications cancelled\n$/);
  const watched = await world.json(['cancel', '--watch', id]);
  expect(watched).toMatchObject({ id, status: 'cancelled' });
});
