import {
  createTable,
  dumpSchema,
  readFunctions,
  readTables,
  readViews,
  type SchemaTable,
  terminated,
} from '../../src/db/dump.ts';
import { type Pool, query, type Sql } from '../../src/db/sql.ts';

/**
 * The database as SQL that the client alone can load: the bundled PostgreSQL has no pg_dump. Rows come before constraints,
 * indexes and triggers, so that their order does not matter and no trigger changes them.
 */
export async function dumpDatabase(sql: Sql): Promise<string> {
  const tables = await readTables(sql);
  const constraints = await query<{ definition: string }>(sql, constraintsQuery);
  const attachedTables = await query<{ definition: string }>(sql, attachedTablesQuery);
  const attachedIndexes = await query<{ definition: string }>(sql, attachedIndexesQuery);
  const rows: string[] = [];
  for (const table of tables.filter(({ partitioning }) => partitioning === null))
    rows.push(...(await dumpRows(sql, table)));
  const statements = [
    'set check_function_bodies = off', // functions may name tables that come later
    ...(await readFunctions(sql)),
    ...tables.map((table) =>
      createTable(
        table,
        table.columns.map((column) => column.replace(storage, '')),
      ),
    ),
    ...tables.flatMap(storageStatements),
    ...rows,
    ...attachedTables.map((row) => row.definition),
    ...constraints.map((row) => row.definition),
    ...tables.flatMap((table) => table.indexes),
    ...attachedIndexes.map((row) => row.definition),
    ...tables.flatMap((table) => [...table.statistics, ...table.triggers]),
    ...(await readViews(sql)),
    'reset check_function_bodies',
  ];
  return statements.map(terminated).join('');
}

/** Before PostgreSQL 16 `create table` does not know it. */
const storage = / storage (plain|external|main|extended)\b/;

function storageStatements({ name, columns }: SchemaTable): string[] {
  return columns
    .filter((column) => storage.test(column))
    .map((column) => `alter table ${name} alter ${column.split(' ')[0]} set${storage.exec(column)?.[0]}`);
}

/** Loads a dump into an empty database. */
export async function loadDump(pool: Pool, dump: string): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query(`begin; ${dump} commit`);
  } finally {
    client.release(true); // without the settings of the dump
  }
}

/** Returns the text for which two databases are equal: the schema, and all rows. */
export async function fingerprint(sql: Sql): Promise<string> {
  const tables = await readTables(sql);
  const rows: string[] = [];
  for (const table of tables.filter(({ partitioning }) => partitioning === null))
    rows.push(...(await dumpRows(sql, table)));
  return [await dumpSchema(sql), ...rows].join('\n');
}

/** A statement for each row, which makes a dump easy to read and to search. */
async function dumpRows(sql: Sql, { name }: SchemaTable): Promise<string[]> {
  const columns = await query<{ name: string }>(
    sql,
    `select quote_ident(attname) as name from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
    [name],
  );
  const values = columns.map((column) => `quote_nullable(${column.name}::text)`).join(`, ', ', `);
  const names = columns.map((column) => column.name).join(', ');
  const rows = await query<{ values: string }>(
    sql,
    `select concat(${values}) as values from ${name} order by 1`,
  );
  return rows.map((row) => `insert into ${name} (${names}) values (${row.values});\n`);
}

/** Foreign keys come last. Those of a partitioned table cover its partitions; primary keys are attached like other indexes. */
const constraintsQuery = `
select format('alter table %s%s add constraint %I %s',
  case when contype in ('p', 'u') then 'only ' else '' end, conrelid::regclass, conname, pg_get_constraintdef(oid)) as definition
from pg_constraint
where connamespace = 'public'::regnamespace and contype in ('p', 'u', 'c', 'f', 'x') and (contype in ('p', 'u') or conparentid = 0)
order by contype = 'f', conrelid::regclass::text collate "C", conname collate "C"`;

const attachedTablesQuery = `
select format('alter table %s attach partition %s %s', inhparent::regclass, inhrelid::regclass, pg_get_expr(c.relpartbound, c.oid)) as definition
from pg_inherits join pg_class c on c.oid = inhrelid
where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
order by inhrelid::regclass::text collate "C"`;

const attachedIndexesQuery = `
select format('alter index %s attach partition %s', inhparent::regclass, inhrelid::regclass) as definition
from pg_inherits join pg_class c on c.oid = inhrelid
where c.relkind in ('i', 'I') and c.relnamespace = 'public'::regnamespace
order by inhrelid::regclass::text collate "C"`;
