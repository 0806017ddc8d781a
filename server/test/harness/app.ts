import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Dispatcher, request as undiciRequest } from 'undici';
import { type App, type AppOptions, startApp } from '../../src/app.ts';
import { type Config, loadConfig } from '../../src/config.ts';
import type { Pool } from '../../src/db/sql.ts';
import type { Deps } from '../../src/deps.ts';
import { passwordCost } from '../../src/features/platform/accounts/password.ts';
import type { EmailConnections } from '../../src/features/providers/connections/index.ts';
import { allJobs } from '../../src/jobs.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import { isRecord } from '../../src/kernel/json.ts';
import { createLog } from '../../src/kernel/log.ts';
import { createServices, type Services } from '../../src/services.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { checkDocumented } from './documented-errors.ts';
import { bundledThreads } from './threads.ts';

export interface TestResponse {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the wire holds and asserts on it
  body: any;
  headers: Headers;
}

export interface RequestOptions {
  /** The Test key unless told; null sends no Authorization header. */
  key?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface TestApp {
  app: App;
  deps: Deps;
  services: Services;
  pool: Pool;
  database: TestDatabase;
  url: string;
  testKey: string;
  liveKey: string;
  adminEmail: string;
  adminPassword: string;
  testEnvironmentId: string;
  liveEnvironmentId: string;
  request(method: string, path: string, options?: RequestOptions): Promise<TestResponse>;
  /** Asks until the notification satisfies the condition; fails after the deadline with what it last saw. */
  waitFor(
    id: string,
    condition: (notification: TestResponse['body']) => boolean,
    deadlineMs?: number,
  ): Promise<TestResponse['body']>;
  stop(): Promise<void>;
}

export interface TestAppOptions {
  settings?: Record<string, string>;
  /** Where it logs, in place of the standard output. */
  logTo?: { write(line: string): void };
  /** The clock of the worker, where it is not that of the database. */
  workerClock?: Clock;
  /** A second process on the same database. */
  database?: TestDatabase;
  databaseTimes?: AppOptions['databaseTimes'];
  onDatabaseLost?: AppOptions['onDatabaseLost'];
  /** Connections are cut at once when absent: no test should wait for those of another. */
  leaveMs?: number;
  progress?: AppOptions['progress'];
  routes?: AppOptions['routes'];
  /** Given to whoever wants to see what the process knows of its connections. */
  onConnections?: (connections: EmailConnections) => void;
}

/** Settings with which Live accepts email without settings of its own: the operator's server, which nothing reaches. */
export const managedEmail = {
  CARILLON_SMTP_URL: 'smtp://127.0.0.1:1',
  CARILLON_MANAGED_FROM: 'no-reply@acme.example',
};

/** Hashing passwords as it should be done was every twentieth second of all tests. */
passwordCost.N = 2 ** 8;

/** What a test that waits in vain shows: the last warnings and errors of the service. */
const recentWarnings = {
  lines: [] as string[],
  write(line: string): void {
    this.lines.push(line.slice(0, 2_000));
    if (this.lines.length > 20) this.lines.shift();
  },
};

const isLogged = ({ logTo, settings }: TestAppOptions): boolean =>
  logTo !== undefined || settings?.LOG_LEVEL !== undefined;

/** The whole service on a port of its own and a database of its own, over real sockets. */
export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const database = options.database ?? (await createTestDatabase());
  const dataDir = mkdtempSync(join(tmpdir(), 'carillon-app-'));
  const config: Config = loadConfig(
    {
      PORT: '0',
      DATABASE_URL: database.url,
      CARILLON_DATA_DIR: dataDir,
      CARILLON_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
      CARILLON_BOOTSTRAP_TEST_KEY: 'crl_test_0123456789abcdefghijABCDEFGHIJ',
      CARILLON_BOOTSTRAP_LIVE_KEY: 'crl_live_0123456789abcdefghijABCDEFGHIJ',
      CARILLON_ADMIN_EMAIL: 'owner@example.com',
      CARILLON_ADMIN_PASSWORD: 'correct horse battery',
      CARILLON_RETRY_SCALE: '0.001',
      CARILLON_BRAKE_RECIPIENT_LIMIT: '0',
      LOG_LEVEL: 'fatal',
      ...options.settings,
    },
    dataDir,
  );
  const app = await startApp(config, {
    log: isLogged(options) ? createLog(config.LOG_LEVEL, options.logTo) : createLog('warn', recentWarnings),
    threadEntries: bundledThreads(),
    databaseTimes: options.databaseTimes,
    onDatabaseLost: options.onDatabaseLost,
    leaveMs: options.leaveMs ?? 0,
    ...(options.progress && { progress: options.progress }),
    ...(options.routes && { routes: options.routes }),
    jobs(services) {
      const { emailConnections } = services;
      const { workerClock: clock } = options;
      options.onConnections?.(emailConnections);
      return allJobs(clock ? { ...createServices({ ...services, clock }), emailConnections } : services);
    },
  });
  const { rows } = await database.pool.query('select id, kind from environments');
  const environmentId = (kind: string): string => rows.find((row) => row.kind === kind).id;

