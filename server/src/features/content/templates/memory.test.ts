import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/database.ts';
import { reportTimeoutOfNextScript } from '../../../../test/harness/late-timeout.ts';
import { bundledThreads } from '../../../../test/harness/threads.ts';
import type { Pool } from '../../../db/sql.ts';
import { newId } from '../../../kernel/ids.ts';
import { createLog } from '../../../kernel/log.ts';
import { HeavyWork } from '../../../threads/effort.ts';
import { createTaskPool } from '../../../threads/pool.ts';
import { inPlace, type TaskRunner } from '../../../threads/task.ts';
import * as parts from '../parts/store.ts';
import { type DerivedBody, newBody } from './bodies.ts';
import { createTemplateDirectory } from './directory.ts';
import { RenderFailure } from './render.ts';
import { createTemplateRenderer, type RenderTask, renderLightly } from './renderer.ts';
import * as store from './store.ts';

const owner = 'some environment';
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

const derivedFrom = (uses: string[]): DerivedBody => ({
  partials: uses.flatMap((use) => (use.startsWith('partial:') ? [use.slice('partial:'.length)] : [])),
  keys: [],
  translates: uses.includes('translations'),
});

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

async function insertPart(kind: parts.PartKind, key: string, content: parts.PartContent, is_default = false) {
  const part: parts.PartRow = {
    ...{ id: newId(), environment_id: environmentId, kind, key, channel: null, is_default },
    ...{ current_version_id: newId(), version: 1, content, uses: [], keys: [] },
  };
  await parts.insertPart(database.pool, part);
  await parts.insertVersion(database.pool, part);
  return part;
}

