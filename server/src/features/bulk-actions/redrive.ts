import type { Pool, Sql } from '../../db/sql.ts';
import { Problem } from '../../kernel/errors.ts';
import {
  type Draft,
  type Drafts,
  findNotifications,
  markRedriven,
  type Sender,
} from '../notifications/index.ts';

/** A slice of a redrive, composed before its transaction: the originals and the notifications that take their place. */
export type RedriveSlice = { originalId: string; draft: Draft }[];

/** Reads and composes outside of a transaction, which must not wait for the object store. */
export async function composeRedrive(
  pool: Pool,
  drafts: Drafts,
  sender: Sender,
  ids: string[],
): Promise<RedriveSlice> {
  const originals = await findNotifications(pool, sender.environmentId, ids);
  const composed = await Promise.all(
    originals.map(async (original) => ({
      originalId: original.id,
      draft: await drafts.resend(sender, original),
    })),
  );
  return composed.flatMap(({ originalId, draft }) =>
    draft instanceof Problem ? [] : [{ originalId, draft }],
  );
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
