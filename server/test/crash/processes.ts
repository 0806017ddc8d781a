import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startTemporaryPostgres } from '../../src/db/embedded/index.ts';
import { createPool, isDatabaseUnavailable, query } from '../../src/db/sql.ts';
import { buildService, createServiceProcess, type ServiceProcess } from './service-process.ts';

export const testKey = 'crl_test_0123456789abcdefghijABCDEFGHIJ';
export const liveKey = 'crl_live_0123456789abcdefghijABCDEFGHIJ';

/** A worker process, and the name under which it holds leases. */
export interface Worker extends ServiceProcess {
  /** Its row in `workers`; another one after every start. */
  workerId(): string;
}

/** A small production: one API process and two workers on one database that really flushes. */
export interface Processes {
  api: ServiceProcess;
  workers: [Worker, Worker];
  /** kill -9 of the postmaster; it is restarted at once, at the same address. */
  killDatabase(): void;
  /** Asks until the database answers. */
  ask<Row extends Record<string, unknown>>(text: string, values?: unknown[]): Promise<Row[]>;
  unexpectedEnds(): string[];
  stop(): Promise<void>;
}

export async function startProcesses(settings: Record<string, string> = {}): Promise<Processes> {
  await buildService();
  const folder = mkdtempSync(join(tmpdir(), 'carillon-processes-'));
  const database = await startTemporaryPostgres();
  const pool = createPool(database.url, 4);
  const children: ServiceProcess[] = [];

  async function stop(): Promise<void> {
    await Promise.all(children.map((each) => each.kill()));
    await pool.end();
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  }

  const ask: Processes['ask'] = (text, values = []) => untilAnswered(() => query(pool, text, values));

  async function create(name: string, roles: string): Promise<ServiceProcess> {
    const created = await createServiceProcess({
      name,
      logFile: join(folder, `${name}.log`),
      settings: {
        DATABASE_URL: database.url,
        CARILLON_DATA_DIR: folder,
        CARILLON_ROLES: roles,
        CARILLON_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
        CARILLON_BOOTSTRAP_TEST_KEY: testKey,
        CARILLON_BOOTSTRAP_LIVE_KEY: liveKey,
        CARILLON_RETRY_SCALE: '0.001',
        CARILLON_BRAKE_RECIPIENT_LIMIT: '0',
        ...settings,
      },
    });
    children.push(created);
    return created;
  }

  /** A worker's first heartbeat is a row that was not there before. Workers must be started one at a time. */
  async function createWorker(name: string): Promise<Worker> {
    const worker = await create(name, 'worker');
    let id = '';
    return {
      ...worker,
      workerId: () => id,
      async start() {
        const known = new Set((await ask<{ id: string }>('select id from workers')).map((row) => row.id));
        await worker.start();
        const found = (await ask<{ id: string }>('select id from workers')).find((row) => !known.has(row.id));
        if (!found) throw new Error(`${name} is ready and has not been heard`);
        id = found.id;
      },
    };
  }

  try {
    const api = await create('api', 'api');
    await api.start();
    const workers: [Worker, Worker] = [await createWorker('worker-1'), await createWorker('worker-2')];
    for (const worker of workers) await worker.start();
    return {
      api,
      workers,
      killDatabase() {
        if (database.pid === 0) return; // 0 would be everybody
        try {
          process.kill(database.pid, 'SIGKILL');
        } catch {
          // it has not been restarted yet
        }
      },
      ask,
      unexpectedEnds: () => children.flatMap((each) => each.unexpectedEnds),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function untilAnswered<Result>(work: () => Promise<Result>): Promise<Result> {
  for (const deadline = Date.now() + 30_000; ; await delay(50)) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseUnavailable(error) || Date.now() > deadline) throw error;
    }
  }
}
