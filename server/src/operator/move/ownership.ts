import { query, type Sql } from '../../db/sql.ts';
import { UnusableFile } from './move-file.ts';
import type { MovedTable, MovePlan } from './tables.ts';

/** What the check needs to know of a row that was just inserted. */
export interface InsertedRow {
  id: string;
  /** Whether an export of the organization would contain the row. */
  belongs: boolean;
  /** The ids of other rows that the row names. */
  named: string[];
}

/** JSON columns that name rows which are then read by their id alone. */
const namingJson: Partial<Record<string, string[]>> = {
  broadcasts: ['contents'],
  template_versions: ['parts'],
};
const uuidPattern = '([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})';
/** The key of an object ends with the ids of its environment and of itself, so a row cannot name the object of another. */
const ownObjectKey = `key ~ (environment_id::text || '/[0-9-]+/' || id::text || '$')`;

/** Rows name the same few environments, templates and connections again and again. */
const maxKnown = 100_000;

/**
 * Finds rows of a file that do not belong to its organization. The operator of the source can write any file and has its key, so a
 * row must be one that the export of the organization would read (the condition of its table), and must not name a row of another
 * organization: work would be done with it, or an account would get in. Ids are unique over all tables, so no list of what each
 * column refers to is needed.
 */
export function createOwnershipCheck(plan: MovePlan, userIds: readonly string[]) {
  const ownUsers = userIds.map((id) => `'${id}'::uuid`).join(', ');
  const foreign = plan.identified.map(({ table, where }) => {
    const own = table === 'users' ? `${table}.id = any (array[${ownUsers}]::uuid[])` : where;
    return `exists (select from ${table} where ${table}.id = named.id and (${own}) is not true)`;
  });
  let known = new Set<string>();

  return {
    returned({ name, columns, where, namingColumns }: MovedTable): string {
      const belongs = name === 'stored_objects' ? `(${where}) and ${ownObjectKey}` : where;
      const inJson = (namingJson[name] ?? []).map(
        (column) =>
          ` || array(select m[1] from regexp_matches(coalesce(${column}::text, ''), '${uuidPattern}', 'gi') m)`,
      );
      return `${columns.includes('id') ? 'id::text' : `''`} as id, ${name === 'users' ? 'true' : `(${belongs}) is true`} as belongs,
        array_remove(array[${namingColumns.join(', ')}]::uuid[], null)::text[]${inJson.join('')} as named`;
    },

    async check(tx: Sql, { name }: MovedTable, rows: InsertedRow[]): Promise<void> {
      if (rows.some(({ belongs }) => !belongs)) throw refused(name, 'belongs to another organization');
      const named = [...new Set(rows.flatMap((row) => row.named))].filter((id) => !known.has(id));
      if (named.length === 0) return;
      const [other] = await query<{ id: string }>(
        tx,
        `select id from unnest($1::uuid[]) as named (id) where ${foreign.join(' or ')} limit 1`,
        [named],
      );
      if (other) throw refused(name, `refers to ${other.id}, which belongs to another organization`);
      if (known.size > maxKnown) known = new Set();
      for (const id of named) known.add(id);
    },

    /** Accounts come before the rows that refer to them: at the end, each must belong to a member of the organization. */
    async checkUsers(sql: Sql): Promise<void> {
      const { where } = plan.tables.find(({ name }) => name === 'users') as MovedTable;
      const [other] = await query<{ id: string }>(
        sql,
        `select id from users where id = any ($1::uuid[]) and (${where}) is not true limit 1`,
        [userIds],
      );
      if (other) throw refused('users', `is an account without a place in the organization (${other.id})`);
    },
  };
}

export type OwnershipCheck = ReturnType<typeof createOwnershipCheck>;

function refused(table: string, why: string): UnusableFile {
  return new UnusableFile(`A row of ${table} in the file ${why}. Nothing of the file was kept.`);
}
