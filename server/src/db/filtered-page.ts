import type pg from 'pg';
import { query, type Sql } from './sql.ts';

/**
 * A page of a list that can be filtered by several fields at once. Each filter has an index, none covers all of them, and of
 * two values with a million rows each perhaps no row has both. So the most selective filter leads, and the others are checked
 * on a bounded number of its rows, a few times if needed: the cost of a page does not grow with the table. The page may end
 * early for that reason, and then has the position to continue from.
 */
export interface FilteredPage {
  table: string;
  /** The owner of the list: the first columns of every index. */
  scope: string;
  /** Conditions on the id, the last column of every index. */
  bounds: string[];
  /** Filters that each have an index of their own, between the scope and the id. */
  indexed: string[];
  /** The tables to read instead of an index, by condition: they have the columns of the scope, of the condition, and the id. */
  indexTables?: Record<string, string>;
  /** Conditions without an index. They may use the parameters of the bounds, and no others. */
  others: string[];
  /** Replaces an index: the ids of all candidate rows, where they are few and known otherwise. */
  ids?: string | undefined;
  values: unknown[];
  limit: number;
  /** The number of rows of the leading filter that are checked at a time. */
  scanLimit: number;
  /** Makes a statement from the rows of the page. */
  select: (page: string) => string;
}

export interface ScannedPage<Row> {
  rows: Row[];
  /** Rows older than this were not scanned; null when the scan is complete. */
  scannedTo: string | null;
}

const maxScans = 5;

export async function scanPage<Row extends pg.QueryResultRow>(
  sql: Sql,
  list: FilteredPage,
): Promise<ScannedPage<Row>> {
  const rows: Row[] = [];
  let scannedTo: string | null = null;
  for (let scan = 0; scan < maxScans; scan += 1) {
    const scanned: ScannedPage<Row> = await scanOnce<Row>(sql, {
      ...list,
      ...(scannedTo === null ? {} : beyond(list, scannedTo)),
      limit: list.limit - rows.length,
    });
    rows.push(...scanned.rows);
    scannedTo = scanned.scannedTo;
    if (scannedTo === null || rows.length === list.limit) break;
  }
  return { rows, scannedTo };
}

function beyond(
  { bounds, values }: FilteredPage,
  scannedTo: string,
): Pick<FilteredPage, 'bounds' | 'values'> {
  return { bounds: [...bounds, `id < $${values.length + 1}`], values: [...values, scannedTo] };
}

async function scanOnce<Row extends pg.QueryResultRow>(
  sql: Sql,
  list: FilteredPage,
): Promise<ScannedPage<Row>> {
  const { table, scope, bounds, indexed, others, scanLimit } = list;
  const idsBy = (leader: string[], conditions: string[]): string =>
    idsOf(indexTable(list, leader), conditions);
  const values = [...list.values];
  const parameter = (value: unknown): string => `$${values.push(value)}`;
  const find = (ids: string, conditions: string[], limit: string): Promise<Row[]> =>
    query<Row>(sql, list.select(rowsOf(table, ids, conditions, limit)), values);

  if (list.ids !== undefined) {
    const ids = idsOf(`(${list.ids}) meant`, bounds);
    return { rows: await find(ids, [scope, ...indexed, ...others], parameter(list.limit)), scannedTo: null };
  }

  if (indexed.length <= 1 && others.length === 0) {
    const limit = parameter(list.limit);
    return {
      rows: await find(`${idsBy(indexed, [scope, ...bounds, ...indexed])} limit ${limit}`, [], limit),
      scannedTo: null,
    };
  }

  const { leader, scannedTo } = mostSelective(await findScanEnds(sql, list));
  const leading = [
    scope,
    ...bounds,
    ...leader,
    ...(scannedTo === null ? [] : [`id >= ${parameter(scannedTo)}`]),
  ];
  const asked = [...indexed.filter((condition) => !leader.includes(condition)), ...others];
  // The limit exceeds the number of rows, even if some have just arrived; without a limit the planner might read and sort
  // everything.
  const ids = `${idsBy(leader, leading)} limit ${2 * scanLimit}`;
  return { rows: await find(ids, asked, parameter(list.limit)), scannedTo };
}

function indexTable({ table, indexTables }: FilteredPage, [leader = '']: string[]): string {
  return indexTables?.[leader] ?? table;
}

/**
 * Only indexed columns are selected: an index-only scan is almost always the cheapest plan, even if the planner misestimates
 * the number of rows.
 */
function idsOf(table: string, conditions: string[]): string {
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
  return `select id from ${table} ${where} order by id desc`;
}

/**
 * `offset 0` makes PostgreSQL read one row after the other, as far as needed, instead of a join with the table from its newest
 * row on.
 */
function rowsOf(table: string, ids: string, conditions: string[], limit: string): string {
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
  return `
    select found.* from (${ids}) looked
    cross join lateral (select * from ${table} where id = looked.id offset 0) found
    ${where} order by looked.id desc limit ${limit}`;
}

interface ScanEnd {
  /** The condition of an index, absent when there is only the scope. */
  leader: string[];
  /** The last of the scanned rows; null when there are fewer than the limit. */
  scannedTo: string | null;
}

async function findScanEnds(sql: Sql, list: FilteredPage): Promise<ScanEnd[]> {
  const { scope, bounds, indexed, scanLimit, values } = list;
  const leaders = indexed.length === 0 ? [[]] : indexed.map((condition) => [condition]);
  const columns = leaders.map(
    (leader, index) =>
      `(${idsOf(indexTable(list, leader), [scope, ...bounds, ...leader])} offset ${scanLimit - 1} limit 1) as "${index}"`,
  );
  const [row] = await query<Record<string, string | null>>(sql, `select ${columns.join(', ')}`, values);
  return leaders.map((leader, index) => ({ leader, scannedTo: row?.[index] ?? null }));
}

function mostSelective(reaches: ScanEnd[]): ScanEnd {
  return reaches.reduce((a, b) => ((b.scannedTo ?? '') < (a.scannedTo ?? '') ? b : a));
}
