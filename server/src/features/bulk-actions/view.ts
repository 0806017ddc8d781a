import type { BulkAction } from './schema.ts';
import type { BulkActionRow } from './store.ts';

export function viewOf(row: BulkActionRow, now: number): BulkAction {
  return {
    id: row.id,
    action: row.action,
    status: row.status,
    filter: row.filter,
    total: row.total,
    done: row.done,
    skipped: row.skipped,
    started_at: row.started_at.toISOString(),
    estimated_end_at: estimatedEnd(row, now),
    completed_at: row.completed_at?.toISOString() ?? null,
  };
}

function estimatedEnd(
  { status, total, done, skipped, started_at }: BulkActionRow,
  now: number,
): string | null {
  const worked = done + skipped;
  if (status !== 'running' || total === null || worked === 0) return null;
  const left = Math.max(0, total - worked);
  return new Date(now + ((now - started_at.getTime()) * left) / worked).toISOString();
}
