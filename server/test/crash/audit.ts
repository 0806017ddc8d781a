import { setTimeout as delay } from 'node:timers/promises';
import type { ReceivedMail } from '../simulators/smtp.ts';
import type { Processes } from './processes.ts';

/** What the promise comes down to. Each list names the notifications that broke it; all should be empty. */
export interface Audit {
  counts: Record<string, number>;
  /** Acknowledged and not there, not at an end, or said to be sent without having been handed over. */
  lost: string[];
  /** Made twice for one key, sent twice, or handed over twice where that must not happen. */
  duplicated: string[];
}

interface Life {
  [column: string]: unknown;
  id: string;
  environment: 'test' | 'live';
  status: string;
  priority: string;
  idempotency_key: string;
  last_error: string | null;
  attempt_count: number;
  sent_events: number;
  kept: number;
}

const settleWithinMs = 90_000;

/** All but inbox items and what workflows send, which have tests of their own. */
const lives = `
  select n.id, e.kind as environment, n.status, n.priority, n.idempotency_key, n.last_error, n.attempt_count,
    (select count(*)::int from jsonb_array_elements(n.events) v where v->>'type' = 'Sent') as sent_events,
    (select count(*)::int from sandbox_messages s where s.notification_id = n.id) as kept
  from notifications_readable n join environments e on e.id = n.environment_id
  where coalesce(n.idempotency_key, '') !~ '^(item-|run:)'`;

/** Waits until nothing is under way any more. */
export async function settled(processes: Processes): Promise<void> {
  for (const deadline = Date.now() + settleWithinMs; Date.now() < deadline; await delay(100)) {
    const [row] = await processes.ask<{ open: number }>(
      `select count(*)::int as open from notifications where status = 'queued'`,
    );
    if (row?.open === 0) return;
  }
}

/** Compares what callers were told, what the database says, and what providers got. */
export async function audit(
  processes: Processes,
  acknowledged: ReadonlyMap<string, string>,
  mails: readonly ReceivedMail[],
): Promise<Audit> {
  const rows = await processes.ask<Life>(lives);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const handovers = countMails(mails);
  const lost: string[] = [];
  const duplicated: string[] = [];

  for (const [key, id] of acknowledged) {
    const life = byId.get(id);
    if (!life) lost.push(`${key}: ${id} was acknowledged and is not there`);
    else if (life.idempotency_key !== key) lost.push(`${key}: ${id} belongs to ${life.idempotency_key}`);
  }
  const keys = new Set<string>();
  for (const life of rows) {
    const mailed = handovers.get(life.id) ?? 0;
    const described = JSON.stringify({ ...life, mailed });
    if (keys.has(life.idempotency_key)) duplicated.push(`one key, two notifications: ${described}`);
    keys.add(life.idempotency_key);
    if (!endedWell(life, mailed)) lost.push(described);
    if (life.sent_events > 1 || life.kept > 1) duplicated.push(`sent twice: ${described}`);
    if (mailed > (life.priority === 'critical' ? 2 : 1)) duplicated.push(`mailed too often: ${described}`);
  }

  const live = rows.filter((row) => row.environment === 'live');
  const unknown = live.filter((row) => row.status === 'failed');
  return {
    lost,
    duplicated,
    counts: {
      acknowledged: acknowledged.size,
      notifications: rows.length,
      'through the sandbox': rows.length - live.length,
      'through SMTP': live.length,
      'outcome unknown, said so': unknown.length,
      'outcome unknown, had arrived': unknown.filter((row) => handovers.has(row.id)).length,
      'critical, mailed again': live.filter((row) => (handovers.get(row.id) ?? 0) > 1).length,
      'more than one attempt': rows.filter((row) => row.attempt_count > 1).length,
    },
  };
}

/** The sandbox recognises repeats, so everything arrives. SMTP does not: there a lost answer is said, unless it is critical. */
function endedWell(life: Life, mailed: number): boolean {
  if (life.environment === 'test')
    return life.status === 'delivered' && life.sent_events === 1 && life.kept === 1;
  if (life.status === 'sent') return life.sent_events === 1 && mailed >= 1;
  return (
    (life.priority !== 'critical' || life.attempt_count > 1) && // sent once more, and killed again
    life.status === 'failed' &&
    life.sent_events === 0 &&
    (life.last_error?.startsWith('outcome_unknown') ?? false)
  );
}

/** By notification: its id is in the Message-ID. */
function countMails(mails: readonly ReceivedMail[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { raw } of mails) {
    const id = /^Message-ID: <([0-9a-f-]{36})@/im.exec(raw.toString('latin1'))?.[1] ?? 'none';
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}
