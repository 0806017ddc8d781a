import { type Pool, query, type Sql } from '../../src/db/sql.ts';

interface Column {
  table: string;
  name: string;
  type: string;
  nullable: boolean;
  /** In a unique index, alone or with others. */
  unique: 'alone' | 'together' | null;
}

const rowsPerTable = 1_000;
/** The planner is told of a thousand times as many rows in a large table: writing a million for each takes minutes. */
const exaggeration = 1_000;

/**
 * Fills every table for `explain`. The tables come from the catalogs, so a new one counts as large until it is named as small.
 * The values have the shape that decides a plan (twenty environments, distinct ids, a hundred values of everything else) and
 * no meaning, so constraints are dropped first.
 */
export async function seedEveryTable(pool: Pool, smallTables: string[]): Promise<void> {
  await seedTables(pool, rowsPerTable);
  await query(pool, 'analyze');
  await query(
    pool,
    `select pg_restore_relation_stats('schemaname', 'public', 'relname', relname::text,
       'reltuples', reltuples * ${exaggeration}::real)
     from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and reltuples > 0 and relname <> all ($1::text[])`,
    [smallTables],
  );
}

/** Writes so many rows to every table, unless they are there. */
export async function seedTables(pool: Pool, rows: number): Promise<void> {
  await query(pool, dropConstraints);
  const columns = await query<Column>(pool, columnsQuery);
  for (const table of new Set(columns.map((column) => column.table))) {
    await seed(
      pool,
      table,
      columns.filter((column) => column.table === table),
      rows,
    );
  }
}

async function seed(sql: Sql, table: string, columns: Column[], rows: number): Promise<void> {
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  const values = columns.map(columnValue).join(', ');
  await query(
    sql,
    `insert into "${table}" (${names}) select ${values} from generate_series(1, ${rows}) n on conflict do nothing`,
  );
}

function columnValue({ name, type, nullable, unique }: Column): string {
  const isTenant = name === 'environment_id' || name === 'organization_id';
  const isDistinct = unique === 'alone' || (!isTenant && (unique === 'together' || name.endsWith('id')));
  const number = isDistinct ? 'n' : isTenant ? 'n % 20' : 'n % 100';
  const value = typedValue(type, number);
  return nullable && unique === null ? `case when n % 2 = 0 then ${value} end` : value;
}

function typedValue(type: string, number: string): string {
  if (type.endsWith('[]')) return `array[${typedValue(type.slice(0, -2), number)}]`;
  switch (type) {
    case 'uuid':
      return `('00000000-0000-7000-8000-' || lpad(to_hex(${number}), 12, '0'))::uuid`;
    case 'timestamp with time zone':
      return `now() - n * interval '1 minute'`;
    case 'date':
      return 'current_date - n';
    case 'boolean':
      return 'n % 2 = 0';
    case 'json':
    case 'jsonb':
      return `'{}'::${type}`;
    case 'bytea':
      return `decode(lpad(to_hex(${number}), 8, '0'), 'hex')`;
    default:
      return `(${number})::${type}`;
  }
}

const columnsQuery = `
  select t.relname as table, a.attname as name, format_type(a.atttypid, null) as type, not a.attnotnull as nullable,
    (select case when bool_or(i.indnkeyatts = 1) then 'alone' else 'together' end from pg_index i
     where i.indrelid = t.oid and i.indisunique and a.attnum = any (i.indkey) having count(*) > 0) as unique
  from pg_class t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
  where t.relnamespace = 'public'::regnamespace and t.relkind in ('r', 'p') and not t.relispartition
    and t.relname <> 'migrations' and a.attgenerated = ''
  order by t.relname, a.attnum`;

const dropConstraints = `
  do $$
  declare c record;
  begin
    for c in select conrelid::regclass as owner, conname from pg_constraint
      where connamespace = 'public'::regnamespace and contype in ('c', 'f') and conparentid = 0
    loop
      execute format('alter table %s drop constraint %I', c.owner, c.conname);
    end loop;
  end $$`;
