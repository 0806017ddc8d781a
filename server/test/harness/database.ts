import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { createPool, type Pool } from '../../src/db/sql.ts';

/** The same server, another database. */
export function databaseUrl(url: string, database: string): string {
  const parsed = new URL(url);
  parsed.pathname = `/${database}`;
  return parsed.toString();
}

export interface TestDatabase {
  url: string;
  pool: Pool;
  /** Ends the pool and removes the database. */
  drop(): Promise<void>;
}

/** A database of its own, cloned from the migrated template (`template0` is empty): tests cannot see each other. */
export async function createTestDatabase(template = 'carillon_template'): Promise<TestDatabase> {
  const server = inject('postgresUrl');
  const name = `t_${randomUUID().replaceAll('-', '')}`;
  const admin = createPool(server, 1);
  const strategy = inject('postgresMajor') < 15 ? '' : 'strategy file_copy'; // before 15 the only one; here the faster one
  await admin.query(`create database ${name} template ${template} ${strategy}`);
  const url = databaseUrl(server, name);
  const pool = createPool(url, 8);
  return {
    url,
    pool,
    async drop() {
      await pool.end();
      await admin.query(`drop database ${name} with (force)`);
      await admin.end();
    },
  };
}
