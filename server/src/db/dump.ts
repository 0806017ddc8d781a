import { query, type Sql } from './sql.ts';

export interface SchemaTable {
  name: string;
  isUnlogged: boolean;
  isPartition: boolean;
  columns: string[];
  constraints: string[];
  partitioning: string | null;
  options: string | null;
  statistics: string[];
  indexes: string[];
  triggers: string[];
}

/**
 * The schema `public` as SQL for people to read and to compare: always the same text for the same schema. Written from the
 * catalogs because the bundled PostgreSQL has no pg_dump, whose text differs between versions anyway.
 */
export async function dumpSchema(sql: Sql): Promise<string> {
  const tables = (await readTables(sql)).filter((table) => !table.isPartition);
  const others = [...(await readFunctions(sql)), ...(await readViews(sql))];
  return [...tables.map(tableText), ...others.map(terminated)].join('\n');
}

export async function readTables(sql: Sql): Promise<SchemaTable[]> {
  return query<SchemaTable>(sql, tablesQuery);
}

export async function readFunctions(sql: Sql): Promise<string[]> {
  return (await query<{ definition: string }>(sql, functionsQuery)).map((row) => row.definition);
}

export async function readViews(sql: Sql): Promise<string[]> {
  return (await query<{ definition: string }>(sql, viewsQuery)).map((row) => row.definition);
}

function tableText(table: SchemaTable): string {
  const rest = [...table.statistics, ...table.indexes, ...table.triggers].map(terminated);
  return [createTable(table, [...table.columns, ...table.constraints]), ...rest].join('');
}

export function createTable(table: SchemaTable, lines: string[]): string {
  const kind = table.isUnlogged ? 'unlogged table' : 'table';
  const partitioning = table.partitioning === null ? '' : ` partition by ${table.partitioning}`;
  const options = table.options === null ? '' : ` with (${table.options})`;
  const body = lines.map((line) => `  ${line}`).join(',\n');
  return `create ${kind} ${table.name} (\n${body}\n)${partitioning}${options};\n`;
}

export function terminated(definition: string): string {
  return `${definition.trimEnd().replace(/;$/, '')};\n`;
}

/** The constraints that PostgreSQL 18 stores for `not null` are left out: the column shows it, in every version. */
const tablesQuery = `
select
  t.relname as name,
  t.relpersistence = 'u' as "isUnlogged",
  t.relispartition as "isPartition",
  array(
    select concat_ws(' ',
      quote_ident(a.attname),
      format_type(a.atttypid, a.atttypmod),
      case when a.attstorage <> ty.typstorage then
        'storage ' || case a.attstorage when 'p' then 'plain' when 'e' then 'external' when 'm' then 'main' else 'extended' end
      end,
      case when a.attidentity <> '' then 'generated ' || case a.attidentity when 'a' then 'always' else 'by default' end || ' as identity' end,
      case
        when a.attgenerated <> '' then 'generated always as (' || pg_get_expr(d.adbin, d.adrelid) || ') stored'
        else 'default ' || pg_get_expr(d.adbin, d.adrelid)
      end,
      case when a.attnotnull then 'not null' end
    )
    from pg_attribute a
    join pg_type ty on ty.oid = a.atttypid
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
    order by a.attnum
  ) as columns,
  array(
    select 'constraint ' || quote_ident(c.conname) || ' ' || pg_get_constraintdef(c.oid)
    from pg_constraint c
    where c.conrelid = t.oid and c.contype <> 'n'
    order by position(c.contype in 'pucfxt'), c.conname collate "C"
  ) as constraints,
  pg_get_partkeydef(t.oid) as partitioning,
  array_to_string(t.reloptions, ', ') as options,
  array(
    select format('alter table %I alter %I set statistics %s', t.relname, a.attname, a.attstattarget)
    from pg_attribute a
    where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and a.attstattarget >= 0
    order by a.attnum
  ) as statistics,
  array(
    select pg_get_indexdef(i.indexrelid)
    from pg_index i
    join pg_class ic on ic.oid = i.indexrelid
    where i.indrelid = t.oid
      and not exists (select 1 from pg_constraint c where c.conindid = i.indexrelid and c.conrelid = t.oid)
    order by ic.relname collate "C"
  ) as indexes,
  array(
    select pg_get_triggerdef(g.oid) from pg_trigger g
    where g.tgrelid = t.oid and not g.tgisinternal and g.tgparentid = 0
    order by g.tgname collate "C"
  ) as triggers
from pg_class t
where t.relnamespace = 'public'::regnamespace and t.relkind in ('r', 'p')
order by t.relname collate "C"`;

const viewsQuery = `
select 'create view ' || quote_ident(relname) || ' as' || chr(10) || pg_get_viewdef(oid) as definition
from pg_class where relnamespace = 'public'::regnamespace and relkind = 'v'
order by relname collate "C"`;

const functionsQuery = `
select pg_get_functiondef(oid) as definition
from pg_proc where pronamespace = 'public'::regnamespace and prokind in ('f', 'p')
order by proname collate "C", pg_get_functiondef(oid) collate "C"`;
