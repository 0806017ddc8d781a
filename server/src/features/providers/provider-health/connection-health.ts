import type { Carrier, Outcome } from '../../../channels/contract.ts';
import { type Sql, statement } from '../../../db/sql.ts';
import { createBatcher } from '../../../kernel/batcher.ts';
import { createCache } from '../../../kernel/cache.ts';
import { steadyClock } from '../../../kernel/clock.ts';
import { storableJson } from '../../../kernel/json.ts';
import type { Log } from '../../../kernel/log.ts';

/**
 * The health of a connection according to its last calls. `broken`: the service refused us as a whole, and is tried again;
 * `gone`: these credentials will never work again, and the connection is not called until it gets new ones.
 */
export const connectionStatuses = ['active', 'broken', 'gone'] as const;
export type ConnectionStatus = (typeof connectionStatuses)[number];

export interface ConnectionHealthRow {
  status: ConnectionStatus;
  last_success_at: Date | null;
  last_failure_at: Date | null;
  last_failure_reason: string | null;
}

/** A connection at one revision of its credentials: an outcome does not apply to the next revision. */
export interface ConnectionRevision extends Pick<ConnectionHealthRow, 'status' | 'last_failure_reason'> {
  id: string;
  revision: number;
}

interface ConnectionHealth {
  /**
   * Wraps a carrier so that its outcomes are recorded; the carrier reports when its connection is gone, and must not be called
   * then.
   */
  observe(carrier: Carrier, subject: ConnectionRevision): Carrier;
}

interface Note {
  id: string;
  revision: number;
  success_at: string | null;
  failure_at: string | null;
  reason: string | null;
  status: ConnectionStatus | null;
}

interface Page {
  writtenAt: number;
  note: Note | null;
  timer: NodeJS.Timeout | null;
}

const spacingMs = 1_000;
const maxReason = 500;

const markIn = (table: string) =>
  statement(
    `connections_mark_${table}`,
    `update ${table} c set
       last_success_at = coalesce(i.success_at, c.last_success_at),
       last_failure_at = coalesce(i.failure_at, c.last_failure_at),
       last_failure_reason = coalesce(i.reason, c.last_failure_reason),
       status = coalesce(i.status, c.status)
     from json_to_recordset($1::json) as i (id uuid, revision int, success_at timestamptz, failure_at timestamptz,
       reason text, status text)
     where c.id = i.id and c.revision = i.revision`,
  );

const marks = {
  chat_endpoints: markIn('chat_endpoints'),
  chatone_installations: markIn('chatone_installations'),
};

export function createConnectionHealth(
  { pool, clock, log }: { pool: Sql; clock: () => number; log: Log },
  table: keyof typeof marks,
  isGone: (code: string | null) => boolean,
): ConnectionHealth {
  const writes = createBatcher<Note, undefined>(
    async (notes) => {
      await marks[table](pool, [storableJson(notes)]);
      return notes.map(() => undefined);
    },
    { concurrency: 1, maxItems: 200 },
  );
  // A busy endpoint has thousands of outcomes a second and one row: the row is written at most once a second, with the latest
  // outcome.
  const pages = createCache<Page>(10_000);

  async function write(page: Page): Promise<void> {
    const { note } = page;
    if (!note) return;
    page.note = null;
    page.timer = null;
    page.writtenAt = steadyClock();
    await writes
      .add(note)
      .catch((error) => log.warn({ err: error }, 'failed to write the health of a connection'));
  }

  async function record({ id, revision }: ConnectionRevision, outcome: Outcome): Promise<void> {
    const note = noteOf(outcome, new Date(clock()).toISOString(), isGone);
    if (!note) return;
    const name = `${id} ${revision}`;
    const page = pages.get(name) ?? { writtenAt: -spacingMs, note: null, timer: null };
    pages.set(name, page);
    page.note = { id, revision, ...merged(page.note, note) };
    if (page.timer) return;
    const waitMs = page.writtenAt + spacingMs - steadyClock();
    if (waitMs <= 0) return write(page);
    page.timer = setTimeout(() => void write(page), waitMs).unref();
  }

  return {
    observe: (carrier, subject) => ({
      ...carrier,
      ...(subject.status === 'gone' ? { gone: subject.last_failure_reason ?? 'It is gone.' } : {}),
      async send(message, signal) {
        const outcome = await carrier.send(message, signal);
        await record(subject, outcome);
        return outcome;
      },
    }),
  };
}

type ConnectionChange = Omit<Note, 'id' | 'revision'>;

/** Returns null when the outcome says nothing about the connection. */
function noteOf(
  outcome: Outcome,
  at: string,
  isGone: (code: string | null) => boolean,
): ConnectionChange | null {
  switch (outcome.kind) {
    case 'accepted':
      return { success_at: at, failure_at: null, reason: null, status: 'active' };
    case 'throttled':
      return null;
    case 'broken':
      return { ...failure(outcome, at), status: isGone(outcome.code) ? 'gone' : 'broken' };
    case 'retry':
    case 'rejected':
    case 'suppress':
    case 'ambiguous':
      return failure(outcome, at);
  }
}

function failure({ detail }: Outcome, at: string): ConnectionChange {
  return { success_at: null, failure_at: at, reason: detail.slice(0, maxReason), status: null };
}

function merged(before: ConnectionChange | null, after: ConnectionChange): ConnectionChange {
  return {
    success_at: after.success_at ?? before?.success_at ?? null,
    failure_at: after.failure_at ?? before?.failure_at ?? null,
    reason: after.reason ?? before?.reason ?? null,
    status: after.status ?? before?.status ?? null,
  };
}

export function connectionHealthView({
  status,
  last_success_at,
  last_failure_at,
  last_failure_reason,
}: ConnectionHealthRow) {
  return {
    status,
    last_success_at: last_success_at?.toISOString() ?? null,
    last_failure_at: last_failure_at?.toISOString() ?? null,
    last_failure_reason,
  };
}
