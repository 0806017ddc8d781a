import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { QueryResultRow } from 'pg';
import { chooseAccount } from '../../src/db/embedded/account.ts';
import { findBinaries } from '../../src/db/embedded/binaries.ts';
import { clusterOf, readPassword } from '../../src/db/embedded/cluster.ts';
import { newEndpoint, prepareEndpoint, removeEndpoint, urlOf } from '../../src/db/embedded/endpoint.ts';
import { startEmbeddedPostgres } from '../../src/db/embedded/index.ts';
import { type ServerPlan, serverSettings, spawnServer } from '../../src/db/embedded/launch.ts';
import { killOrphans, type Postmaster, readPidFile, terminate } from '../../src/db/embedded/postmaster.ts';
import { migrate } from '../../src/db/migrate.ts';
import { createPool, query } from '../../src/db/sql.ts';
import { waitUntil } from '../harness/app.ts';
import type { Target } from './tcp-proxy.ts';

/** One of two servers. It is not restarted when it ends. */
export interface DatabaseServer {
  target: Target;
  url: string;
  /** SIGKILL for the postmaster and its children. */
  kill(): Promise<void>;
  /** A fast shutdown, which first sends everything to the standby. */
  shutDown(): Promise<void>;
  /** Starts as a standby of the other server. */
  startAsStandby(): Promise<void>;
  promote(): Promise<void>;
  ask<Row extends QueryResultRow>(text: string): Promise<Row[]>;
}

/** A primary, and a standby that every commit waits for. */
export interface DatabasePair {
  primary: DatabaseServer;
  standby: DatabaseServer;
  /** A list of both hosts, of which the writable one is used. */
  urlOfBoth: string;
  /** The URL of the database at a port of this machine. */
  urlAt(port: number): string;
  stop(): Promise<void>;
}

/** For a busy machine. */
const patienceMs = 60_000;
/** A process is killed here, not the machine: the kernel keeps what was written. */
const noFlush = { fsync: 'off' };

/** A data directory with our schema, from which pairs are copied. */
export async function makeTemplate(settings: Record<string, string> = noFlush): Promise<string> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'carillon-pair-'));
  chmodSync(dataDir, 0o711);
  const server = await startEmbeddedPostgres({ dataDir, log: () => {}, settings });
  const pool = createPool(server.url, 1);
  await migrate(pool);
  await pool.end();
  await server.stop();
  return dataDir;
}

/** A cold copy of the primary's directory, with a file that says so, is a standby. */
export async function startDatabasePair(
  template: string,
  settings: Record<string, string> = noFlush,
): Promise<DatabasePair> {
  const folder = mkdtempSync(path.join(tmpdir(), 'carillon-pair-'));
  chmodSync(folder, 0o711);
  const [first, second] = [path.join(folder, 'first'), path.join(folder, 'second')];
  for (const copy of [first, second]) execFileSync('cp', ['-a', template, copy]);

  const primary = await prepareServer(first, settings);
  const standby = await prepareServer(second, settings);
  await primary.start();
  await standby.follow(primary);
  // The first commit would wait for good if it came before the standby.
  await waitUntil(async () => {
    const [row] = await primary.server.ask('select count(*)::int as count from pg_stat_replication');
    return row?.count === 1 ? true : new Error('the standby has not connected');
  }, patienceMs);
  await primary.server.ask(`alter system set synchronous_standby_names = '*'`);
  await primary.server.ask('select pg_reload_conf()');

  return {
    primary: { ...primary.server, startAsStandby: () => primary.follow(standby) },
    standby: { ...standby.server, startAsStandby: () => standby.follow(primary) },
    urlOfBoth: hostList(primary.server.url, standby.server.url),
    urlAt: (port) => urlOf({ host: '127.0.0.1', port }, readPassword(first) ?? ''),
    async stop() {
      await Promise.all([primary.server.kill(), standby.server.kill()]);
      for (const each of [primary, standby]) removeEndpoint(each.plan.endpoint);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function hostList(...urls: string[]): string {
  const url = new URL(urls[0] ?? '');
  const folders = urls.map((each) => new URL(each).searchParams.get('host'));
  url.searchParams.set('host', folders.join(','));
  url.searchParams.set('target_session_attrs', 'read-write');
  return url.toString();
}

interface PreparedServer {
  plan: ServerPlan;
  server: Omit<DatabaseServer, 'startAsStandby'>;
  start(): Promise<void>;
  follow(leader: PreparedServer): Promise<void>;
}

async function prepareServer(dataDir: string, settings: Record<string, string>): Promise<PreparedServer> {
  const cluster = clusterOf(dataDir);
  const account = chooseAccount(dataDir, cluster);
  const binaries = await findBinaries(account, () => {});
  const endpoint = await newEndpoint(account);
  const plan: ServerPlan = {
    ...{ dataDir, cluster, account, binaries, endpoint, log: () => {} },
    settings: { ...serverSettings(binaries), ...settings },
    logFile: path.join(dataDir, 'postgres.log'),
  };
  const url = urlOf(endpoint, readPassword(dataDir) ?? '');
  let running: Postmaster | null = null;

  async function start(): Promise<void> {
    prepareEndpoint(endpoint, account);
    const started = spawnServer(plan);
    running = started;
    await waitUntil(async () => {
      const file = readPidFile(cluster);
      const isUp = file?.pid === started.identity.pid && /^(ready|standby)$/.test(file.status ?? '');
      return isUp || new Error(`${dataDir} does not start`);
    }, patienceMs);
  }

  async function ask<Row extends QueryResultRow>(text: string): Promise<Row[]> {
    // A connection each time: the server may have been another one a moment ago.
    const pool = createPool(url, 1, {}, { deadlineMs: patienceMs, connectWithinMs: patienceMs });
    try {
      return await query(pool, text);
    } finally {
      await pool.end();
    }
  }

  return {
    plan,
    start,
    async follow(leader) {
      const { host, port } = leader.plan.endpoint;
      const password = readPassword(dataDir);
      const conninfo = `host=${host} port=${port} user=carillon password=${password}`;
      // The last of two lines with the same name counts.
      appendFileSync(
        path.join(cluster, 'postgresql.auto.conf'),
        `primary_conninfo = '${conninfo}'\nsynchronous_standby_names = ''\n`,
      );
      writeFileSync(path.join(cluster, 'standby.signal'), '');
      await start();
    },
    server: {
      target: { path: path.join(endpoint.host, `.s.PGSQL.${endpoint.port}`) },
      url,
      async kill() {
        if (!running) return;
        process.kill(running.identity.pid, 'SIGKILL');
        await running.gone;
        running = null;
        killOrphans(cluster);
      },
      async shutDown() {
        if (running) await terminate(running.identity, binaries.pgCtl);
        running = null;
      },
      async promote() {
        await ask('select pg_promote(true, 50)');
      },
      ask,
    },
  };
}
