import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../server/test/app.ts';
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

test('removals take the opposite order', async () => {
  const { rmSync } = await import('node:fs');
  for (const path of [
    'partials/a.liquid',
    'partials/b.liquid',
    'layouts/main',
    'templates/t',
    'translations/fr.default.json',
  ])
    rmSync(pathOf(path), { recursive: true });
  const pushed = await world.run(['push', '--yes', '--prune', '--force']);
  expect(pushed, pushed.err).toMatchObject({ code: 0 });
  expect((await app.request('GET', '/v1/partials')).body.data).toEqual([]);
});
