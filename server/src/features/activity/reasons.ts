import { idTime } from '../../kernel/ids.ts';
import type { MissedRow } from '../notifications/index.ts';
import { limits, type OverviewFailure } from './schema.ts';

const maxReason = 200;

/**
 * Parts of a reason that differ between notifications: without them, equal causes have equal texts, and no text identifies a
 * person.
 */
const particulars: [RegExp, string][] = [
  [/[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]+@[\p{L}\p{N}.-]+/gu, '…'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '…'],
  [/\b\d{4}-\d{2}-\d{2}T[\d:.]+Z?/g, '…'],
  [/\+?\d{7,}/g, '…'],
];

export function reasonOf(text: string | null): string {
  const plain = particulars.reduce(
    (left, [pattern, instead]) => left.replace(pattern, instead),
    text ?? 'unknown',
  );
  return plain.length > maxReason ? `${plain.slice(0, maxReason - 1)}…` : plain;
}

/** Groups by reason, most frequent first; rows come newest first. */
export function groupByReason(rows: readonly MissedRow[]): OverviewFailure[] {
  const groups = new Map<string, OverviewFailure>();
  for (const { id, channel, status, reason: text } of rows) {
    const reason = reasonOf(text);
    const key = `${channel} ${status} ${reason}`;
    const group = groups.get(key);
    if (group) group.count += 1;
    else {
      const last_at = new Date(idTime(id)).toISOString();
      groups.set(key, { reason, status, channel, count: 1, last_at, sample_notification_id: id });
    }
  }
  return [...groups.values()].sort((a, b) => b.count - a.count).slice(0, limits.failures);
}
