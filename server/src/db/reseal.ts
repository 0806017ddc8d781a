import type { Keyring } from '../kernel/crypto.ts';
import { firstId } from '../kernel/ids.ts';
import { type Pool, query } from './sql.ts';

/**
 * Seals a value again with the first key; a value that is sealed with it already, or cannot be opened, is returned unchanged.
 */
export type SealAgain = (sealed: string, context: string) => string;

/** A column that holds sealed values. */
export interface SealedColumn {
  table: string;
  column: string;
  type: 'text' | 'jsonb';
  /** The uuid column that identifies a row. */
  key: string;
  /** Further columns that are part of the encryption context. */
  also?: readonly string[];
  /**
   * Returns the value of the column with every sealed value in it passed through `again`. `row` has `key` and `also`. The
   * implementation knows the shape of the column and may name its type.
   */
  reseal(value: unknown, row: Record<string, string>, again: SealAgain): unknown;
  /** Makes a new value, for secrets that the service generates itself. */
  remake?(): string;
}

/** A text column that holds one sealed value. */
export function sealedText(
  column: Omit<SealedColumn, 'type' | 'reseal'>,
  contextOf: (row: Record<string, string>) => string,
): SealedColumn {
  return { ...column, type: 'text', reseal: (sealed: string, row, again) => again(sealed, contextOf(row)) };
}

export interface ColumnReport {
  /** `table.column` */
  column: string;
  values: number;
  resealed: number;
  /** The number of values whose key is not configured, which cannot be opened. */
  unopened: number;
}

export interface ResealReport {
  columns: ColumnReport[];
  /** The ids of the keys that values are sealed with afterwards, and the number of values. */
  used: Map<string, number>;
}

const batch = 500;
/** A row that was changed during a pass is read again; no row changes this often. */
const maxPasses = 10;

/**
 * Seals every value again that the first key of the ring did not seal, in batches, while the service runs: a row is only
 * replaced while it is still as it was read. An interrupted run does no harm; the next run continues.
 */
export async function resealAll(
  pool: Pool,
  keyring: Keyring,
  columns: readonly SealedColumn[],
  progress: (report: ColumnReport) => void = () => {},
): Promise<ResealReport> {
  const reports: ColumnReport[] = [];
  for (const column of columns) {
    const report = await resealColumn(pool, keyring, column);
    reports.push(report);
    progress(report);
  }
  // A second pass over everything finds values that another process sealed with an old key meanwhile.
  const used = new Map<string, number>();
  for (const column of columns) {
    await walk(pool, column, async (rows) => {
      for (const row of rows) {
        column.reseal(parsedValue(column, row), row, (sealed) => {
          const id = keyIdOf(sealed);
          used.set(id, (used.get(id) ?? 0) + 1);
          return sealed;
        });
      }
    });
  }
  return { columns: reports, used };
}

async function resealColumn(pool: Pool, keyring: Keyring, column: SealedColumn): Promise<ColumnReport> {
  let resealed = 0;
  for (let pass = 1; ; pass += 1) {
    let values = 0;
    let unopened = 0;
    let missed = 0;
    const again: SealAgain = (sealed, context) => {
      values += 1;
      if (!keyring.isStale(sealed)) return sealed;
      try {
        return keyring.seal(keyring.open(sealed, context), context);
      } catch {
        unopened += 1;
        return sealed;
      }
    };
    await walk(pool, column, async (rows) => {
      const changed = rows.flatMap((row) => {
        let count = 0;
        const now = column.reseal(parsedValue(column, row), row, (sealed, context) => {
          const fresh = again(sealed, context);
          if (fresh !== sealed) count += 1;
          return fresh;
        });
        const text = column.type === 'jsonb' ? JSON.stringify(now) : String(now);
        return count === 0 ? [] : [{ key: row.key, old: row.value, new: text, count }];
      });
      const replaced = await replace(pool, column, changed);
      for (const { key, count } of changed) {
        if (replaced.has(key)) resealed += count;
        else missed += 1;
      }
    });
    if (missed === 0 || pass === maxPasses)
      return { column: `${column.table}.${column.column}`, values, resealed, unopened };
  }
}

type Row = Record<string, string> & { key: string; value: string };

function parsedValue({ type }: SealedColumn, { value }: Row): unknown {
  return type === 'jsonb' ? JSON.parse(value) : value;
}

async function walk(
  pool: Pool,
  { table, column, key, also = [] }: SealedColumn,
  visit: (rows: Row[]) => Promise<void>,
): Promise<void> {
  const columns = [...new Set([key, ...also])].map((name) => `${name}::text`).join(', ');
  let after = firstId;
  for (;;) {
    const rows = await query<Row>(
      pool,
      `select ${key}::text as key, ${column}::text as value, ${columns}
       from ${table} where ${column} is not null and ${key} > $1 order by ${key} limit ${batch}`,
      [after],
    );
    const last = rows.at(-1);
    if (!last) return;
    await visit(rows);
    after = last.key;
  }
}

async function replace(
  pool: Pool,
  { table, column, type, key }: SealedColumn,
  rows: { key: string; old: string; new: string }[],
): Promise<Set<string>> {
  if (rows.length === 0) return new Set();
  const replaced = await query<{ key: string }>(
    pool,
    `update ${table} t set ${column} = i.new::${type}
     from json_to_recordset($1::json) as i (key uuid, old text, new text)
     where t.${key} = i.key and t.${column}::text = i.old
     returning t.${key}::text as key`,
    [JSON.stringify(rows)],
  );
  return new Set(replaced.map((row) => row.key));
}

export function keyIdOf(sealed: string): string {
  return sealed.split('.')[1] ?? '';
}
