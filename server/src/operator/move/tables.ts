import { query, type Sql } from '../../db/sql.ts';

/**
 * Tables that belong to the installation. Work moves as `queue_held`, people sign in again, and rate limits start full. A new table
 * with `organization_id` or `environment_id` moves; any other must be named here or below.
 */
const leftBehind: ReadonlySet<string> = new Set([
  'chatone_oauth_states',
  'encryption_keys',
  'idempotency_keys', // a trigger copies what the previous release writes to idempotency_claims
  'incident_updates',
  'incidents',
  'login_failures',
  'migrations',
  'notification_rare_statuses', // triggers of notifications write it
  'organization_moves',
  'rate_buckets',
  'sessions',
  'workers',
]);
const isQueue = (table: string): boolean => table.startsWith('queue_') && table !== 'queue_held';

/** Tables whose rows belong to the row of another table: the column, and the table of its `id`. */
const children: Readonly<Record<string, [column: string, parent: string]>> = {
  broadcast_changes: ['broadcast_id', 'broadcasts'],
  attachment_bytes: ['notification_id', 'notifications'],
  digest_items: ['run_id', 'runs'],
  digests: ['workflow_id', 'workflows'],
  notification_contents: ['notification_id', 'notifications'],
  run_sends: ['run_id', 'runs'],
  run_steps: ['run_id', 'runs'],
  run_waits: ['run_id', 'runs'],
  throttles: ['workflow_id', 'workflows'],
  webhook_attempts: ['delivery_id', 'webhook_deliveries'],
  workflow_activity: ['workflow_id', 'workflows'],
  workflow_event_keys: ['event_id', 'workflow_events'],
  workflow_patterns: ['workflow_id', 'workflows'],
  workflow_versions: ['workflow_id', 'workflows'],
};

/**
 * Counters that statements for several organizations write: one organization on the move must not stop the counts of the others. The
 * tags of `queue_turns` stay behind.
 */
const unfenced: ReadonlySet<string> = new Set([
  'activity',
  'brake_counts',
  'environment_storage',
  'provider_health',
  'provider_health_counts',
  'provider_pauses',
  'queue_turns',
  'spend_counts',
  'usage_counters',
  'webhook_activity',
]);

/** Columns with the id of a user that are no foreign keys: they say who did something, also of people who have left. */
const otherUserColumns: Readonly<Record<string, string>> = {
  audit_entries: 'actor_id',
  brake_freezes: 'frozen_by',
};

export interface MovedTable {
  name: string;
  columns: string[];
  /** The condition on the rows of the organization. */
  where: string;
  /** Columns with the id of a user. */
  userColumns: string[];
  /** Columns that may name a row of another table. */
  namingColumns: string[];
}

export interface MovePlan {
  /** Parents before children. */
  tables: MovedTable[];
  /** The tables that the organization is written through, with the condition on its rows. */
  fenced: { table: string; when: string }[];
  /** The tables whose rows have an id that others may name, with the condition on those of the organization. */
  identified: { table: string; where: string }[];
}

interface TableRow {
  name: string;
  columns: string[];
  uuidColumns: string[];
  /** Whether the primary key begins with a uuid called `id`. */
  isIdentified: boolean;
}

