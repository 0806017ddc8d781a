import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { query, type Sql, statement } from '../../src/db/sql.ts';
import { listStatements, type NamedStatement } from '../../src/generate/statements.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { seedEveryTable } from '../harness/seed-every-table.ts';

/** Tables that may be scanned: their rows do not grow with traffic. */
const smallTables = [
  // One row per key of the operator, organization, environment, or provider of an environment.
  ...[
    'encryption_keys',
    'organizations',
    'environments',
    'environment_storage',
    'email_settings',
    'provider_health',
  ],
  // Written by people, one at a time.
  ...['broadcasts', 'incidents', 'inbox_keys', 'invitations', 'topics', 'workflows', 'workflow_versions'],
  ...['brake_rules', 'brake_freezes', 'brake_engagements', 'brake_releases'],
  // Rows live for ten minutes at most.
  ...['provider_health_counts', 'chatone_oauth_states'],
];

/** Scans of a large table that are right, each with its reason. */
const allowedScans: Record<string, string> = {
  accounts_delete_old_login_failures: 'once a minute; rows end with their window',
  accounts_delete_old_sessions: 'once a minute; one row per sign-in of a person',
  inbox_delete_empty: 'only to erase a person; a ticket lives for 30 seconds',
  sandbox_delete_beyond:
    'the limit is a parameter, so the generic plan expects a sixth of the table; a slice has 2,000 rows',
  webhooks_list_unsealed_urls: 'once an hour; people create the rows, one at a time',
};

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  Plans?: PlanNode[];
}

let database: TestDatabase;
/** The partitioned table of each partition that has rows. */
let partitions: Map<string, string>;
let statements: NamedStatement[];
/** Those with a plan: `lock table` has none. */
let planned: NamedStatement[];

beforeAll(async () => {
  database = await createTestDatabase();
  await seedEveryTable(database.pool, smallTables);
  statements = await listStatements();
  planned = statements.filter(({ text }) => !/^lock table /.test(text));
  const rows = await query<{ partition: string; table: string }>(
    database.pool,
    `select c.relname as partition, i.inhparent::regclass::text as table
     from pg_inherits i join pg_class c on c.oid = i.inhrelid where c.relkind = 'r' and c.reltuples > 0`,
  );
  partitions = new Map(rows.map(({ partition, table }) => [partition, table]));
});
afterAll(() => database.drop());

/** The large tables that PostgreSQL reads from end to end for this statement, without knowing its parameters. */
async function findScans(text: string): Promise<string[]> {
  const [row] = await query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    database.pool,
    `explain (generic_plan, format json) ${text}`,
  );
  const tables = row ? scannedTables(row['QUERY PLAN'][0].Plan) : [];
  return tables
    .filter((table) => !/_(default|p\d{8})$/.test(table)) // empty
    .map((table) => partitions.get(table) ?? table)
    .filter((table) => !smallTables.includes(table));
}

function scannedTables(node: PlanNode): string[] {
  const below = (node.Plans ?? []).flatMap(scannedTables);
  return node['Node Type'] === 'Seq Scan' ? [node['Relation Name'] ?? '', ...below] : below;
}

/** What a migration of the next release does while processes of this one hold prepared statements. */
function addColumnToEveryTable(sql: Sql): Promise<unknown> {
  return query(
    sql,
    `do $$ declare name regclass; begin
       for name in select oid from pg_class
         where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition loop
         execute format('alter table %s add added_by_next_release text', name);
       end loop; end $$`,
  );
}

describe('named statements', () => {
  test('read no large table from end to end', async () => {
    const scans = await Promise.all(
      planned.map(async ({ name, file, text }) =>
        (await findScans(text)).map((table) => ({ name, scan: `${name} (${file}) scans ${table}` })),
      ),
    );
    expect(planned.length).toBeGreaterThan(300);
    const found = scans.flat();
    expect(found.filter(({ name }) => !(name in allowedScans)).map(({ scan }) => scan)).toEqual([]);
    expect(new Set(found.map(({ name }) => name))).toEqual(new Set(Object.keys(allowedScans))); // none is outdated
  });

  test('would be found if they did', async () => {
    expect(await findScans('select from notifications where priority = $1')).toEqual(['notifications']);
  });

  test('are repeated beside a migration that adds columns: their results stay the same', async () => {
    const migrated = await createTestDatabase();
    const client = await migrated.pool.connect();
    try {
      await query(client, 'set plan_cache_mode = force_generic_plan');
      for (const { name, text } of planned) await query(client, `prepare ${name} as ${text}`);
      const prepared = await query<{ name: string; parameters: number }>(
        client,
        'select name, cardinality(parameter_types) as parameters from pg_prepared_statements where from_sql',
      );
      expect(prepared.length).toBe(planned.length);
      await addColumnToEveryTable(client);
      const failures: string[] = [];
      for (const { name, parameters } of prepared) {
        const values = parameters > 0 ? `(${Array(parameters).fill('null').join()})` : '';
        await query(client, `explain execute ${name}${values}`).catch(({ message }) =>
          failures.push(`${name}: ${message}`),
        );
      }
      expect(failures).toEqual([]);
    } finally {
      client.release();
      await migrated.drop();
    }
  });

  test('fit into the pooler that the guide describes', () => {
    const guide = readFileSync(new URL('../../../docs/guides/high-availability.md', import.meta.url), 'utf8');
    const [, most] = /`max_prepared_statements` \| (\d+)/.exec(guide) ?? [];
    expect(statements.length).toBeLessThan(Number(most));
  });

  test('have names of their own', () => {
    const name = statements[0]?.name ?? '';
    expect(() => statement(name, 'select 1')).toThrow(`The statement ${name} is declared twice.`);
  });
});
