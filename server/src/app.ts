import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { createOutbound } from './channels/http.ts';
import { createHttp2Client } from './channels/http2.ts';
import type { Config } from './config.ts';
import { type ContactOptions, watchDatabase } from './db/contact.ts';
import { createDoorbell, type DoorbellOptions } from './db/doorbell.ts';
import { startEmbeddedPostgres } from './db/embedded/index.ts';
import { listUsedKeys, openKeyring } from './db/encryption-keys.ts';
import { foreignMigrations, migrate } from './db/migrate.ts';
import { ensurePartitions } from './db/partitions.ts';
import { allowedByFence, poolSizes } from './db/pool-settings.ts';
import { createReplicaReads, primaryReads, type ReplicaTimes } from './db/replica.ts';
import { createPool, type Pool, type PoolOptions } from './db/sql.ts';
import { waitUntilWritable } from './db/standby.ts';
import type { Deps } from './deps.ts';
import { startStorageMeter } from './features/control/usage/index.ts';
import { createRecipientAuthenticator } from './features/inbox/index.ts';
import { startRecorder } from './features/insight/activity/index.ts';
import {
  bootstrap,
  type Credentials,
  createAuthenticator,
  findOrganizationId,
} from './features/platform/accounts/index.ts';
import { openObjectStore } from './features/platform/objects/index.ts';
import { createPages } from './features/platform/static-files/index.ts';
import { type SmtpIn, startSmtpIn } from './features/smtp-in/index.ts';
import { startHousekeeping } from './housekeeping.ts';
import { createRateLimiter } from './http/access.ts';
import { createScrape } from './http/scrape.ts';
import { createHttpServer } from './http/server.ts';
import { closeWithin, stopAccepting } from './http/sockets.ts';
import { allJobs } from './jobs.ts';
import { systemClock } from './kernel/clock.ts';
import type { Keyring } from './kernel/crypto.ts';
import { createLog, type Log } from './kernel/log.ts';
import { createMetrics, type MetricsSnapshot } from './kernel/metrics.ts';
import { createTracer } from './kernel/tracing.ts';
import { version } from './kernel/version.ts';
import { createQueue } from './queue/index.ts';
import { allRoutes, workerRoutes } from './routes.ts';
import { createServices, type Services } from './services.ts';
import { createTaskPool } from './threads/pool.ts';
import { type ThreadEntries, threadEntries } from './threads/start.ts';

export interface App {
  deps: Deps;
  services: Services;
  http: FastifyInstance;
  /** The address of the server, e.g. http://127.0.0.1:8400. */
  url: string;
  /** The port for SMTP in; null when it is off. */
  smtpPort: number | null;
  /** The credentials that this start made; null when they were made earlier. */
  credentials: Credentials | null;
  stop(): Promise<void>;
  /** Stops after another process has taken over: callers on open connections get time to move to it. */
  retire(): Promise<void>;
}

export interface AppOptions {
  log?: Log;
  /** Receives progress lines for the person at the terminal. */
  progress?: (line: string) => void;
  /** Replaces the product's routes, for benchmarks that measure a part of it. */
  routes?: typeof allRoutes;
  jobs?: typeof allJobs;
  /** The files of the threads; tests bundle them once for all. */
  threadEntries?: ThreadEntries;
  /** Called once the database has been silent for so long that only a new process can help. */
  onDatabaseLost?: ((silentMs: number) => void) | undefined;
  /** Processes that share the port and the database with this one, itself included. */
  processes?: number;
  /** The URL of the bundled database, when another process runs it. */
  bundledDatabase?: string | null | undefined;
  /** Adds the metrics of the other processes that serve the same port. */
  sumMetrics?: ((own: MetricsSnapshot) => Promise<string>) | undefined;
  /** How long a stop leaves idle connections open, so that their next response can say that they close. */
  leaveMs?: number | undefined;
  /** Ends a start that waits for the database. */
  signal?: AbortSignal | undefined;
  /** Shorter times for tests. */
  databaseTimes?:
    | ({ drainMs?: number } & PoolOptions &
        Omit<ContactOptions, 'onGivenUp'> &
        Pick<DoorbellOptions, 'pingEveryMs' | 'answerWithinMs'> &
        ReplicaTimes)
    | undefined;
}