/** Lists what belongs to an organization from the catalogs, so that a new column or table is never forgotten. */
export async function planMove(
  sql: Sql,
  organizationId: string,
  environmentIds: string[],
): Promise<MovePlan> {
  const tables = await query<TableRow>(sql, tablesQuery);
  const references = await query<{ table: string; column: string; parent: string }>(sql, referencesQuery);
  const names = new Map(tables.map((table) => [table.name, table]));
  const environments = `any ('{${environmentIds.join(',')}}'::uuid[])`;

  function ownerCondition({ columns }: TableRow): string | null {
    if (columns.includes('organization_id')) return `organization_id = '${organizationId}'`;
    return columns.includes('environment_id') ? `environment_id = ${environments}` : null;
  }

  function whereOf(name: string): string {
    if (name === 'organizations') return `id = '${organizationId}'`;
    if (name === 'users') {
      const people = references.filter(({ table, parent }) => parent === 'users' && moves(table));
      return people
        .map(({ table, column }) => `id in (select ${column} from ${table} where ${whereOf(table)})`)
        .join(' or ');
    }
    const child = children[name];
    if (child) return `${child[0]} in (select id from ${child[1]} where ${whereOf(child[1])})`;
    const table = names.get(name);
    const owner = table && ownerCondition(table);
    if (owner) return owner;
    throw new Error(
      `The table ${name} has neither organization_id nor environment_id: say in operator/move/tables.ts whether it moves with an organization.`,
    );
  }

  function moves(name: string): boolean {
    return !leftBehind.has(name) && !isQueue(name);
  }

  const moved = new Map(
    tables
      .filter(({ name }) => moves(name))
      .map(({ name, columns, uuidColumns, isIdentified }): [string, MovedTable] => {
        const users = references.filter(({ table, parent }) => table === name && parent === 'users');
        const other = otherUserColumns[name];
        const userColumns = [...users.map(({ column }) => column), ...(other ? [other] : [])];
        // `where` looks at the parent already, and an id of its own that is taken fails the insert.
        const namingColumns = uuidColumns.filter(
          (column) =>
            !(column === 'id' && isIdentified) && column !== children[name]?.[0] && column !== other,
        );
        return [name, { name, columns, where: whereOf(name), userColumns, namingColumns }];
      }),
  );

  /** A row comes after those that it refers to: foreign keys are checked at once. Deletes go the other way. */
  const ordered: MovedTable[] = [];
  function place(table: MovedTable): void {
    if (ordered.includes(table)) return;
    const { columns } = table;
    const parents = [
      ...references.filter((reference) => reference.table === table.name).map((each) => each.parent),
      ...(columns.includes('organization_id') ? ['organizations'] : []),
      ...(columns.includes('environment_id') ? ['environments'] : []),
      ...(children[table.name]?.slice(1) ?? []),
    ];
    for (const parent of parents) {
      const before = moved.get(parent);
      if (before && before !== table) place(before);
    }
    ordered.push(table);
  }
  for (const table of moved.values()) place(table);

  const fenced = tables.flatMap((table) => {
    const when = ownerCondition(table);
    const isOpen = unfenced.has(table.name) || leftBehind.has(table.name) || table.name === 'queue_held';
    return when === null || isOpen ? [] : [{ table: table.name, when }];
  });
  // The queue last: rows that arrive meanwhile are set aside at once, before a worker meets the fence with them.
  const isQueued = ({ table }: { table: string }): boolean => table.startsWith('queue_');
  const identified = tables
    .filter(({ name, isIdentified }) => isIdentified && (moves(name) || isQueue(name)))
    .map(({ name }) => ({ table: name, where: whereOf(name) }));
  return {
    tables: ordered,
    identified,
    fenced: [...fenced.filter((each) => !isQueued(each)), ...fenced.filter(isQueued)],
  };
}

const tablesQuery = `
  select quote_ident(t.relname) as name, array(
    select quote_ident(a.attname) from pg_attribute a
    where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum) as columns,
    array(
      select quote_ident(a.attname) from pg_attribute a
      where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and a.atttypid = 'uuid'::regtype
      order by a.attnum) as "uuidColumns",
    exists (
      select from pg_index i join pg_attribute a on a.attrelid = t.oid and a.attnum = i.indkey[0]
      where i.indrelid = t.oid and i.indisprimary and a.attname = 'id' and a.atttypid = 'uuid'::regtype) as "isIdentified"
  from pg_class t
  where t.relnamespace = 'public'::regnamespace and t.relkind in ('r', 'p') and not t.relispartition
  order by t.relname collate "C"`;

const referencesQuery = `
  select quote_ident(t.relname) as table, quote_ident(a.attname) as column, quote_ident(p.relname) as parent
  from pg_constraint c
  join pg_class t on t.oid = c.conrelid
  join pg_class p on p.oid = c.confrelid
  join pg_attribute a on a.attrelid = t.oid and a.attnum = any (c.conkey)
  where c.contype = 'f' and c.conparentid = 0 and c.connamespace = 'public'::regnamespace and not t.relispartition
  order by 1, 2`;
