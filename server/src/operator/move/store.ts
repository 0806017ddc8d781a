import { type Pool, query, type Sql } from '../../db/sql.ts';

interface MoveRecord {
  organization_id: string;
  move_id: string;
  state: 'leaving' | 'moved' | 'arriving';
  moved_to: string | null;
  receipt: string | null;
  activation_code: string | null;
  activation_hash: Buffer;
  rows_done: string;
}

/** Locks the move until the transaction ends. */
export async function findMove(sql: Sql, organizationId: string): Promise<MoveRecord | null> {
  const [row] = await query<MoveRecord>(
    sql,
    'select * from organization_moves where organization_id = $1 for update',
    [organizationId],
  );
  return row ?? null;
}

export async function findOrganization(
  sql: Sql,
  organizationId: string,
): Promise<{ name: string; environmentIds: string[] } | null> {
  const [row] = await query<{ name: string; environments: string[] }>(
    sql,
    `select name, array(select id::text from environments e where e.organization_id = o.id order by id) as environments
     from organizations o where id = $1`,
    [organizationId],
  );
  return row ? { name: row.name, environmentIds: row.environments } : null;
}

export async function listMigrationNames(sql: Sql): Promise<string[]> {
  const rows = await query<{ name: string }>(sql, 'select name from migrations order by name');
  return rows.map(({ name }) => name);
}

/**
 * Runs an export or a release while no other one of the organization runs: each would lower the fence that the other relies on. The
 * lock belongs to a session, so it ends with a process that is killed.
 */
export async function withMoveLock<Result>(
  pool: Pool,
  organizationId: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  const key = [`organization_moves:${organizationId}`];
  let isLocked = false;
  try {
    const [row] = await query<{ locked: boolean }>(
      client,
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as locked',
      key,
    );
    isLocked = row?.locked === true;
    if (!isLocked) throw new Error('Another export or release of this organization is running.');
    return await work();
  } finally {
    const isUsable =
      !isLocked ||
      (await query(client, 'select pg_advisory_unlock(hashtextextended($1, 0))', key).then(
        () => true,
        () => false,
      ));
    client.release(!isUsable);
  }
}
