import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../server/test/harness/app.ts';
import { createWorld, type World } from './world.ts';

let app: TestApp;
let world: World;

const welcome = {
  key: 'welcome',
  name: 'Welcome',
  bodies: [
    {
      channel: 'email',
      subject_template: 'Hi {{ name }}',
      html_template: '<p>Hi</p>\n<p>Bye</p>',
      text_template: '',
    },
    { channel: 'email', locale: 'de-AT', subject_template: 'Servus', html_template: '<p>Servus</p>' },
    { channel: 'in_app', text_template: 'Hi', structured_template: '{"tags": ["hello"]}' },
    { channel: 'chatone', structured_template: '[{"type":"divider"}]' },
  ],
};
const news = { key: 'news', name: 'News', default_channels: ['email', 'in_app'] };
const steps = [
  {
    id: 'mail',
    kind: 'send',
    channel: 'email',
    recipient: { address: '{{ trigger.email }}' },
    template_key: 'welcome',
    category: 'news',
  },
];

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

/** Each test begins with one resource of each kind, and an empty folder. */
beforeEach(async () => {
  world?.remove();
  world = createWorld({ CARILLON_URL: app.url, CARILLON_API_KEY: app.testKey });
  await app.pool.query('truncate workflows, templates, categories, topics cascade');
  await post('/v1/preferences/categories', news);
  await post('/v1/templates', welcome);
  await post('/v1/workflows', { key: 'onboarding', name: 'Onboarding' });
  await post('/v1/workflows/onboarding/versions', { body: { steps } });
  await post('/v1/workflows/onboarding/versions/1/activate', undefined);
});
afterAll(() => world.remove());

async function post(path: string, body: unknown) {
  const response = await app.request('POST', path, body === undefined ? {} : { body });
  if (response.status >= 300) throw new Error(JSON.stringify(response.body));
  return response.body;
}

const at = (path: string): string => join(world.folder, 'carillon', path);
const read = (path: string): string => readFileSync(at(path), 'utf8');
function write(path: string, content: unknown): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), typeof content === 'string' ? content : JSON.stringify(content));
}
const get = async (path: string) => (await app.request('GET', path)).body;
const pushed = (...args: string[]) => world.run(['push', '--yes', ...args]);

test('a pull writes readable files, and a push of them is a no-op', async () => {
  const pulled = await world.run(['pull']);
  expect(pulled).toMatchObject({ code: 0, err: '' });
  expect(pulled.out).toContain('✓ 3 resources written');
  expect(readdirSync(at('templates/welcome')).sort()).toEqual([
    'chatone.json',
    'email.de-AT.html',
    'email.html',
    'in_app.json',
    'in_app.txt',
    'template.json',
  ]);
  expect(read('templates/welcome/email.html')).toBe('<p>Hi</p>\n<p>Bye</p>\n');
  expect(JSON.parse(read('templates/welcome/template.json'))).toEqual({
    name: 'Welcome',
    subjects: { email: 'Hi {{ name }}', 'email.de-AT': 'Servus' },
  });
  expect(JSON.parse(read('categories/news.json'))).toEqual({
    name: 'News',
    is_critical: false,
    default_channels: ['email', 'in_app'],
    default_opt_in: true,
  });
  expect(JSON.parse(read('workflows/onboarding.json'))).toEqual({ name: 'Onboarding', body: { steps } });

  expect((await world.run(['push'])).out).toBe(`Test at ${app.url} is up to date.\n`);
  expect((await world.run(['pull'])).out).toContain('is up to date');
  expect((await world.run(['diff', '--exit-code'])).code).toBe(0);
  expect((await get('/v1/templates/welcome')).version).toBe(1);
});

test('half-done drafts and texts about merges are pulled, and a push of them is a no-op', async () => {
  const marks = '<<<<<<< yours\none\n=======\ntwo\n>>>>>>> theirs';
  const twice = [
    { id: 'a', kind: 'noop' },
    { id: 'a', kind: 'noop' },
  ];
  await post('/v1/workflows', { key: 'sketch', name: 'Sketch' });
  await post('/v1/workflows/sketch/versions', { body: { steps: twice } });
  const long = '😀'.repeat(200_000); // characters count, not their UTF-16 units
  const body = { channel: 'webhook', subject_template: long, text_template: marks };
  await post('/v1/templates', { key: 'git-course', name: 'Git', bodies: [body] });
  expect((await world.run(['pull'])).code).toBe(0);
  expect((await world.run(['push'])).out).toContain('is up to date');
  expect((await world.run(['diff'])).out).toBe('No differences.\n');
  expect((await world.run(['pull'])).out).toContain('is up to date');
  write('templates/git-course/webhook.txt', `Read this:\n${marks}\n`);
  expect((await pushed()).code).toBe(0);

  write('templates/welcome/in_app.txt', marks);
  const { code, err } = await pushed();
  expect(code).toBe(1);
  expect(err).toContain('templates/welcome/in_app.txt contains merge conflict markers');
  expect((await get('/v1/templates/welcome')).version).toBe(1);
  expect((await world.run(['pull'])).out).toContain('templates/welcome: changed here, not changed');
});

