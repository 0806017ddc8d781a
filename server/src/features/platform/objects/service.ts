import { deleteInSlices } from '../../../db/slices.ts';
import type { Deps } from '../../../deps.ts';
import { queueFull } from '../../../kernel/batcher.ts';
import { Problem } from '../../../kernel/errors.ts';
import { lowestIdAt, newId } from '../../../kernel/ids.ts';
import { type ObjectReference, ObjectStoreError } from '../../../kernel/object-store.ts';
import { sha256Of } from './s3.ts';
import {
  claimUnused,
  deleteObjectRows,
  insertUploads,
  listObjects,
  type NotificationObject,
  releaseOrphanedObjects,
  sliceSize,
} from './store.ts';

/** The bodies of a notification, which are one object. */
export interface Bodies {
  html_body: string | null;
  text_body: string | null;
}

/** The bodies of a notification are in this row, or in the object that it names. */
interface BodyHolder extends Bodies {
  id: string;
  body_object: string | null;
}

/** Uploaded objects of a notification, to be marked as stored in the transaction that writes it. */
export interface UploadedObjects {
  ids: string[];
  /** The object with the bodies; null when they go to the database. */
  bodyId: string | null;
}

/** Attachments and large bodies of notifications in the object store. */
export interface NotificationObjects {
  /** Whether bodies of this size belong in the object store. */
  takesBodies(bodies: Bodies): boolean;
  /** Whether attachments belong in the object store. */
  takesAttachments: boolean;
  /** Throws ObjectStoreError, or a Problem when too much is being uploaded. */
  upload(
    environmentId: string,
    notificationId: string,
    content: { attachments: Buffer[]; bodies: Bodies | null },
  ): Promise<UploadedObjects>;
  /** Returns attachments by their position; empty when there are none in the object store. Throws ObjectStoreError. */
  readAttachments(notificationId: string): Promise<Buffer[]>;
  /** Returns the sizes of the bodies that are in the object store, by the id of their object. */
  bodySizes(rows: BodyHolder[]): Promise<Map<string, number>>;
  /** Returns the rows with their bodies. Throws ObjectStoreError. */
  withBodies<Row extends BodyHolder>(rows: Row[]): Promise<Row[]>;
}

/** What uploads may hold in memory. Beyond it a caller is served sooner by another process, or later. */
const maxUploadingBytes = 64_000_000;

export function createNotificationObjects({
  pool,
  config,
  objectStore: store,
}: Pick<Deps, 'pool' | 'config' | 'objectStore'>): NotificationObjects {
  const threshold = store ? config.CARILLON_S3_BODY_THRESHOLD : null;
  let uploadingBytes = 0;

  async function get(object: ObjectReference): Promise<Buffer> {
    if (!store)
      throw new ObjectStoreError(
        'refused',
        'This process has no settings for the object store (CARILLON_S3_BUCKET).',
      );
    return store.get(object);
  }

  async function bodyObjectsOf(rows: BodyHolder[]): Promise<NotificationObject[]> {
    const ids = rows.filter(({ body_object }) => body_object !== null).map(({ id }) => id);
    return ids.length === 0 ? [] : listObjects(pool, ids, 'body');
  }

  return {
    takesBodies: (bodies) => threshold !== null && sizeOf(bodies) > threshold,
    takesAttachments: store !== null,

    async upload(environmentId, notificationId, { attachments, bodies }) {
      if (!store) throw new Error('There is no object store.');
      const parts = attachments.map((bytes, position) => ({ position: position as number | null, bytes }));
      if (bodies) parts.push({ position: null, bytes: encodeBodies(bodies) });
      const size = parts.reduce((sum, { bytes }) => sum + bytes.length, 0);
      if (uploadingBytes > 0 && uploadingBytes + size > maxUploadingBytes) throw queueFull();
      uploadingBytes += size;
      try {
        const uploads = await Promise.all(
          parts.map(async ({ position, bytes }) => {
            const id = newId();
            const key = keyOf(config.CARILLON_S3_PREFIX, environmentId, id);
            const [sizeBytes, sha256] = [bytes.length, await sha256Of(bytes)];
            return { object: { id, key, notificationId, position, sizeBytes, sha256 }, bytes };
          }),
        );
        const objects = uploads.map(({ object }) => object);
        await insertUploads(pool, environmentId, notificationId, objects);
        await Promise.all(uploads.map(({ object, bytes }) => store.put(object, bytes)));
        return {
          ids: objects.map(({ id }) => id),
          bodyId: objects.find(({ position }) => position === null)?.id ?? null,
        };
      } finally {
        uploadingBytes -= size;
      }
    },

    async readAttachments(notificationId) {
      const objects = await listObjects(pool, [notificationId], 'attachment');
      const files: Buffer[] = [];
      await Promise.all(
        objects.map(async (object) => {
          files[object.position ?? 0] = await get(object);
        }),
      );
      return files;
    },

    async bodySizes(rows) {
      return new Map((await bodyObjectsOf(rows)).map(({ id, sizeBytes }) => [id, sizeBytes]));
    },

    async withBodies(rows) {
      const objects = await bodyObjectsOf(rows);
      const bodies = new Map(
        await Promise.all(
          objects.map(async (object) => {
            const { html_body, text_body } = JSON.parse((await get(object)).toString()) as Bodies;
            return [object.id, { html_body, text_body }] as const;
          }),
        ),
      );
      return rows.map((row) => {
        if (row.body_object === null) return row;
        const own = bodies.get(row.body_object);
        // The bodies were erased or changed since the row was read.
        if (!own) throw new ObjectStoreError('missing', 'The object is no longer stored.');
        return { ...row, ...own };
      });
    },
  };
}

/** The parts separate tenants and days, for lifecycle rules and for people who look into the bucket. */
function keyOf(prefix: string, environmentId: string, id: string): string {
  return `${prefix}${environmentId}/${new Date().toISOString().slice(0, 10)}/${id}`;
}

const encodeBodies = ({ html_body, text_body }: Bodies): Buffer =>
  Buffer.from(JSON.stringify({ html_body, text_body }));

function sizeOf({ html_body: html, text_body: text }: Bodies): number {
  return Buffer.byteLength(html ?? '') + Buffer.byteLength(text ?? '');
}

/** For requests: a failure of the object store is answered with 503. */
export async function orUnavailable<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof ObjectStoreError ? storeUnavailable(error) : error;
  }
}

export function storeUnavailable(error: ObjectStoreError): Problem {
  return new Problem(
    'temporarily_unavailable',
    'The object store for attachments and message bodies is not available. Try again.',
    { headers: { 'retry-after': '5' }, cause: error },
  );
}

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
