import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createPool, query } from '../../src/db/sql.ts';
import { startFailure } from '../../src/processes/service-process.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { type PgBouncer, startPgBouncer, whyNoPgBouncer } from './pgbouncer.ts';

const reason = whyNoPgBouncer();
if (reason) test.skip(`PgBouncer: ${reason}`, () => {});

describe.skipIf(reason !== null).each(['transaction', 'session'] as const)('PgBouncer in %s mode', (mode) => {
  let database: TestDatabase;
  let pooler: PgBouncer;
  let app: TestApp | null = null;
  beforeEach(async () => {
    database = await createTestDatabase();
    pooler = await startPgBouncer(database.url, mode);
  });
  afterEach(async () => {
    await app?.stop();
    app = null;
    await pooler.stop();
    await database.drop();
  });
  const url = () => pooler.url(new URL(database.url).pathname.slice(1));

  test('statements keep their settings, and those of one pool do not reach another', async () => {
    const claims = createPool(url(), 8, { synchronous_commit: 'local' }, { throughPooler: true });
    const writes = createPool(url(), 8, {}, { throughPooler: true });
    const ask = (pool: typeof claims) =>
      query(
        pool,
        `select current_setting('statement_timeout') as timeout, current_setting('synchronous_commit') as commit,
           current_setting('timezone') as zone from pg_sleep(0.002)`,
      );
    try {
      const asked = Array.from({ length: 100 }, (_, index) => ask(index % 2 ? claims : writes));
      const seen = new Set(
        (await Promise.all(asked)).map((rows, index) => `${index % 2} ${JSON.stringify(rows)}`),
      );
      expect([...seen]).toEqual([
        '0 [{"timeout":"14s","commit":"off","zone":"UTC"}]',
        '1 [{"timeout":"14s","commit":"local","zone":"UTC"}]',
      ]);
    } finally {
      await Promise.all([claims.end(), writes.end()]);
    }
  });

  test('the service sends, listens and stops through it, with a direct connection beside', async () => {
    const settings = { CARILLON_DATABASE_DIRECT_URL: database.url };
    app = await startTestApp({ database: { ...database, url: url() }, settings });
    const ids = await Promise.all(
      Array.from({ length: 50 }, async (_, number) => {
        const sent = await app?.request('POST', '/v1/notifications', {
          body: {
            channel: 'email',
            recipient: { address: 'ada@example.com' },
            subject: `Message ${number}`,
            text_body: 'It rings.',
          },
        });
        expect(sent?.status).toBe(202);
        return sent?.body.id;
      }),
    );
    for (const id of ids) await app.waitFor(id, ({ status }) => status === 'delivered');
    expect(await app.request('GET', '/readyz', { key: null })).toMatchObject({ status: 200 });
  });

  test('without a direct connection the start says what is missing', async () => {
    const failure = await startTestApp({ database: { ...database, url: url() } }).catch((error) => error);
    const config = { HOST: '127.0.0.1', PORT: 0, DATABASE_URL: url(), CARILLON_DATA_DIR: '/srv/data' };
    expect(startFailure(failure, config)).toContain('Also set CARILLON_DATABASE_DIRECT_URL');
  });
});
