import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts';
import type { Pool } from '../../db/sql.ts';
import { newId } from '../../kernel/ids.ts';
import { newBody } from './bodies.ts';
import { createTemplateDirectory } from './directory.ts';
import { RenderFailure } from './render.ts';
import { createTemplateRenderer, runGuarded } from './renderer.ts';
import * as store from './store.ts';

let database: TestDatabase;
let environmentId: string;
beforeAll(async () => {
  database = await createTestDatabase();
  const organizationId = newId();
  environmentId = newId();
  await database.pool.query(`insert into organizations (id, name, plan) values ($1, 'o', 'unmetered')`, [
    organizationId,
  ]);
  await database.pool.query(
    `insert into environments (id, organization_id, kind, name) values ($1, $2, 'test', 'e')`,
    [environmentId, organizationId],
  );
});
afterAll(() => database.drop());

/** The real pool, and how often it was asked. */
function counted(): { pool: Pool; queries: () => number } {
  let queries = 0;
  const pool = new Proxy(database.pool, {
    get(target, name) {
      if (name !== 'query') return Reflect.get(target, name);
      return (config: string) => {
        queries += 1;
        return target.query(config);
      };
    },
  });
  return { pool, queries: () => queries };
}

let count = 0;
async function insert(text: string): Promise<{ key: string; versionId: string }> {
  const [id, versionId, key] = [newId(), newId(), `t${++count}`];
  await store.insertTemplate(database.pool, {
    id,
    environment_id: environmentId,
    key,
    current_version_id: versionId,
  });
  await store.insertVersion(database.pool, {
    id: versionId,
    environment_id: environmentId,
    template_id: id,
    version: 1,
    name: 'n',
    channels: ['sms'],
    bodies: [newBody('sms', null, { text_template: text })],
    size: text.length,
  });
  return { key, versionId };
}

describe('the directory', () => {
  test('answers a hundred sends with one query, and shares it among those that come together', async () => {
    const { key, versionId } = await insert('x');
    const { pool, queries } = counted();
    const directory = createTemplateDirectory(pool);
    const find = () => directory.find(environmentId, key, 'sms');
    const together = await Promise.all(Array.from({ length: 50 }, find));
    for (let n = 0; n < 50; n += 1) await find();
    expect(new Set(together.map((found) => found?.versionId))).toEqual(new Set([versionId]));
    expect(queries()).toBe(1);
    directory.forget(environmentId, key);
    await find();
    expect(queries()).toBe(2);
  });

  test('never says no from memory', async () => {
    const { pool } = counted();
    const directory = createTemplateDirectory(pool);
    const { key } = await insert('x');
    expect((await directory.find(environmentId, key, 'email'))?.channels).toEqual(new Set(['sms']));
    expect(await directory.find(environmentId, 'later', 'sms')).toBeNull();
    await database.pool.query(`update template_versions set channels = '{sms,email}'`);
    expect((await directory.find(environmentId, key, 'email'))?.channels).toEqual(new Set(['sms', 'email']));
  });
});

describe('the renderer', () => {
  test('reads a hundred versions with one query, and then none', async () => {
    const versions = await Promise.all(Array.from({ length: 100 }, (_, n) => insert(`${n} {{ x }}`)));
    const ids = versions.map(({ versionId }) => versionId);
    const { pool, queries } = counted();
    const renderer = createTemplateRenderer(pool);
    await renderer.listVersions([]);
    expect(queries()).toBe(0);
    const found = await renderer.listVersions([...ids, ...ids]);
    await renderer.listVersions(ids);
    expect(queries()).toBe(1);
    const task = { channel: 'sms' as const, locale: null, data: { x: 'y' } };
    const texts = await Promise.all(
      ids.map(async (id) => {
        const version = found.get(id);
        const rendered = version && (await renderer.render(version, task));
        return rendered instanceof RenderFailure ? rendered.message : rendered?.text_body;
      }),
    );
    expect(texts).toEqual(ids.map((_, n) => `${n} y`));
  });

  test('compiles a body once', async () => {
    const { versionId } = await insert('{{ x }}');
    const renderer = createTemplateRenderer(database.pool);
    const version = (await renderer.listVersions([versionId])).get(versionId);
    if (!version) throw new Error('it is there');
    for (const locale of [null, 'de', 'it'])
      await renderer.render(version, { channel: 'sms', locale, data: {} });
    expect(version.compiled.size).toBe(1);
    expect(await renderer.render(version, { channel: 'email', locale: null, data: {} })).toBeInstanceOf(
      RenderFailure,
    );
  });

  const forever = () => {
    for (;;);
  };

  test('one that takes all the time fails alone', async () => {
    const broken = () => {
      throw new RenderFailure('broken');
    };
    const results = await runGuarded([() => 1, forever, () => 2, broken, forever, () => 3], 50, 500);
    expect(results.map((result) => (result instanceof Error ? result.message : result))).toEqual([
      ...[1, 'it took too long', 2, 'broken', 'it took too long', 3],
    ]);
    expect(await runGuarded([], 50, 500)).toEqual([]);
    const bug = () => {
      throw new TypeError('a bug');
    };
    await expect(runGuarded([bug], 500, 500)).rejects.toThrow('a bug');
  });

  test('a slow group lets other work through after each of its tasks', async () => {
    const order: string[] = [];
    const isRunning = { now: true };
    const other = () => {
      order.push('other');
      if (isRunning.now) setImmediate(other);
    };
    setImmediate(other);
    const slow = (name: string) => () => {
      order.push(name);
      forever();
    };
    await runGuarded(['a', 'b', 'c'].map(slow), 20, 20);
    isRunning.now = false;
    const withoutRepeats = order.filter((name, index) => name !== order[index - 1]);
    expect(withoutRepeats.slice(0, 7)).toEqual(['a', 'other', 'a', 'other', 'b', 'other', 'c']);
  });

  test('groups that follow each other let other work through, too', async () => {
    const { versionId } = await insert('{{ x }}');
    const renderer = createTemplateRenderer(database.pool);
    const version = (await renderer.listVersions([versionId])).get(versionId);
    if (!version) throw new Error('it is there');
    let isThrough = false;
    const all = Array.from({ length: 200 }, () =>
      renderer.render(version, { channel: 'sms', locale: null, data: { x: 'y' } }).then(() => isThrough),
    );
    await all[0];
    setImmediate(() => {
      isThrough = true;
    });
    expect(await all[199]).toBe(true);
  });
});
