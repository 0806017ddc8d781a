import { expect, test } from 'vitest';
import { startTestApp } from '../../test/harness/app.ts';
import { createTestDatabase } from '../../test/harness/database.ts';
import { newId } from '../kernel/ids.ts';
import { migrate } from './migrate.ts';
import { query } from './sql.ts';

test('on a database that a newer release has used the service runs, and its log says so', async () => {
  const database = await createTestDatabase();
  await query(database.pool, `insert into migrations (name) values ('9999_of_tomorrow.sql')`);
  const lines: string[] = [];
  const app = await startTestApp({
    database,
    settings: { LOG_LEVEL: 'warn' },
    logTo: { write: (line) => lines.push(line) },
  });
  expect((await app.request('GET', '/v1/me')).status).toBe(200);
  await app.stop();
  await database.drop();
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ migrations: ['9999_of_tomorrow.sql'] }]);
});

test('an upgrade tells when versions of workflows were replaced, as far as it is known', async () => {
  const database = await createTestDatabase();
  const { pool } = database;
  await pool.query(`alter table workflow_versions drop column deactivated_at; drop table workflow_activity;
    delete from migrations where name like '%workflow_reads.sql'`);
  const [organization, environment, active, disabled] = [newId(), newId(), newId(), newId()];
  await query(pool, `insert into organizations (id, name, plan) values ($1, 'Acme', 'free')`, [organization]);
  await query(
    pool,
    `insert into environments (id, organization_id, name, kind) values ($1, $2, 'Test', 'test')`,
    [environment, organization],
  );
  await query(
    pool,
    `insert into workflows (id, environment_id, key, name, status, active_version, updated_at)
     values ($1, $3, 'a', 'A', 'active', 2, '2026-01-09Z'), ($2, $3, 'b', 'B', 'disabled', 1, '2026-01-05Z')`,
    [active, disabled, environment],
  );
  await query(
    pool,
    `insert into workflow_versions (workflow_id, version, id, body, template_keys, activated_at)
     values ($1, 1, $3, '{}', '{}', '2026-01-01Z'), ($1, 2, $3, '{}', '{}', '2026-01-03Z'),
       ($1, 3, $3, '{}', '{}', null), ($2, 1, $3, '{}', '{}', '2026-01-02Z')`,
    [active, disabled, newId()],
  );
  expect(await migrate(pool)).toEqual([expect.stringContaining('workflow_reads.sql')]);
  const rows = await query<{ day: number | null }>(
    pool,
    `select extract(day from deactivated_at at time zone 'utc')::int as day
     from workflow_versions order by workflow_id, version`,
  );
  expect(rows.map(({ day }) => day)).toEqual([3, null, null, 5]);
  await database.drop();
});