test('a push shows the difference, asks, and writes one version of each', async () => {
  await world.run(['pull']);
  write('templates/welcome/email.html', '<p>Hello</p>\n<p>Bye</p>\n');
  write('workflows/onboarding.json', {
    name: 'Onboarding 2',
    description: 'For new users',
    body: { steps: [{ id: 'x', kind: 'noop' }] },
  });
  write('categories/alerts.json', { name: 'Alerts', is_critical: true, default_channels: ['sms'] });

  const diff = await world.run(['diff', '--exit-code']);
  expect(diff.code).toBe(1);
  expect(diff.out).toContain(
    '~ templates/welcome (update)\n    templates/welcome/email.html\n    - <p>Hi</p>\n    + <p>Hello</p>\n      <p>Bye</p>\n',
  );
  expect(diff.out).toContain('+ categories/alerts (create)');

  expect((await world.run(['push', '--dry-run'])).out).toContain('Dry run: nothing was written.');
  expect((await world.run(['push'])).err).toContain('Pass --yes');
  const no = await world.run(['push'], { answers: ['n'] });
  expect(no.err).toContain('Write 3 changes to Test at');
  expect(no.out).toContain('Nothing was written.');
  expect((await get('/v1/templates/welcome')).version).toBe(1);

  const yes = await world.run(['push'], { answers: ['y'] });
  expect(yes.code).toBe(0);
  expect(yes.out.split('\n').slice(-5)).toEqual([
    '✓ 1 of 3: categories/alerts created',
    '✓ 2 of 3: templates/welcome updated',
    '✓ 3 of 3: workflows/onboarding updated',
    `3 changes written to Test at ${app.url}: 1 created, 2 updated.`,
    '',
  ]);
  expect(await get('/v1/templates/welcome')).toMatchObject({
    version: 2,
    html_body_template: '<p>Hello</p>\n<p>Bye</p>',
  });
  expect(await get('/v1/workflows/onboarding')).toMatchObject({ name: 'Onboarding 2', active_version: 2 });
  expect((await get('/v1/preferences/categories/alerts')).is_critical).toBe(true);
  expect((await world.run(['diff'])).out).toBe('No differences.\n');
});

test('a push of many shows how far it is on one line of a terminal, and a summary', async () => {
  const keys = Array.from({ length: 12 }, (_, index) => `many-${String(index).padStart(2, '0')}`);
  for (const key of keys) write(`categories/${key}.json`, { name: key, default_channels: [] });
  const { code, out, progress } = await world.run(['push', '--yes'], { terminal: true });
  expect(code).toBe(0);
  expect(progress.slice(-12)).toEqual(keys.map((key, index) => `${index + 1} of 12: categories/${key}…`));
  expect(out).not.toContain('✓');
  expect(out).toMatch(/\n12 changes written to Test at \S+: 12 created\.\n$/);

  for (const key of keys) write(`categories/${key}.json`, { name: 'Renamed', default_channels: [] });
  const asJson = await pushed('--json');
  expect(JSON.parse(asJson.out)).toMatchObject({ applied: true });
  expect(asJson.err).toContain('✓ 12 of 12: categories/many-11 updated\n12 changes written');
});

test('one folder is pushed to Test and to Live, each with a memory of its own', async () => {
  await world.run(['pull']);
  const env = { CARILLON_API_KEY: app.liveKey };
  const first = await world.run(['push', '--yes', '--json'], { env });
  expect(first.code).toBe(0);
  expect(JSON.parse(first.out.split('\n').at(-2) ?? '')).toMatchObject({
    applied: true,
    environment: { kind: 'live' },
  });
  expect((await world.run(['push'], { env })).out).toBe(`LIVE at ${app.url} is up to date.\n`);
  expect((await app.request('GET', '/v1/workflows/onboarding', { key: app.liveKey })).body.status).toBe(
    'active',
  );
});