let count = 0;
async function insert(text: string, uses: string[] = []): Promise<{ key: string; versionId: string }> {
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
    bodies: [{ ...newBody('sms', null, { text_template: text }), derived: derivedFrom(uses) }],
    uses,
    translation_keys: [],
    parts: null,
    push: null,
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
  test('reads a hundred versions with one query, their parts in Test with another, and then none', async () => {
    const versions = await Promise.all(Array.from({ length: 100 }, (_, n) => insert(`${n} {{ x }}`)));
    const ids = versions.map(({ versionId }) => versionId);
    const { pool, queries } = counted();
    const renderer = createTemplateRenderer(pool, inPlace);
    await renderer.listVersions([]);
    expect(queries()).toBe(0);
    const found = await renderer.listVersions([...ids, ...ids]);
    await renderer.listVersions(ids);
    expect(queries()).toBe(2);
    const task = { owner, channel: 'sms' as const, locale: null, data: { x: 'y' } };
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
    const renderer = createTemplateRenderer(database.pool, inPlace);
    const version = (await renderer.listVersions([versionId])).get(versionId);
    if (!version) throw new Error('it is there');
    for (const locale of [null, 'de', 'it'])
      await renderer.render(version, { owner, channel: 'sms', locale, data: {} });
    expect(version.compiled.size).toBe(1);
    expect(
      await renderer.render(version, { owner, channel: 'email', locale: null, data: {} }),
    ).toBeInstanceOf(RenderFailure);
  });

  test('keeps ids of catalogues: their messages are counted once, in their flat form, and read by locale', async () => {
    const { versionId } = await insert("{{ 'k0' | t }}", ['translations']);
    const messages = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`k${n}`, 'x'.repeat(100)]));
    for (const key of ['en', 'de', 'fr']) await insertPart('translation', key, { messages }, key === 'en');
    const { pool, queries } = counted();
    const renderer = createTemplateRenderer(pool, inPlace, 50_000);
    const version = (await renderer.listVersions([versionId])).get(versionId);
    if (!version) throw new Error('it is there');
    expect(JSON.stringify(version.parts).length).toBeLessThan(1_000);
    expect(queries()).toBe(2);
    const render = (locale: string) =>
      Promise.all([1, 2, 3].map(() => renderer.render(version, { owner, channel: 'sms', locale, data: {} })));
    expect(await render('de')).toMatchObject(Array(3).fill({ text_body: 'x'.repeat(100) }));
    expect(queries()).toBe(3);
    await render('de');
    expect(queries()).toBe(3);
    await render('fr'); // there is room for two catalogues
    await render('de');
    expect(queries()).toBe(5);
  });

  test('counts a version again when its parts change', async () => {
    const first = await insert("{% render 'grows' %}", ['partial:grows']);
    const second = await insert('plain');
    const part = await insertPart('partial', 'grows', { template: 'small' });
    const { pool, queries } = counted();
    const renderer = createTemplateRenderer(pool, inPlace, 20_500);
    const ids = [first.versionId, second.versionId];
    await renderer.listVersions(ids);
    const changed = { ...part, current_version_id: newId(), version: 2 };
    await parts.insertVersion(database.pool, { ...changed, content: { template: 'x'.repeat(19_000) } });
    await parts.updatePart(database.pool, changed);
    await expect
      .poll(
        async () => (await renderer.listVersions(ids)).get(first.versionId)?.parts.partials.grows?.length,
        {
          timeout: 5_000,
        },
      )
      .toBe(19_000);
    const before = queries();
    await renderer.listVersions([second.versionId]);
    expect(queries()).toBe(before + 1); // it had to make room
  });

  const forever = () => {
    for (;;);
  };

  test('a rendering that takes all the time is left to a thread, and the others go on', async () => {
    const broken = () => {
      throw new RenderFailure('broken');
    };
    const heavy = () => {
      throw new HeavyWork();
    };
    const results = await renderLightly([() => 1, forever, () => 2, broken, heavy, forever, () => 3]);
    expect(results.map((result) => (result instanceof Error ? result.name : result))).toEqual([
      ...[1, 'HeavyWork', 2, 'RenderFailure', 'HeavyWork', 'HeavyWork', 3],
    ]);
    expect(await renderLightly([])).toEqual([]);
    const bug = () => {
      throw new TypeError('a bug');
    };
    await expect(renderLightly([bug])).rejects.toThrow('a bug');
  });

  test('renderings that end just as the clock runs out count as done', async () => {
    reportTimeoutOfNextScript();
    const began: number[] = [];
    const rendering = (number: number) => () => began.push(number);
    expect(await renderLightly([rendering(1), rendering(2)])).toEqual([1, 2]);
    expect(began).toEqual([1, 2]);
  });

  test('a slow group lets other work through after each of its slices', async () => {
    const order: string[] = [];
    const isRunning = { now: true };
    const other = () => {
      order.push('other');
      if (isRunning.now) setImmediate(other);
    };
    setImmediate(other);
    const slow = (name: string) => () => {
      order.push(name);
      for (const end = performance.now() + 15; performance.now() < end; );
    };
    await renderLightly(['a', 'b', 'c'].map(slow));
    isRunning.now = false;
    expect(order.slice(order.indexOf('a'), order.lastIndexOf('c'))).toContain('other');
  });

  test('what is too much work in place is rendered in a thread, to the same words', async () => {
    const { versionId } = await insert('{% for row in rows %}{{ row.name | upcase }},{% endfor %}');
    // Real threads: their limit is processor time, where that of the main thread is also the clock.
    const pool = createTaskPool({ entry: bundledThreads().tasks, log: createLog('silent') });
    onTestFinished(() => pool.stop());
    const ran: string[] = [];
    const threads: TaskRunner = {
      run(task, of, input) {
        ran.push(`${task.name} of ${of}`);
        return pool.run(task, of, input);
      },
    };
    const renderer = createTemplateRenderer(database.pool, threads);
    const version = (await renderer.listVersions([versionId])).get(versionId);
    if (!version) throw new Error('it is there');
    const rows = (count: number) => ({ rows: Array.from({ length: count }, (_, n) => ({ name: `n${n}` })) });
    const render = async (count: number) => {
      const task: RenderTask = { owner, channel: 'sms', locale: null, data: rows(count) };
      const rendered = await renderer.render(version, task);
      return rendered instanceof RenderFailure ? rendered.message : rendered.text_body?.split(',').length;
    };
    expect(await render(100)).toBe(101);
    expect(ran).toEqual([]);
    expect(await render(5_000)).toBe(5_001);
    expect(ran).toEqual([`render_template of ${owner}`]);
    expect(await render(200_000)).toContain('exceeds the work or memory limit');
  }, 90_000);

  test('groups that follow each other let other work through, too', async () => {
    const { versionId } = await insert('{{ x }}');
    const renderer = createTemplateRenderer(database.pool, inPlace);
    const version = (await renderer.listVersions([versionId])).get(versionId);
    if (!version) throw new Error('it is there');
    let isThrough = false;
    const all = Array.from({ length: 200 }, () =>
      renderer
        .render(version, { owner, channel: 'sms', locale: null, data: { x: 'y' } })
        .then(() => isThrough),
    );
    await all[0];
    setImmediate(() => {
      isThrough = true;
    });
    expect(await all[199]).toBe(true);
  });
});
