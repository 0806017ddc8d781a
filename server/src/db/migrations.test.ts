import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { databaseUrl } from '../../test/harness/database.ts';
import { seedTables } from '../../test/harness/seed-every-table.ts';
import { withLockRetries } from './locks.ts';
import { isOutsideTransaction, listMigrations, migrate, splitStatements } from './migrate.ts';
import { createPool, type Pool, query, type Sql } from './sql.ts';

/** Tables whose rows are as many as people, organizations or their settings: a migration may read them under a lock. */
const smallTables = [
  ...['users', 'memberships', 'sessions', 'organizations', 'environments', 'workflows', 'workflow_versions'],
];

let admin: Pool;
let name: string;
let pool: Pool;
beforeEach(async () => {
  const server = inject('postgresUrl');
  name = `m_${randomUUID().replaceAll('-', '')}`;
  admin = createPool(server, 1);
  await admin.query(`create database ${name}`);
  // The tables have few rows here: the planner would read them from end to end where it would use an index.
  pool = createPool(databaseUrl(server, name), 4, { enable_seqscan: 'off' });
});
afterEach(async () => {
  await pool.end();
  await admin.query(`drop database ${name} with (force)`);
  await admin.end();
});

/** Tables that this transaction has read from end to end under a lock that stops writes to them. */
async function listScansUnderLock(sql: Sql): Promise<string[]> {
  const rows = await query<{ name: string }>(
    sql,
    `select c.relname as name from pg_class c join pg_stat_xact_user_tables s on s.relid = c.oid
     where s.seq_tup_read > 0 and exists (
       select from pg_locks l where l.relation = c.oid and l.pid = pg_backend_pid()
         and l.mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock'))
     order by 1`,
  );
  return rows.map((row) => row.name).filter((table) => !smallTables.includes(table));
}

describe('on a database in use', () => {
  // PostgreSQL 15 is the first that can be told to count scans at once.
  test.skipIf(inject('postgresMajor') < 15)(
    'no migration reads a large table under a lock that stops sends, and each can be interrupted',
    async () => {
      const scans: string[] = [];
      for (const { name: upTo, text } of listMigrations()) {
        const step = (): Promise<string[]> =>
          migrate(pool, {
            upTo,
            afterStep: async (migration, client) => {
              for (const table of await listScansUnderLock(client)) scans.push(`${migration} reads ${table}`);
              await client.query('select pg_stat_force_next_flush()'); // the next step is counted alone
            },
          });
        expect(await step()).toEqual([upTo]);
        if (isOutsideTransaction(text)) {
          // As after a crash before the migration was recorded.
          await query(pool, 'delete from migrations where name = $1', [upTo]);
          expect(await step()).toEqual([upTo]);
        }
        await seedTables(pool, 50);
      }
      expect(scans).toEqual([]);
    },
    60_000,
  );

  test('such a migration would be found', async () => {
    await migrate(pool);
    await seedTables(pool, 50);
    const client = await pool.connect();
    await client.query('begin');
    await client.query('create index planted on webhook_events (type)');
    expect(await listScansUnderLock(client)).toEqual(['webhook_events']);
    await client.query('rollback');
    client.release();
  });

  test('a statement that waits for a lock lets others pass, and gets it in the end', async () => {
    await migrate(pool);
    const reader = await pool.connect();
    await reader.query('begin');
    await reader.query('select from notifications');
    const client = await pool.connect();
    let waits = 0;
    const changed = withLockRetries(
      client,
      {
        onWait: () => {
          waits += 1;
        },
      },
      () => client.query('alter table notifications add column planted text'),
    );
    for (let insert = 0; insert < 10; insert += 1)
      await query(
        pool,
        `insert into notifications (id, environment_id, channel, status, priority, events)
         values ($1, $1, 'email', 'sent', 'normal', '[]')`,
        [randomUUID()],
      );
    await reader.query('commit');
    reader.release();
    await changed;
    client.release();
    expect(waits).toBeLessThanOrEqual(1);
    expect(await query(pool, 'select planted from notifications limit 1')).toHaveLength(1);
  }, 30_000);
});

test('of several processes that start at once one migrates, and the others wait for it', async () => {
  const all = listMigrations().map((migration) => migration.name);
  const applied = await Promise.all([migrate(pool), migrate(pool), migrate(pool)]);
  expect(applied.map((names) => names.length).sort()).toEqual([0, 0, all.length].sort());
}, 30_000);

test('an index whose build was interrupted is built again', async () => {
  await migrate(pool);
  const index = 'webhook_deliveries_by_type';
  await query(pool, 'update pg_index set indisvalid = false where indexrelid = $1::regclass', [index]);
  await query(pool, `delete from migrations where name = '0018_filters.sql'`);
  await migrate(pool);
  expect(
    await query(pool, 'select indisvalid from pg_index where indexrelid = $1::regclass', [index]),
  ).toEqual([{ indisvalid: true }]);
});

test('the rows of before the tables were partitioned are found afterwards, in every list', async () => {
  await migrate(pool, { upTo: '0026_incidents.sql' });
  await query(
    pool,
    `insert into notifications (id, environment_id, channel, status, priority, events)
     select ('00000000-0001-7000-8000-' || lpad(n::text, 12, '0'))::uuid, '00000000-0000-7000-8000-000000000001', 'email',
       (array['queued', 'sent', 'delivered', 'failed', 'bounced'])[1 + n % 5], 'normal', '[]'
     from generate_series(1, 12000) n`,
  );
  await migrate(pool);
  const [counts] = await query(
    pool,
    `select (select count(*)::int from notifications) as all,
       (select count(*)::int from notification_rare_statuses r join notifications n using (environment_id, status, id)) as rare`,
  );
  expect(counts).toEqual({ all: 12_000, rare: 4_800 });
});

test('statements end at a semicolon at the end of a line, outside of quoted bodies', () => {
  const body = 'do $$\nbegin\n  perform 1;\nend $$;';
  expect(
    splitStatements(`-- outside; of a transaction;\nselect 1;\n\n${body}\nselect ';'\n  , 2;\n`),
  ).toEqual(['-- outside; of a transaction;\nselect 1;', body, "select ';'\n  , 2;"]);
});