test('what was changed on the server since the pull is a conflict, until --force', async () => {
  await world.run(['pull']);
  await app.request('PATCH', '/v1/templates/welcome', { body: { name: 'Theirs' } });
  write('templates/welcome/in_app.txt', 'Mine');
  write('categories/more.json', { name: 'More', default_channels: [] });
  const refused = await pushed();
  expect(refused.code).toBe(1);
  expect(refused.out).toContain('conflict: was changed on the server since the last pull');
  expect(refused.err).toContain('1 conflict. Nothing was written.');
  expect((await app.request('GET', '/v1/preferences/categories/more')).status).toBe(404);
  const pulled = await world.run(['pull', '--yes']);
  expect(pulled.code).toBe(1);
  expect(pulled.out).toContain('was changed here and on the server');

  expect((await pushed('--force')).code).toBe(0);
  expect((await get('/v1/templates/welcome')).name).toBe('Welcome');
  await app.request('PATCH', '/v1/templates/welcome', { body: { name: 'Theirs again' } });
  expect((await world.run(['pull'], { answers: ['y'] })).code).toBe(0); // not touched here: it simply follows
  expect(JSON.parse(read('templates/welcome/template.json')).name).toBe('Theirs again');
});

test('a template that was deleted on the server is not made again by accident', async () => {
  await world.run(['pull']);
  rmSync(at('workflows/onboarding.json'));
  await app.request('DELETE', '/v1/workflows/onboarding');
  await app.request('DELETE', '/v1/templates/welcome');
  const { code, out } = await pushed();
  expect(code).toBe(1);
  expect(out).toContain('was deleted on the server since the last pull');
  expect((await world.run(['pull'])).out).toContain('templates/welcome: deleted on the server, not changed');
  expect(existsSync(at('templates/welcome'))).toBe(true);
  expect((await world.run(['templates', 'pull', '--prune', '--yes'])).code).toBe(0);
  expect(existsSync(at('templates/welcome'))).toBe(false);
  expect((await pushed()).code).toBe(0);
});

test('nothing is removed without --prune; with it, users go before what they name', async () => {
  await world.run(['pull']);
  for (const path of ['categories/news.json', 'templates/welcome', 'workflows/onboarding.json'])
    rmSync(at(path), { recursive: true });
  expect((await pushed()).out).toContain('templates/welcome: only on the server, not changed');
  expect((await world.run(['diff', '--exit-code'])).code).toBe(0);
  expect((await world.run(['diff', '--exit-code', '--prune'])).code).toBe(1);
  rmSync(at('workflows'), { recursive: true });
  const careless = await pushed('--prune');
  expect(careless.code).toBe(2);
  expect(careless.err).toContain('has no folder workflows: --prune would delete all 1');
  mkdirSync(at('workflows'));
  const { code, out } = await pushed('--prune');
  expect({ code, lines: out.split('\n').filter((line) => line.startsWith('✓')) }).toEqual({
    code: 0,
    lines: [
      '✓ 1 of 3: workflows/onboarding disabled',
      '✓ 2 of 3: templates/welcome deleted',
      '✓ 3 of 3: categories/news archived',
    ],
  });
  // And back again: what was archived or disabled is the same thing as before.
  write('categories/news.json', news);
  write('workflows/onboarding.json', { name: 'Onboarding', body: { steps: [{ id: 'x', kind: 'noop' }] } });
  expect((await pushed()).code).toBe(0);
  expect((await get('/v1/workflows/onboarding')).status).toBe('active');
  expect((await get('/v1/preferences/categories/news')).is_archived).toBe(false);
});

test('a README is ignored where it is a file; a template may have the name', async () => {
  await post('/v1/templates', { ...welcome, key: 'readme.md' });
  await world.run(['pull']);
  write('templates/README.md', 'What these are for');
  expect((await pushed('--prune')).out).toContain('is up to date');
  expect((await app.request('GET', '/v1/templates/readme.md')).status).toBe(200);
});

