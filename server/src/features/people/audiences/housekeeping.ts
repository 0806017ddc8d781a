import type { Sql } from '../../../db/sql.ts';
import { deleteRemovedSubscribers, deleteRemovedTopics } from './store.ts';

const slice = 5_000;

/** Deletes the subscribers of deleted topics, then the topics. */
export async function tidyTopics(sql: Sql, isStopped: () => boolean): Promise<void> {
  while (!isStopped() && (await deleteRemovedSubscribers(sql, slice)) === slice) {}
  await deleteRemovedTopics(sql);
}
