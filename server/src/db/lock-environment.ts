import { type Sql, statement } from './sql.ts';

const lock = statement('environment_lock', 'select from environments where id = $1 for no key update');

/** Locks an environment until the transaction ends: of two changes at the same time, the second sees the first, so limits hold. */
export async function lockEnvironment(tx: Sql, environmentId: string): Promise<void> {
  await lock(tx, [environmentId]);
}