export const defaultDrainMs = 15_000;
const defaultLeaveMs = 1_000;
const moveMs = 5_000;
const housekeepingDeadlineMs = 60_000;
const storeConnections = 32;
/** A replica that takes longer is slower than the primary. */
const replicaDeadlineMs = 5_000;

/** What was started, in order: a stop ends it in reverse. */
type Stops = (() => Promise<unknown>)[];

/** The composition root: builds everything by hand, in order, and stops it in reverse. */
export async function startApp(config: Config, options: AppOptions = {}): Promise<App> {
  const stops: Stops = [];
  const drainMs = options.databaseTimes?.drainMs ?? defaultDrainMs;
  /** Writes that wait for a database that is gone must not keep a process from stopping. */
  const withinDrain = (work: Promise<unknown>): Promise<unknown> =>
    Promise.race([work, delay(drainMs, null, { ref: false })]);
  const stopAll = async (): Promise<void> => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };

  try {
    const log = options.log ?? createLog(config.LOG_LEVEL);
    const database = await openDatabase(config, options, stops);
    const keyring = await checkDatabase(config, database.pool, log);
    const credentials = await bootstrap({ pool: database.pool, config, log });
    let url = '';
    const publicUrl = (): string => config.PUBLIC_URL ?? url;
    const deps = await startDeps({ config, log, keyring, publicUrl }, database, options, stops);

    const services = createServices(deps);
    stops.push(() => withinDrain(services.sandboxStore.idle()));
    stops.push(() => services.emailConnections.stop());
    stops.push(() => withinDrain(services.spend.flush()));
    // Requests and jobs in progress share one deadline instead of one after the other.
    const drains: Stops = [];
    stops.push(() => Promise.all(drains.map((drain) => drain())));
    if (config.CARILLON_ROLES.includes('worker')) {
      deps.queue.start((options.jobs ?? allJobs)(services));
      drains.push(() => deps.queue.stop(drainMs));
      const housekeeping = startHousekeeping({ ...deps, pool: database.housekeepingPool });
      drains.push(() => withinDrain(housekeeping.stop()));
    }

    let draining = false;
    const isApi = config.CARILLON_ROLES.includes('api');
    const table = isApi ? (options.routes ?? allRoutes) : workerRoutes;
    const rateLimiter = createRateLimiter(deps.pool, config);
    const http = createHttpServer({ ...deps, rateLimiter }, table(services, { draining: () => draining }), {
      pages: isApi ? createPages() : undefined,
      trustedProxies: config.CARILLON_TRUSTED_PROXIES,
    });
    drains.push(() => closeWithin(http, drainMs, options.leaveMs ?? defaultLeaveMs));
    // Before HTTP, which says that the process is ready.
    let smtp: SmtpIn | null = null;
    if (config.CARILLON_SMTP_PORT !== null && isApi) {
      smtp = await startSmtpIn({ ...services, rateLimiter }, config.CARILLON_SMTP_PORT, drainMs);
      drains.push(smtp.stop);
    }
    await http.listen({ host: config.HOST, port: config.PORT });
    const { port } = http.server.address() as AddressInfo;
    url = `http://${openableHost(config.HOST)}:${port}`;
    log.info({ url, roles: config.CARILLON_ROLES }, 'listening');

    const stop = async (): Promise<void> => {
      draining = true;
      // A step that still needs the database after the drain would wait a whole deadline for each statement.
      const late = setTimeout(database.shortenDeadlines, drainMs);
      await stopAll();
      clearTimeout(late);
    };
    return {
      deps,
      services,
      http,
      url,
      smtpPort: smtp?.port ?? null,
      credentials,
      stop,
      async retire() {
        await Promise.all([stopAccepting(http, moveMs), smtp?.stop()]);
        await stop();
      },
    };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

interface Database {
  /** For connections that need a session: LISTEN, the lock of migrations. Heartbeats must not wait for a place in a pooler. */
  direct: string;
  pool: Pool;
  /** For statements that need not wait for the disk: claims and the doorbell. */
  claimPool: Pool;
  /** A slice of housekeeping may read many rows, and no caller waits for it. */
  housekeepingPool: Pool;
  pools: Pool[];
  shortenDeadlines(): void;
}

/** Starts the bundled database where none is set, waits until it takes writes, migrates it, and opens the pools. */
async function openDatabase(config: Config, options: AppOptions, stops: Stops): Promise<Database> {
  const url = await connectDatabase(config, options, stops);
  const directUrl = config.CARILLON_DATABASE_DIRECT_URL;
  const direct = directUrl ?? url;
  const times = options.databaseTimes ?? {};
  const poolOptions = { ...times, throughPooler: directUrl !== null };
  await prepareDatabase(
    createPool(direct, 1, {}, times),
    poolOptions.throughPooler ? [createPool(url, 1, {}, poolOptions)] : [],
    options,
  );
  const sizes = poolSizes(options.processes ?? 1);
  const pool = createPool(url, sizes.main, {}, poolOptions);
  const claimPool = createPool(url, sizes.claims, { synchronous_commit: 'off' }, poolOptions);
  const longDeadline = { ...poolOptions, deadlineMs: housekeepingDeadlineMs };
  const housekeepingPool = createPool(url, sizes.housekeeping, allowedByFence, longDeadline);
  const pools = [pool, claimPool, housekeepingPool];
  stops.push(() => Promise.all(pools.map((each) => each.end())));
  const shortenDeadlines = (): void => {
    for (const each of pools) each.shortenDeadlines();
  };
  return { direct, pool, claimPool, housekeepingPool, pools, shortenDeadlines };
}

async function connectDatabase(config: Config, options: AppOptions, stops: Stops): Promise<string> {
  if (config.DATABASE_URL) return config.DATABASE_URL;
  if (options.bundledDatabase) return options.bundledDatabase;
  const embedded = await startEmbeddedPostgres({
    dataDir: config.CARILLON_DATA_DIR,
    log: options.progress ?? (() => {}),
  });
  stops.push(() => embedded.stop());
  return embedded.url;
}

async function prepareDatabase(
  pool: Pool,
  poolers: Pool[],
  { progress = () => {}, signal }: AppOptions,
): Promise<void> {
  try {
    await waitUntilWritable([pool, ...poolers], progress, signal);
    await migrate(pool, { progress });
  } finally {
    await Promise.all([pool, ...poolers].map((each) => each.end()));
  }
}

/** Says what about the database may surprise the operator, and opens its encryption keys. */
async function checkDatabase(config: Config, pool: Pool, log: Log): Promise<Keyring> {
  const retention = { retentionDays: config.CARILLON_RETENTION_DAYS, nowMs: systemClock(), log };
  await ensurePartitions(pool, retention).catch((error) =>
    log.warn({ err: error }, 'no partition was made; housekeeping will retry'),
  );
  const foreign = await foreignMigrations(pool);
  if (foreign.length > 0)
    log.warn(
      { migrations: foreign },
      'a newer release has used this database; only the release directly before it can also use it',
    );
  const keyring = await openKeyring(pool, config.CARILLON_ENCRYPTION_KEY, config.CARILLON_DATA_DIR);
  const missingKeys = (await listUsedKeys(pool)).filter((id) => !keyring.ids.includes(id));
  if (missingKeys.length > 0)
    log.warn({ keys: missingKeys }, 'secrets may be encrypted with keys that this process does not have');
  return keyring;
}

/** Builds what features are given. */
async function startDeps(
  given: Pick<Deps, 'config' | 'log' | 'keyring' | 'publicUrl'>,
  { direct, pool, claimPool, pools }: Database,
  options: AppOptions,
  stops: Stops,
): Promise<Deps> {
  const { config, log, keyring } = given;
  const clock = systemClock;
  const times = options.databaseTimes ?? {};
  const contact = watchDatabase(pools, log, {
    ...times,
    // The bundled database is restarted by this process or its supervisor; its recovery may take long, and an exit would begin it anew.
    ...(config.DATABASE_URL ? {} : { giveUpAfterMs: Number.POSITIVE_INFINITY }),
    ...(options.onDatabaseLost && { onGivenUp: options.onDatabaseLost }),
  });
  stops.push(async () => contact.stop());
  const doorbell = createDoorbell(claimPool, direct, log, { ...times, contact });
  stops.push(() => doorbell.stop());
  const metrics = createMetrics();
  const listReads = startListReads({ config, pool, doorbell, log, metrics }, times, stops);
  const activity = startRecorder({ pool, clock, log });
  stops.push(() => activity.stop());
  const storage = startStorageMeter({ pool, config, log });
  stops.push(() => storage.stop());
  const tracer = createTracer(
    {
      endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
      headers: config.OTEL_EXPORTER_OTLP_HEADERS,
      serviceName: config.OTEL_SERVICE_NAME,
      version,
    },
    log,
  );
  stops.push(() => tracer.stop());
  const entries = options.threadEntries ?? threadEntries;
  const tasks = createTaskPool({
    ...{ entry: entries.tasks, log },
    organizationOf: (owner) => findOrganizationId(pool, owner),
  });
  stops.push(() => tasks.stop());
  const queue = createQueue({
    ...{ pool, claimPool, doorbell, log, metrics },
    database: direct,
    heartbeatEntry: entries.heartbeat,
  });
  const scrape = createScrape({ metrics, queue, pool, log }, options.sumMetrics);
  const outbound = createOutbound({ policy: config.CARILLON_ALLOW_PRIVATE_NETWORK });
  stops.push(() => outbound.stop());
  const http2 = createHttp2Client({ policy: config.CARILLON_ALLOW_PRIVATE_NETWORK });
  stops.push(() => http2.stop());
  // The operator has chosen the endpoint, which is often in a private network.
  const storeOutbound = createOutbound({ policy: 'all', maxConnections: storeConnections });
  stops.push(() => storeOutbound.stop());
  const objectStore = await openObjectStore({ config, pool, log, metrics, clock, outbound: storeOutbound });
  return {
    ...given,
    ...{
      clock,
      pool,
      claimPool,
      listReads,
      contact,
      doorbell,
      queue,
      metrics,
      scrape,
      activity,
      storage,
      tracer,
    },
    authenticator: createAuthenticator(pool, clock, config.CARILLON_SESSION_IDLE_HOURS * 3_600_000),
    recipients: createRecipientAuthenticator({ pool, keyring, clock }),
    ...{ outbound, http2, objectStore, tasks },
  };
}

/** The reader of long lists: a standby where one is set, otherwise the primary. */
function startListReads(
  { config, pool, doorbell, log, metrics }: Pick<Deps, 'config' | 'pool' | 'doorbell' | 'log' | 'metrics'>,
  times: ReplicaTimes & PoolOptions,
  stops: Stops,
): Deps['listReads'] {
  if (!config.CARILLON_DATABASE_READ_URL || !config.CARILLON_ROLES.includes('api')) return primaryReads(pool);
  const replica = createPool(
    config.CARILLON_DATABASE_READ_URL,
    6,
    { default_transaction_read_only: 'on' },
    { ...times, deadlineMs: replicaDeadlineMs },
  );
  stops.push(() => replica.end());
  const reads = createReplicaReads({ primary: pool, replica, doorbell, log, metrics }, times);
  stops.push(() => reads.stop());
  return reads;
}

/** The host of a URL that leads to this process. Browsers do not open the addresses that stand for every one of the machine. */
function openableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