  async function request(
    method: string,
    path: string,
    { key, body, headers = {} }: RequestOptions = {},
  ): Promise<TestResponse> {
    const response = await undiciRequest(app.url + path, {
      method,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key ?? config.CARILLON_BOOTSTRAP_TEST_KEY}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.body.text();
    checkDocumented(method, path, response.statusCode, text);
    const isJson = String(response.headers['content-type']).startsWith('application/json');
    return {
      status: response.statusCode,
      body: isJson && text ? JSON.parse(text) : text,
      headers: headersOf(response.headers),
    };
  }

  return {
    app,
    deps: app.deps,
    services: app.services,
    pool: database.pool,
    database,
    url: app.url,
    testKey: config.CARILLON_BOOTSTRAP_TEST_KEY ?? '',
    liveKey: config.CARILLON_BOOTSTRAP_LIVE_KEY ?? '',
    adminEmail: config.CARILLON_ADMIN_EMAIL,
    adminPassword: config.CARILLON_ADMIN_PASSWORD ?? '',
    testEnvironmentId: environmentId('test'),
    liveEnvironmentId: environmentId('live'),
    request,
    async waitFor(id, condition, deadlineMs) {
      return waitUntil(async () => {
        const path = `/v1/notifications/${id}`;
        const inTest = await request('GET', path);
        const live = { key: config.CARILLON_BOOTSTRAP_LIVE_KEY ?? '' };
        const { body } = inTest.status === 200 ? inTest : await request('GET', path, live);
        return condition(body) ? body : new Error(`still ${JSON.stringify(body)}`);
      }, deadlineMs);
    },
    async stop() {
      await app.stop();
      if (!options.database) await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

function headersOf(received: Dispatcher.ResponseData['headers']): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(received)) {
    for (const value of [values ?? []].flat()) headers.append(name, value);
  }
  return headers;
}

/**
 * Waits on a state with a deadline; the probe returns an Error to say "not yet" and what it saw. It is asked less often the
 * longer it takes: asking every 10 ms was a fifth of all queries.
 */
export async function waitUntil<Value>(
  probe: () => Promise<Value | Error>,
  deadlineMs = 10_000,
): Promise<Value> {
  const end = Date.now() + deadlineMs;
  for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 1.5, 100)) {
    const seen = await probe();
    if (!(seen instanceof Error)) return seen;
    if (Date.now() > end) {
      const logged = recentWarnings.lines.map((line) => `\n${line.trimEnd()}`).join('');
      throw new Error(`not within ${deadlineMs} ms: ${seen.message}${logged && `\nlogged:${logged}`}`);
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Does something just before the process makes a statement of this name for the next time: where races are lost. */
export function beforeStatement(
  { deps: { pool } }: TestApp,
  name: string,
  act: () => Promise<unknown>,
): void {
  const { query } = pool;
  Object.assign(pool, {
    async query(...given: unknown[]) {
      if (isRecord(given[0]) && given[0].name === name) {
        Object.assign(pool, { query });
        await act();
      }
      return Reflect.apply(query, pool, given);
    },
  });
}
