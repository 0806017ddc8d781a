import { deleteInSlices } from '../../../db/slices.ts';
import type { Deps } from '../../../deps.ts';
import { lowestIdAt } from '../../../kernel/ids.ts';
import { ObjectStoreError } from '../../../kernel/object-store.ts';
import { claimUnused, deleteObjectRows, releaseOrphanedObjects, sliceSize } from './store.ts';

/** Deletes the objects that no notification needs: erased, sent or never committed. What fails is tried again in minutes. */
export async function tidyObjects(
  { pool, objectStore: store, log }: Pick<Deps, 'pool' | 'objectStore' | 'log'>,
  isStopped: () => boolean,
): Promise<void> {
  if (!store) return;
  for (let found = sliceSize; found === sliceSize && !isStopped(); ) {
    const claimed = await claimUnused(pool);
    found = claimed.length;
    const failures: ObjectStoreError[] = [];
    const deleted = await Promise.all(
      claimed.map(async ({ id, key }) => {
        try {
          await store.delete(key);
          return [id];
        } catch (error) {
          if (!(error instanceof ObjectStoreError)) throw error;
          failures.push(error);
          return [];
        }
      }),
    );
    await deleteObjectRows(pool, deleted.flat());
    if (failures[0]) {
      log.warn(
        { err: failures[0], objects: failures.length },
        'objects could not be deleted; they will be retried',
      );
      return;
    }
  }
}

/** Gives up the objects of notifications that retention has deleted. */
export const releaseForgottenObjects = (beforeMs: number) =>
  deleteInSlices(sliceSize, ({ pool }) => releaseOrphanedObjects(pool, lowestIdAt(beforeMs)));
