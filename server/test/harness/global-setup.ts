import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { type EmbeddedPostgres, startTemporaryPostgres } from '../../src/db/embedded/index.ts';
import { migrate } from '../../src/db/migrate.ts';
import { createPool } from '../../src/db/sql.ts';
import { databaseUrl } from './database.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUrl: string;
    /** The major version of that server. */
    postgresMajor: number;
    /** The folder of the bundled threads. */
    threads: string;
    /** An empty folder for what the first test that needs the packages makes for all of them. */
    packages: string;
  }
}

/** A server to test against, as a superuser; the bundled one when absent. Its databases with our names are replaced. */
const externalUrl = process.env.CARILLON_TEST_DATABASE_URL;

/** One real PostgreSQL for the whole run, and a migrated template that every test file clones (about 50 ms). */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = externalUrl ? { url: externalUrl, stop: async () => {} } : await startBundled();
  const admin = createPool(postgres.url, 1);
  await admin.query('drop database if exists carillon_template');
  await admin.query('create database carillon_template');
  const { rows } = await admin.query(`select current_setting('server_version_num')::int / 10000 as major`);
  project.provide('postgresMajor', rows[0].major);
  await admin.end();
  const template = createPool(databaseUrl(postgres.url, 'carillon_template'), 1);
  await migrate(template);
  await template.end();
  project.provide('postgresUrl', postgres.url);

  const threads = mkdtempSync(join(tmpdir(), 'carillon-threads-'));
  const { bundleThreads } = await import(new URL('../../../scripts/build.mjs', import.meta.url).href);
  await bundleThreads(threads);
  project.provide('threads', threads);
  const packages = mkdtempSync(join(tmpdir(), 'carillon-packages-'));
  chmodSync(packages, 0o755); // PostgreSQL runs as another user when root runs the tests
  project.provide('packages', packages);
  return async () => {
    rmSync(packages, { recursive: true, force: true });
    rmSync(threads, { recursive: true, force: true });
    await postgres.stop();
  };
}

async function startBundled(): Promise<EmbeddedPostgres> {
  // Speed over durability: nothing here outlives the run. Crash tests start servers of their own.
  const postgres = await startTemporaryPostgres({
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    autovacuum: 'off',
    update_process_title: 'off',
    max_connections: '300',
  });
  const admin = createPool(postgres.url, 1);
  // The password is 24 random bytes: making each guess at it costly makes nothing safer, and took a fifth of every connection.
  const { username, password } = new URL(postgres.url);
  await admin.query('set scram_iterations = 1');
  await admin.query(`alter role ${username} password '${password}'`);
  await admin.end();
  return postgres;
}
