import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startTestApp, type TestApp } from '../../test/harness/app.ts';
import { createTestDatabase, type TestDatabase } from '../../test/harness/database.ts';
import { createPool, type Pool, trackWrite } from '../db/sql.ts';
import { createIncidentBoard } from '../features/providers/incidents/index.ts';
import { createMetrics } from '../kernel/metrics.ts';
import { packageName, version } from '../kernel/version.ts';
import { operationRoutes } from './operations.ts';
import { createScrape } from './scrape.ts';
import { createHttpServer } from './server.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(async () => {
  await service.stop();
});

describe('the operations endpoints of a running service', () => {
  it('say that it is alive and ready, without credentials', async () => {
    expect(await service.request('GET', '/healthz', { key: null })).toMatchObject({
      status: 200,
      body: { status: 'ok' },
    });
    const { status, body } = await service.request('GET', '/readyz', { key: null });
    expect(body.components.filter((component: { ok: boolean }) => !component.ok)).toEqual([]);
    expect(status).toBe(200);
  });

  it('give metrics whose names and texts keep the rules of promtool check metrics', async () => {
    const { body } = await service.request('GET', '/metrics', { key: null });
    const families = [...body.matchAll(/^# HELP (\S+) (.*)\n# TYPE \1 (\w+)$/gm)];
    expect(families.length).toBeGreaterThan(40);
    expect(families.length).toBe(body.match(/^# TYPE/gm).length);
    const faults = families.flatMap(([, name, help, type]) => [
      ...(help.trim() === '' ? [`${name} has no help`] : []),
      ...((type === 'counter') !== name.endsWith('_total') ? [`${name}: only counters end in _total`] : []),
      ...(/_(count|sum|bucket|info_\w+)$/.test(name) ? [`${name} ends like a series of a histogram`] : []),
      ...(/:|[A-Z]/.test(name) ? [`${name} has a colon or a capital letter`] : []),
      ...(/_(gauge|counter|histogram|summary)(_|$)/.test(name) ? [`${name} names its type`] : []),
      ...(/_(ms|s|sec|secs|minutes|hours|milliseconds|kb|mb|kilobytes|megabytes)(_total)?$/.test(name)
        ? [`${name} is not in a base unit`]
        : []),
    ]);
    expect(faults).toEqual([]);
    expect(body.match(/[{,][a-z]+[A-Z]\w*=/g)).toBeNull();
  });

  it('give a public summary that names no tenant', async () => {
    const { status, body } = await service.request('GET', '/status', { key: null });
    expect(status).toBe(200);
    expect(body).toEqual({
      status: 'operational',
      version,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      checked_at: body.time,
      active_incidents: [],
      recent_incidents: [],
      components: ['process', 'database', 'migrations', 'queue'].map((name) => ({
        name,
        status: 'operational',
      })),
    });
  });

  it('give Prometheus the figures of the service, the process, the queue and the connections', async () => {
    for (const time of ['first', 'second']) {
      const { status, body, headers } = await service.request('GET', '/metrics', { key: null });
      expect(status, time).toBe(200);
      expect(headers.get('content-type')).toContain('text/plain');
      expect(body).toContain('carillon_queue_waiting{kind="notification",lane="critical"} 0');
      expect(body).toMatch(/carillon_database_connections\{state="idle"\} \d/);
      expect(body).toContain('process_cpu_seconds_total');
      expect(body).toContain('carillon_http_request_duration_seconds');
    }
  });

  it('count no job in flight once all have ended', async () => {
    const body = {
      channel: 'email',
      recipient: { address: 'delivered@sandbox.test' },
      subject: 'a',
      text_body: 'b',
    };
    const sent = await service.request('POST', '/v1/notifications', { body });
    await service.waitFor(sent.body.id, ({ status }) => status === 'delivered');
    await vi.waitFor(async () => {
      const { body: metrics } = await service.request('GET', '/metrics', { key: null });
      expect(metrics).toContain('carillon_work_in_flight{kind="notification"} 0');
    });
  });

  it('serve the committed OpenAPI document, with their own address as the server', async () => {
    const { body } = await service.request('GET', '/openapi.json', { key: null });
    const committed = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'));
    expect(body).toEqual({ ...committed, servers: [{ url: service.url }] });
  });

  it('serve the reference as a page that may run and load nothing', async () => {
    const { status, body, headers } = await service.request('GET', '/docs', { key: null });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(body).toContain(`${service.url}/v1/notifications`);
  });

  it('tell the version and the name that the package has', () => {
    const read = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
    expect(read('../../../package.json').version).toBe(version);
    expect(read('../../package.json')).toMatchObject({ version, name: packageName });
  });
});

describe('readiness', () => {
  let database: TestDatabase;
  let http: FastifyInstance;
  let url: string;
  let draining: boolean;
  let stop: () => Promise<void>;
  let pool: Pool;
  let hasGivenUp: boolean;

  beforeEach(async () => {
    database = await createTestDatabase();
    draining = false;
    hasGivenUp = false;
    pool = createPool(database.url, 2);
    const contact = { ...service.deps.contact, hasGivenUp: () => hasGivenUp };
    const own = { ...service.deps, pool, contact, metrics: createMetrics() };
    const deps = { ...own, scrape: createScrape(own) };
    const incidents = createIncidentBoard({ pool, clock: Date.now });
    const options = { version, routes: () => [], draining: () => draining, incidents };
    http = createHttpServer({ ...deps, rateLimiter: { take: () => null } }, operationRoutes(deps, options));
    url = await http.listen({ host: '127.0.0.1', port: 0 });
    stop = async () => {
      await http.close();
      await pool.end();
    };
  });
  afterEach(async () => {
    await stop();
    await database.drop();
  });

  const ask = async (path = '/readyz') => {
    const response = await fetch(url + path);
    return { status: response.status, body: JSON.parse(await response.text()) };
  };

  it('is refused while the process shuts down, though it is alive', async () => {
    draining = true;
    const { status, body } = await ask();
    expect(status).toBe(503);
    expect(body.error).toMatchObject({
      type: 'api_error',
      code: 'temporarily_unavailable',
      message: 'Not ready: process is shutting down.',
    });
    expect(await ask('/healthz')).toMatchObject({ status: 200 });
  });

  it('is refused while a migration is pending, and given once it is done', async () => {
    const { rows } = await database.pool.query('delete from migrations returning name');
    const refused = await ask();
    expect(refused.status).toBe(503);
    expect(refused.body.components).toContainEqual({
      name: 'migrations',
      ok: false,
      detail: `pending: ${rows.map((row) => row.name).join(', ')}`,
    });
    for (const { name } of rows)
      await database.pool.query('insert into migrations (name) values ($1)', [name]);
    expect(await ask()).toMatchObject({ status: 200, body: { status: 'ready' } });
  });

  it('is refused in words that tell a full disk from a database that is away', async () => {
    await database.pool.query(`
      alter table migrations rename to real_migrations;
      create function full_disk() returns text language plpgsql as
        $$ begin raise exception 'No space left on device' using errcode = 'disk_full'; end $$;
      create view migrations as select full_disk() as name`);
    expect(await ask()).toMatchObject({
      status: 503,
      body: { error: { message: 'Not ready: database has no space left on its disk.' } },
    });
    await database.pool.query('drop view migrations');
    expect(await ask()).toMatchObject({
      status: 503,
      body: { error: { message: 'Not ready: database cannot be reached.' } },
    });
    await database.pool.query('alter table real_migrations rename to migrations');
    expect(await ask()).toMatchObject({ status: 200 });
  });

  it('is refused while the server is read-only, though it answers', async () => {
    await database.pool.query(
      `do $$ begin execute format('alter database %I set default_transaction_read_only = on', current_database()); end $$`,
    );
    expect(await ask()).toMatchObject({
      status: 503,
      body: {
        error: { message: 'Not ready: database is read-only: a standby, or a failover is under way.' },
      },
    });
    expect(await ask('/healthz')).toMatchObject({ status: 200 });
  });

  it('is refused while a write is older than 5 s, though reads are answered', async () => {
    let finish = () => {};
    const write = trackWrite(pool, () => new Promise<void>((resolve) => (finish = resolve)));
    expect(await ask()).toMatchObject({ status: 200 });
    const now = performance.now();
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now + 5_001);
    try {
      expect(await ask()).toMatchObject({
        status: 503,
        body: { error: { message: 'Not ready: database has not finished a write for more than 5 s.' } },
      });
    } finally {
      clock.mockRestore();
    }
    finish();
    await write;
    expect(await ask()).toMatchObject({ status: 200 });
  });

  it('is given again after a failed write as soon as one can be committed, though no requests come', async () => {
    const failure = Object.assign(new Error('gone'), { code: '57P01' });
    await expect(trackWrite(pool, () => Promise.reject(failure))).rejects.toBe(failure);
    expect(pool.writes.haveSucceededWithin(60_000)).toBe(false);
    expect(await ask()).toMatchObject({ status: 200 });
    expect(pool.writes.haveSucceededWithin(60_000)).toBe(true);
  });

  it('is not the health of the process, which fails once only a new process can help', async () => {
    hasGivenUp = true;
    expect(await ask('/healthz')).toMatchObject({
      status: 503,
      body: { error: { message: 'The process has lost its database and must be restarted.' } },
    });
  });

  it('is refused within 2 s when the database hangs, however many ask, and given when it answers again', async () => {
    const blocker = await database.pool.connect();
    await blocker.query('begin');
    await blocker.query('lock table migrations in access exclusive mode');
    const began = Date.now();
    const answers = await Promise.all([ask(), ask(), ask(), ask('/status')]);
    expect(Date.now() - began).toBeLessThan(4000);
    expect(answers.map((answer) => answer.status)).toEqual([503, 503, 503, 200]);
    expect(answers[0]?.body.error.message).toBe('Not ready: database does not respond within 2 s.');
    expect(answers[3]?.body.status).toBe('degraded');
    const { rows } = await database.pool.query(
      `select count(*)::int as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    expect(rows[0].waiting).toBe(1);
    await blocker.query('commit');
    blocker.release();
    expect(await ask()).toMatchObject({ status: 200 });
  });
});
