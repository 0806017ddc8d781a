import { waitUntil } from '../harness/app.ts';
import type { ReceivedMail } from '../simulators/smtp.ts';
import type { DatabaseServer } from './database-pair.ts';

/** What a failover must leave empty. */
interface FailoverAudit {
  /** Acknowledged, and not in the database. */
  lost: string[];
  /** Not sent in the end, with the reason. */
  unsent: string[];
  /** Mails that did not arrive exactly once. */
  miscounted: string[];
}

interface LetterRow {
  id: string;
  status: string;
  last_error: string | null;
  idempotency_key: string;
}

/** Waits until the queue of the new primary is empty, and compares it with what callers and the mail server know. */
export async function auditFailover(
  primary: DatabaseServer,
  acknowledged: ReadonlyMap<string, string>,
  received: readonly ReceivedMail[],
): Promise<FailoverAudit> {
  const messages = await waitUntil(async () => {
    const rows = await primary.ask<LetterRow>(
      'select id, status, last_error, idempotency_key from notifications where idempotency_key is not null',
    );
    const open = rows.filter(({ status }) => status === 'queued' || status === 'sending').length;
    return open === 0 ? rows : new Error(`${open} of ${rows.length} are open`);
  }, 60_000);
  const mailsOf = new Map<string, number>(messages.map(({ id }) => [id, 0]));
  for (const { raw } of received) {
    const id = /^Message-ID: <([0-9a-f-]{36})@/im.exec(raw.toString('latin1'))?.[1] ?? 'none';
    mailsOf.set(id, (mailsOf.get(id) ?? 0) + 1);
  }
  const idOf = new Map(messages.map(({ id, idempotency_key }) => [idempotency_key, id]));
  return {
    lost: [...acknowledged].filter(([key, id]) => idOf.get(key) !== id).map(([key]) => key),
    unsent: messages
      .filter(({ status }) => status !== 'sent')
      .map(({ id, status, last_error }) => `${id} ${status} ${last_error}`),
    miscounted: [...mailsOf].filter(([, count]) => count !== 1).map(([id, count]) => `${id} ${count}`),
  };
}
