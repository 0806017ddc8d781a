import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../server/test/harness/app.ts';
import { createWorld, type World } from './world.ts';

let app: TestApp;
let world: World;
beforeAll(async () => {
  app = await startTestApp({ settings: { CARILLON_ROLES: 'api' } });
  world = createWorld({ CARILLON_URL: app.url, CARILLON_API_KEY: app.testKey });
});
afterAll(async () => {
  world.remove();
  await app.stop();
});

const pathOf = (path: string) => join(world.folder, 'carillon', path);
function write(path: string, content: string): void {
  mkdirSync(dirname(pathOf(path)), { recursive: true });
  writeFileSync(pathOf(path), content);
}

test('layouts, partials and translations are files, written in the order in which they need each other', async () => {
  write('translations/ar.json', '{"hi": "مرحبا"}');
  write('translations/en.default.json', '{"hi": "Hi %{name}"}');
  write('partials/a.liquid', "{% render 'b' %}!\n");
  write('partials/b.liquid', "{{ 'hi' | t }}\n");
  write('layouts/main/layout.json', '{"channel": "email", "is_default": true}');
  write('layouts/main/layout.html', "<b>{{ content }}</b>{% render 'a' %}\n");
  write(
    'templates/t/template.json',
    '{"name": "T", "subjects": {"email": "S"}, "layouts": {"email": "main"}}',
  );
  write('templates/t/email.html', 'x\n');
  const pushed = await world.run(['push', '--yes']);
  expect(pushed, pushed.err).toMatchObject({ code: 0 });
  const rendered = await app.request('POST', '/v1/templates/t/render', { body: {} });
  expect(rendered.body.html_body).toBe('<b>x</b>Hi !');
  expect((await app.request('GET', '/v1/translations/en')).body).toMatchObject({ is_default: true });
  expect((await world.json(['push', '--yes'])).changes).toEqual([]);
  expect((await world.json(['pull', '--yes', '--force'])).changes).toEqual([]);
});

test('a pull brings what changed, and the default moves with the name of the file', async () => {
  await app.request('PUT', '/v1/translations/ar', { body: { messages: { hi: 'أهلا' }, is_default: true } });
  expect((await world.run(['translations', 'pull', '--yes', '--force'])).code).toBe(0);
  expect(JSON.parse(readFileSync(pathOf('translations/ar.default.json'), 'utf8'))).toEqual({ hi: 'أهلا' });
  expect(existsSync(pathOf('translations/en.default.json'))).toBe(false);
  write('translations/fr.default.json', '{}');
  expect((await world.run(['translations', 'push', '--yes'])).err).toContain('second default locale');
});

test('a folder needs a default locale, and a push never takes it from the server', async () => {
  const isDefault = async () => (await app.request('GET', '/v1/translations/ar')).body.is_default;
  rmSync(pathOf('translations/fr.default.json'));
  renameSync(pathOf('translations/ar.default.json'), pathOf('translations/ar.json'));
  const refused = await world.run(['translations', 'push', '--yes', '--force']);
  expect(refused.err).toContain('has no default locale');
  expect(await isDefault()).toBe(true);
  renameSync(pathOf('translations/ar.json'), pathOf('translations/ar.default.json'));
  write('translations/ar.default.json', '{"hi": "أهلا بك"}');
  write('translations/en.json', '{"hi": "Hello %{name}"}');
  expect(await world.run(['translations', 'push', '--yes', '--force'])).toMatchObject({ code: 0 });
  expect(await isDefault()).toBe(true);
});

test('removals take the opposite order', async () => {
  for (const path of [
    'partials/a.liquid',
    'partials/b.liquid',
    'layouts/main',
    'templates/t',
    'translations/ar.default.json',
    'translations/en.json',
  ])
    rmSync(pathOf(path), { recursive: true });
  const pushed = await world.run(['push', '--yes', '--prune', '--force']);
  expect(pushed, pushed.err).toMatchObject({ code: 0 });
  expect((await app.request('GET', '/v1/partials')).body.data).toEqual([]);
  expect((await app.request('GET', '/v1/translations')).body.data).toEqual([]);
});

test('the brand of the environment is a file, and without one it is removed only with --prune', async () => {
  const brand = async () => (await app.request('GET', '/v1/brand')).body;
  write(
    'brand/environment.json',
    '{"name": " Acme ", "logo_url": "https://ACME.example", "accent_color": "#7A3B00"}',
  );
  expect((await world.json(['brand', 'push', '--dry-run'])).changes).toMatchObject([{ action: 'create' }]);
  expect(await brand()).toEqual({ name: null, logo_url: null, accent_color: null });
  expect((await world.run(['brand', 'push', '--yes'])).code).toBe(0);
  const stored = { name: 'Acme', logo_url: 'https://acme.example/', accent_color: '#7a3b00' };
  expect(await brand()).toEqual(stored);
  expect((await world.json(['brand', 'push', '--yes'])).changes).toEqual([]);

  await app.request('PUT', '/v1/brand', { body: { ...stored, logo_url: null } });
  expect((await world.run(['brand', 'pull', '--yes', '--force'])).code).toBe(0);
  const { logo_url: _, ...left } = stored;
  expect(JSON.parse(readFileSync(pathOf('brand/environment.json'), 'utf8'))).toEqual(left);

  write('brand/environment.json', '{"name": null}');
  expect((await world.run(['brand', 'push', '--yes'])).err).toContain('environment.json sets nothing');
  write('brand/environment.json', '{"name": "Acme", "logo_url": "http://acme.example"}');
  expect((await world.run(['brand', 'push', '--yes'])).err).toContain('logo_url must be an https URL');
  rmSync(pathOf('brand/environment.json'));
  expect((await world.json(['brand', 'push', '--yes'])).kept).toHaveLength(1);
  expect((await world.run(['brand', 'push', '--yes', '--prune'])).code).toBe(0);
  expect(await brand()).toEqual({ name: null, logo_url: null, accent_color: null });
});
