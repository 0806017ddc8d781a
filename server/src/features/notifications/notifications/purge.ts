import { deleteInSlices } from '../../../db/slices.ts';
import { type Sql, statement, transaction } from '../../../db/sql.ts';
import { lowestIdAt, type ScopedId } from '../../../kernel/ids.ts';
import { clearAuditValues, recordAuditBatch, serviceAuthor } from '../../platform/audit/index.ts';
import { releaseSql } from '../../platform/objects/index.ts';

/** Attachments whose bytes were deleted. */
interface Purged {
  notification_id: string;
  environment_id: string;
  organization_id: string;
  files: { filename: string; content_type: string; size_bytes: number; sha256: string }[];
}

const purge = statement<Purged>(
  'notifications_purge_bytes',
  // The digest is computed from the bytes as they are deleted: that reads them once more, and stores nothing extra before.
  `with deleted as (
     delete from attachment_bytes where notification_id = any ($1::uuid[])
     returning notification_id, position, octet_length(bytes) as size_bytes, sha256(bytes) as sha256),
   released as (${releaseSql('$1::uuid[]', '(position is not null or $2)')}),
   purged as (
     select notification_id, position, size_bytes, encode(sha256, 'hex') as sha256
     from (select * from deleted union all select * from released where position is not null) as files)
   select p.notification_id, n.environment_id, e.organization_id,
     json_agg(json_build_object(
       'filename', c.attachments -> p.position::int ->> 'filename',
       'content_type', c.attachments -> p.position::int ->> 'content_type',
       'size_bytes', p.size_bytes, 'sha256', p.sha256) order by p.position) as files
   from purged p
   join notifications n on n.id = p.notification_id
   join notification_contents c on c.notification_id = p.notification_id
   join environments e on e.id = n.environment_id
   group by 1, 2, 3`,
);

const action = 'attachments.purged';
const targetOf = (notificationId: string): string => `notification:${notificationId}`;

async function purgeBytes(tx: Sql, ids: string[], isErased: boolean): Promise<void> {
  if (ids.length === 0) return;
  const purged = await purge(tx, [ids, isErased]);
  await recordAuditBatch(
    tx,
    purged.map(
      ({ notification_id, environment_id: environmentId, organization_id: organizationId, files }) => ({
        author: serviceAuthor(organizationId, environmentId),
        action,
        target: targetOf(notification_id),
        before: isErased ? null : { attachments: files },
      }),
    ),
  );
}

/** Deletes the bytes and records them in the audit log, both in the caller's transaction. */
export function deleteAttachmentBytes(tx: Sql, ids: string[]): Promise<void> {
  return purgeBytes(tx, ids, false);
}

/** Deletes the bytes and body objects of erased notifications, and the names and digests of their files from the audit log. */
export async function eraseAttachments(tx: Sql, notifications: readonly ScopedId[]): Promise<void> {
  await purgeBytes(
    tx,
    notifications.map(({ id }) => id),
    true,
  );
  await clearAuditValues(
    tx,
    action,
    notifications.map(({ environmentId, id }) => ({ environmentId, target: targetOf(id) })),
  );
}

const listOld = statement<{ id: string }>(
  'notifications_list_old_bytes',
  `(select distinct notification_id as id from attachment_bytes where notification_id < $1::uuid order by 1 limit $2)
   union
   (select distinct notification_id from stored_objects
    where notification_id < $1::uuid and position is not null and state = 'stored' order by 1 limit $2)
   order by 1 limit $2`,
);

/** A file has up to 15 MiB, so slices are small. */
const sliceSize = 20;
const keptMs = 7 * 86_400_000;

/** Deletes attachment bytes after seven days, regardless of what became of their notifications. */
export const tidyAttachments = deleteInSlices(sliceSize, ({ pool, clock }, limit) =>
  transaction(pool, async (tx) => {
    const ids = (await listOld(tx, [lowestIdAt(clock() - keptMs), limit])).map(({ id }) => id);
    await deleteAttachmentBytes(tx, ids);
    return ids.length;
  }),
);