test('everything that is wrong in a folder is told at once, before any write', async () => {
  await world.run(['pull']);
  write('categories/broken.json', '{\n  "name": "x",\n  oops\n}');
  write('categories/twice.json', '{"name": "a", "name": "b", "default_channels": []}');
  write('categories/other.json', { key: 'else', name: 'x', default_channels: [] });
  write('categories/Bad Key.json', {});
  write('categories/channel.json', { name: 'x', default_channels: ['pigeon'] });
  write('categories/merge.json', '<<<<<<< ours\n{}\n=======\n[]\n>>>>>>> theirs\n');
  write('categories/typo.json', { name: 'x', default_chanels: [] });
  write('templates/nameless/email.html', 'x');
  write('templates/welcome/in-app.txt', 'the same body twice');
  write('templates/welcome/sms.html', 'x');
  write('templates/welcome/notes.md', 'x');
  write('templates/orphan/template.json', { name: 'x', subjects: { 'email.de': 'x' } });
  write('templates/orphan/email.de.txt', 'x');
  write('templates/mute/template.json', { name: 'x' });
  write('templates/mute/email.txt', 'x');
  write('workflows/loop.json', {
    name: 'x',
    body: {
      steps: [
        { id: 'a', kind: 'noop' },
        { id: 'a', kind: 'noop' },
      ],
    },
  });
  write('workflows/empty.json', { name: 'x' });
  write('templates/README.md', 'is fine');
  const { code, err } = await pushed();
  expect(code).toBe(1);
  for (const line of [
    /categories\/broken\.json is not valid JSON: .*line 3/,
    'categories/twice.json has the key “name” twice (line 1)',
    'categories/other.json has the key “else”',
    'categories/Bad Key.json: “Bad Key” cannot be a key',
    '“pigeon” is not one',
    'categories/merge.json contains merge conflict markers',
    'has an unknown field “default_chanels”; did you mean “default_channels”?',
    'templates/nameless has no template.json',
    'is the same body as another file: in_app.txt',
    'templates/welcome/sms.html: sms has txt, not html',
    'templates/welcome/notes.md is not a body',
    'templates/orphan has email.de, but no email for everyone else',
    'templates/mute needs a subject for email',
    'workflows/loop.json: two steps have the id “a”',
    'workflows/empty.json: body must be an object',
    '15 problems in the folder. Nothing was changed.',
  ])
    expect(err).toMatch(line);
  expect((await get('/v1/templates/welcome')).version).toBe(1);
  expect((await world.run(['pull'])).err).toContain('15 problems');
});

test('a workflow that names what is nowhere, and a category that would turn critical, are refused beforehand', async () => {
  await world.run(['pull']);
  const lost = [{ ...steps[0], template_key: 'gone', category: 'gone' }];
  write('workflows/lost.json', { name: 'x', body: { steps: lost } });
  write('categories/news.json', { ...news, is_critical: true });
  const { code, err } = await pushed();
  expect(code).toBe(1);
  expect(err).toContain('refers to the template gone, which does not exist here or on the server');
  expect(err).toContain('refers to the category gone');
  expect(err).toContain('is_critical cannot be changed');
});

test('what the service refuses stops the push there; mended, a second push finishes', async () => {
  await world.run(['pull']);
  write('categories/first.json', { name: 'First', default_channels: [] });
  write('templates/welcome/in_app.txt', '{% if %}');
  write('workflows/onboarding.json', { name: 'Later', body: { steps } });
  const stopped = await pushed();
  expect(stopped.code).toBe(1);
  expect(stopped.err).toMatch(/templates\/welcome: .*\(bodies\[\d\]\.text_template\)/);
  expect(stopped.err).toContain('1 of 3 written. Fix the problem and run push again to finish.');
  expect((await get('/v1/workflows/onboarding')).name).toBe('Onboarding');
  write('templates/welcome/in_app.txt', 'mended');
  expect((await pushed()).out).toMatch(
    /✓ 1 of 2: templates\/welcome updated\n✓ 2 of 2: workflows\/onboarding updated\n2 changes .*: 2 updated\.\n$/,
  );
});

test('of a new workflow that is refused a draft stays, which is said; mended, a second push finishes', async () => {
  write('workflows/late.json', { name: 'Late', body: { steps: [{ id: 'x', kind: 'delay' }] } });
  for (const written of ['0 of 1 written, and part of this one.', '0 of 1 written.'])
    expect((await pushed()).err).toContain(`${written} Fix the problem and run push again to finish.`);
  expect((await get('/v1/workflows/late')).status).toBe('draft');
  write('workflows/late.json', { name: 'Late', body: { steps: [{ id: 'x', kind: 'noop' }] } });
  expect((await pushed()).code).toBe(0);
  expect((await get('/v1/workflows/late')).status).toBe('active');
});

