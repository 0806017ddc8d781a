import type { Pool, Sql } from '../../../db/sql.ts';
import { Problem } from '../../../kernel/errors.ts';
import { ObjectStoreError } from '../../../kernel/object-store.ts';
import {
  type Draft,
  type Drafts,
  findOriginalsToResend,
  listContentSizes,
  markRedriven,
  type NotificationRow,
  type Sender,
} from '../../notifications/notifications/index.ts';

/** A slice of a redrive, composed before its transaction: the originals and the notifications that take their place. */
export type RedriveSlice = { originalId: string; draft: Draft }[];

/** A slice of 200 bodies of 2 MB would fill the memory and hold the event loop. */
const maxSliceBytes = 4_000_000;

/** The first of these originals, as many as fit into a slice: at least one. */
export async function fittingOriginals(pool: Pool, ids: string[]): Promise<string[]> {
  const sizes = await listContentSizes(pool, ids);
  let bytes = 0;
  const end = ids.findIndex((id) => {
    bytes += sizes.get(id) ?? 0;
    return bytes > maxSliceBytes;
  });
  return end === -1 ? ids : ids.slice(0, Math.max(1, end));
}

/**
 * Reads and composes outside of a transaction, which must not wait for the object store. Originals that cannot be resent are left
 * out.
 */
export async function composeRedrive(
  pool: Pool,
  drafts: Drafts,
  sender: Sender,
  ids: string[],
): Promise<RedriveSlice> {
  const originals = await findOriginalsToResend(pool, sender.environmentId, ids);
  const composed = await Promise.all(
    originals.map(async (original) => ({
      originalId: original.id,
      draft: await drafts.resend(sourceOf(original, sender), original).catch(asProblem),
    })),
  );
  return composed.flatMap(({ originalId, draft }) =>
    draft instanceof Problem ? [] : [{ originalId, draft }],
  );
}

/** What a workflow sent still counts for the limits of the workflow; the rest counts for the key that redrives it. */
function sourceOf(
  { source_id, chain }: Pick<NotificationRow, 'source_id' | 'chain'>,
  sender: Sender,
): Sender {
  if (source_id === null || chain === null) return sender;
  return { ...sender, kind: 'workflow', id: source_id, chain };
}

/** One body that is lost must not stop the others; a store that does not answer must. */
function asProblem(error: unknown): Problem {
  const isLost =
    error instanceof ObjectStoreError && (error.failure === 'missing' || error.failure === 'altered');
  if (!isLost) throw error;
  return new Problem('notification_not_resendable', 'The body is no longer stored.', { cause: error });
}

/** Writes a slice. Returns the drafts that were written: an original that was redriven before is left out. */
export async function writeRedrive(
  tx: Sql,
  withCommit: (statement: Promise<unknown>) => void,
  drafts: Drafts,
  environmentId: string,
  slice: RedriveSlice,
  now: number,
): Promise<Draft[]> {
  const refused = await drafts.refused(
    tx,
    slice.map(({ draft }) => draft),
  );
  const wanted = slice.filter(({ draft }) => !refused.has(draft.id));
  const marked = await markRedriven(
    tx,
    environmentId,
    wanted.map(({ originalId, draft }) => ({
      id: originalId,
      trace: [
        {
          at: new Date(now).toISOString(),
          kind: 'decision',
          name: 'redriven',
          verdict: 'resend',
          detail: `Sent again as ${draft.id}.`,
        },
      ],
    })),
  );
  const written = wanted.filter(({ originalId }) => marked.has(originalId)).map(({ draft }) => draft);
  drafts.write(tx, withCommit, written);
  return written;
}
