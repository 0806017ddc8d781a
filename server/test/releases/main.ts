// `npm run release-dump`: the database that this release leaves behind, for the upgrade test of all later ones.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { startTemporaryPostgres } from '../../src/db/embedded/index.ts';
import { createPool } from '../../src/db/sql.ts';
import { buildService, createServiceProcess, type ServiceProcess } from '../crash/service-process.ts';
import { databaseUrl } from '../harness/database.ts';
import { type Running, simulators } from '../simulators/all.ts';
import { readAnswers } from './answers.ts';
import { dumpDatabase, fingerprint, loadDump } from './dump.ts';
import { fixtureFile, releases } from './fixtures.ts';
import { callerOf, sharedSettings } from './installation.ts';
import { makeTraffic } from './traffic.ts';

const [tree = '.', name] = process.argv.slice(2);
const { version } = JSON.parse(readFileSync(resolve(tree, 'package.json'), 'utf8'));
const release = name ?? version;
if (releases().includes(release)) throw new Error(`There is a dump of ${release}. A release is dumped once.`);

const cleanUp: (() => unknown)[] = [];
try {
  await dumpRelease();
} finally {
  for (const each of cleanUp.reverse()) await each();
}

async function dumpRelease(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-release-'));
  cleanUp.push(() => rmSync(folder, { recursive: true, force: true }));
  const postgres = await startTemporaryPostgres();
  cleanUp.push(postgres.stop);
  const running = new Map<string, Running>();
  for (const { name, start } of simulators) {
    const simulator = await start(0, () => {});
    cleanUp.push(simulator.stop);
    running.set(name, simulator);
  }
  await buildService(resolve(tree));
  const start = async (roles: string): Promise<ServiceProcess> => {
    const service = await createServiceProcess({
      name: release,
      logFile: join(folder, 'log'),
      tree: resolve(tree),
      settings: {
        ...sharedSettings,
        ...Object.assign({}, ...[...running.values()].map(({ settings }) => settings)),
        DATABASE_URL: postgres.url,
        CARILLON_DATA_DIR: folder,
        CARILLON_ROLES: roles,
      },
    });
    cleanUp.push(service.stop);
    await service.start();
    return service;
  };
  const service = await start('api,worker');
  const unfinished = await makeTraffic(callerOf(service.url), running);
  await service.stop();
  const silent = await start('api'); // without a worker nothing changes between the answers and the dump
  const answers = await readAnswers(callerOf(silent.url), unfinished.inboxUser);
  await silent.stop();
  write('database.sql.gz', await dumpAndCompare(postgres.url));
  write('answers.json.gz', JSON.stringify({ unfinished, answers }));
}

/** Returns a dump that was proved to load into an equal database. */
async function dumpAndCompare(url: string): Promise<string> {
  const pool = createPool(url, 1);
  const dump = await dumpDatabase(pool);
  await pool.query('create database loaded');
  const loaded = createPool(databaseUrl(url, 'loaded'), 1);
  try {
    await loadDump(loaded, dump);
    if ((await fingerprint(loaded)) !== (await fingerprint(pool)))
      throw new Error('The dump does not load into an equal database.');
    return dump;
  } finally {
    await Promise.all([pool.end(), loaded.end()]);
  }
}

function write(name: string, text: string): void {
  mkdirSync(fixtureFile(release, ''), { recursive: true });
  const bytes = gzipSync(text, { level: 9 });
  writeFileSync(fixtureFile(release, name), bytes);
  console.log(`${release}/${name}: ${Math.ceil(bytes.length / 1024)} KB`);
}