test('Ctrl-C in the middle finishes the resource under way and nothing more; a second push does the rest', async () => {
  await world.run(['pull']);
  for (const key of ['one', 'two', 'three'])
    write(`categories/${key}.json`, { name: key, default_channels: [] });
  const { code, err } = await world.run(['push', '--yes'], {
    onLine: (line, interrupt) => line.startsWith('✓') && interrupt(),
  });
  expect(code).toBe(130);
  expect(err).toContain('Interrupted: 1 of 3 written. Run push again to finish.');
  const again = await pushed();
  expect(again.out.match(/✓/g)).toHaveLength(2);
  expect((await world.run(['diff'])).out).toBe('No differences.\n');
});

test('a version that an interrupted push left behind is used, not made again', async () => {
  await world.run(['pull']);
  const next = { steps: [{ id: 'x', kind: 'noop' }] };
  await post('/v1/workflows/onboarding/versions', { body: next });
  write('workflows/onboarding.json', { name: 'Onboarding', body: next });
  expect((await pushed()).code).toBe(0);
  expect(await get('/v1/workflows/onboarding')).toMatchObject({ active_version: 2, latest_version: 2 });
});

test('drafts stay drafts, and an active workflow does not become one', async () => {
  await world.run(['pull']);
  write('workflows/idea.json', { name: 'Idea', status: 'draft' });
  write('workflows/sketch.json', { name: 'Sketch', status: 'draft', body: { steps } });
  expect((await pushed()).code).toBe(0);
  expect(await get('/v1/workflows/sketch')).toMatchObject({ status: 'draft', latest_version: 1 });
  expect((await world.run(['diff'])).out).toBe('No differences.\n');
  write('workflows/onboarding.json', { name: 'Onboarding', status: 'draft', body: { steps } });
  expect((await pushed()).err).toContain('cannot become a draft again');
});

test('a version cannot be taken away from a draft', async () => {
  write('workflows/sketch.json', { name: 'Sketch', status: 'draft', body: { steps } });
  expect((await pushed()).code).toBe(0);
  write('workflows/sketch.json', { name: 'Sketch', status: 'draft' });
  const { code, err } = await pushed();
  expect(code).toBe(1);
  expect(err).toContain('workflows/sketch.json has no body, but a version cannot be removed');
  write('workflows/sketch.json', { name: 'Sketch 2', status: 'draft', body: { steps } });
  expect((await pushed()).out).toContain('✓ 1 of 1: workflows/sketch updated');
});

test('one kind, and of it single resources, can be chosen', async () => {
  expect((await world.run(['templates', 'pull', 'welcome'])).code).toBe(0);
  expect(readdirSync(at('.')).sort()).toEqual(['.carillon-state.json', 'templates']);
  write('templates/second/template.json', { name: 'Second' });
  write('templates/welcome/in_app.txt', 'changed');
  expect((await world.run(['templates', 'push', 'second', '--yes'])).out).toMatch(
    /✓ 1 of 1: templates\/second created\n1 change written to Test at \S+: 1 created\.\n$/,
  );
  expect((await get('/v1/templates/welcome')).version).toBe(1);
  expect((await world.run(['templates', 'diff', 'nobody'])).code).toBe(3);
});

test('a folder that is not there, and a broken record, are explained', async () => {
  expect((await world.run(['push', '--dir', 'nowhere'])).err).toContain('Run `carillon pull` to create it');
  write('.carillon-state.json', '{');
  const { code, err } = await world.run(['pull']);
  expect(code).toBe(1);
  expect(err).toContain('.carillon-state.json is broken.');
});

test('topics are files without their subscribers', async () => {
  write('topics/releases.json', { name: 'Releases' });
  expect((await pushed()).code).toBe(0);
  await app.request('PUT', '/v1/topics/releases/subscribers/ada');
  write('topics/releases.json', { name: 'Releases', description: 'What is new' });
  expect((await world.run(['topics', 'diff'])).out).toContain('~ topics/releases');
  expect((await world.run(['topics', 'push', '--yes'])).code).toBe(0);
  expect(await get('/v1/topics/releases')).toMatchObject({ description: 'What is new', subscriber_count: 1 });
  rmSync(at('topics/releases.json'));
  expect((await world.run(['topics', 'push', '--yes', '--prune'])).out).toContain('topics/releases deleted');
});
