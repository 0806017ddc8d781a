import type { Deps } from '../../../deps.ts';
import { sealBody } from './sealed-body.ts';
import { listUnsealed, sealVersion } from './store.ts';

const batch = 50;

/** Seals the credentials of versions that were saved before sealing was introduced. Processes may run this concurrently. */
export async function sealSavedVersions(
  { pool, keyring }: Pick<Deps, 'pool' | 'keyring'>,
  isStopped: () => boolean,
): Promise<void> {
  for (;;) {
    const rows = await listUnsealed(pool, batch);
    for (const { id, body } of rows) {
      if (isStopped()) return;
      await sealVersion(pool, id, sealBody(keyring, id, body));
    }
    if (rows.length < batch) return;
  }
}
