import { type Sql, statement } from '../../../db/sql.ts';
import type { ObjectReference } from '../../../kernel/object-store.ts';

/** An object of a notification. */
export interface NotificationObject extends ObjectReference {
  id: string;
  notificationId: string;
  /** The position of the attachment; null for the body. */
  position: number | null;
}

/** An upload that was not committed by then never will be: every call and every write has a deadline of seconds. */
const uploadHours = 1;
/** The number of objects that housekeeping handles at once. */
export const sliceSize = 100;

const insertUploading = statement(
  'objects_insert',
  `insert into stored_objects (id, key, environment_id, notification_id, position, size_bytes, sha256, delete_at)
   select id, key, $2, $3, position, size_bytes, decode(sha256, 'hex'), now() + interval '${uploadHours} hours'
   from json_to_recordset($1::json) as i (id uuid, key text, position smallint, size_bytes int, sha256 text)`,
);

/** Announces uploads: an object whose notification is not written is found by its row. */
export async function insertUploads(
  sql: Sql,
  environmentId: string,
  notificationId: string,
  objects: NotificationObject[],
): Promise<void> {
  const rows = objects.map(({ id, key, position, sizeBytes, sha256 }) => ({
    ...{ id, key, position, sha256 },
    size_bytes: sizeBytes,
  }));
  await insertUploading(sql, [JSON.stringify(rows), environmentId, notificationId]);
}

const markUploaded = statement(
  'objects_mark_stored',
  // Fails, and the transaction with it, when housekeeping has taken one of them for abandoned.
  `with stored as (
     update stored_objects set state = 'stored', delete_at = null
     where id = any ($1::uuid[]) and state = 'uploading' returning id)
   select 1 / (count(*) = cardinality($1::uuid[]))::int from stored`,
);

/** In the transaction that writes the notification or its rendered body. */
export async function markStored(tx: Sql, ids: string[]): Promise<void> {
  if (ids.length > 0) await markUploaded(tx, [ids]);
}

/** SQL that gives up the objects of notifications and returns them; `condition` selects among them. */
export const releaseSql = (ids: string, condition = 'true'): string =>
  `update stored_objects set state = 'unused', delete_at = now()
   where notification_id = any (${ids}) and state = 'stored' and ${condition}
   returning notification_id, position, size_bytes, sha256`;

const releaseBodiesOf = statement('objects_release_bodies', releaseSql('$1::uuid[]', 'position is null'));

/** In the transaction that replaces the bodies. */
export async function releaseBodies(tx: Sql, notificationIds: string[]): Promise<void> {
  if (notificationIds.length > 0) await releaseBodiesOf(tx, [notificationIds]);
}

const releaseOrphans = statement<{ id: string }>(
  'objects_release_orphans',
  `update stored_objects set state = 'unused', delete_at = now()
   where id in (
     select o.id from stored_objects o
     where o.notification_id < $1 and o.state = 'stored'
       and not exists (select from notifications n where n.id = o.notification_id)
     order by o.notification_id limit ${sliceSize} for update of o skip locked)
   returning id`,
);

/** Gives up a slice of the objects of notifications before this id that no longer exist. Returns how many there were. */
export async function releaseOrphanedObjects(sql: Sql, beforeId: string): Promise<number> {
  return (await releaseOrphans(sql, [beforeId])).length;
}

interface ObjectRow {
  id: string;
  key: string;
  notification_id: string;
  position: number | null;
  size_bytes: number;
  sha256: string;
}

const listStored = statement<ObjectRow>(
  'objects_list',
  `select id, key, notification_id, position, size_bytes, encode(sha256, 'hex') as sha256 from stored_objects
   where notification_id = any ($1::uuid[]) and state = 'stored' and (position is null) = $2
   order by notification_id, position`,
);

/** The caller has checked that the notifications belong to the environment. */
export async function listObjects(
  sql: Sql,
  notificationIds: string[],
  kind: 'body' | 'attachment',
): Promise<NotificationObject[]> {
  const rows = await listStored(sql, [notificationIds, kind === 'body']);
  return rows.map(
    ({ id, key, notification_id: notificationId, position, size_bytes: sizeBytes, sha256 }) => ({
      ...{ id, key, notificationId, position, sizeBytes, sha256 },
    }),
  );
}

const claimRows = statement<{ id: string; key: string }>(
  'objects_claim_unused',
  // Claimed for a while: another process skips them, and they come back when this one fails. Two installations share the objects
  // of an organization that moves between them, so neither deletes them until the move has ended.
  `update stored_objects set state = 'unused', delete_at = now() + interval '5 minutes'
   where id in (
     select o.id from stored_objects o
     where o.delete_at < now() and not exists (
       select from environments e join organization_moves m on m.organization_id = e.organization_id
       where e.id = o.environment_id)
     order by o.delete_at limit ${sliceSize} for update of o skip locked)
   returning id, key`,
);

/** Returns a slice of the objects that are to be deleted. */
export function claimUnused(sql: Sql): Promise<{ id: string; key: string }[]> {
  return claimRows(sql);
}

const deleteRows = statement('objects_delete', 'delete from stored_objects where id = any ($1::uuid[])');

export async function deleteObjectRows(sql: Sql, ids: string[]): Promise<void> {
  if (ids.length > 0) await deleteRows(sql, [ids]);
}

const findAny = statement<{ id: string }>(
  'objects_find_any',
  'select id from stored_objects order by id limit 1',
);

export async function hasObjects(sql: Sql): Promise<boolean> {
  return (await findAny(sql)).length > 0;
}
