import { idTime } from '../../../kernel/ids.ts';
import { endAtRate, progressView } from '../../../kernel/progress.ts';
import { isoTime } from '../../../kernel/time-zone.ts';
import { addChanges, type CountChanges } from './counts-store.ts';
import type { Broadcast, BroadcastProgress } from './schema.ts';
import type { BroadcastRow } from './store.ts';

/** `changes` are those that are not yet part of the counts. */
export function viewOf(row: BroadcastRow, changes: CountChanges, now: number): Broadcast {
  const { id, name, status, pause_reason, channels, request, template_key, category, timezone } = row;
  return {
    id,
    name,
    status,
    pause_reason,
    channels,
    audience: request.audience,
    template_key,
    category,
    send_at: request.send_at ?? null,
    send_at_local: row.send_at_local,
    timezone,
    rate_per_second: row.rate_per_second,
    created_at: isoTime(idTime(id)),
    progress: progressOf({ ...row, counts: addChanges(row.counts, changes) }, now),
  };
}

function progressOf(row: BroadcastRow, now: number): BroadcastProgress {
  const done = doneOf(row);
  return {
    ...progressView({ ...row, total: totalOf(row), done }, estimatedEnd(row, done, now)),
    skipped: row.skipped,
    counts: Object.fromEntries(Object.entries(row.counts).filter(([, count]) => count > 0)),
    started_at: row.started_at?.toISOString() ?? null,
  };
}

/** Users may join the audience after it was counted. */
function totalOf({ total, recipients, skipped }: BroadcastRow): number {
  return Math.max(total, recipients + skipped);
}

/** Users whose notification is no longer queued, or who have no address. */
export function doneOf({ recipients, skipped, counts }: BroadcastRow): number {
  return recipients - (counts.queued ?? 0) + skipped;
}

/** At the rate since the start or the last resume; not before the last local time. Null while there is no rate. */
function estimatedEnd(row: BroadcastRow, done: number, now: number): number | null {
  if (row.status !== 'running' || !row.measured_at) return null;
  const elapsedMs = now - row.measured_at.getTime();
  const rate = { done: done - row.measured_done, left: totalOf(row) - done, elapsedMs };
  const end = endAtRate(rate, now);
  const last = row.last_send_at?.getTime() ?? 0;
  if (end === null) return last > now ? last : null;
  return Math.max(last, Math.ceil(end));
}
