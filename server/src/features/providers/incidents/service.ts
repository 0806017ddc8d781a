import type { Sql } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import type { Incident, PublicIncidents } from '../../../http/incident.ts';
import { answerWithinMs, within } from '../../../http/readiness.ts';
import { idTime, newId } from '../../../kernel/ids.ts';
import { type IncidentRow, insertIncident, listShown, updateIncident } from './store.ts';

const freshMs = 1_000;

/**
 * Reads the data of the status page. The page is public: any number of requests cost one query a second. While the database is
 * unavailable, the page shows the last data that was read.
 */
export function createIncidentBoard({
  pool,
  clock,
}: Pick<Deps, 'pool' | 'clock'>): () => Promise<PublicIncidents> {
  let last: PublicIncidents = { active: [], recent: [] };
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | null = null;

  async function read(): Promise<void> {
    const rows = (await listShown(pool)).map(viewOf);
    last = {
      active: rows.filter(({ status }) => status === 'active'),
      recent: rows.filter(({ status }) => status === 'resolved'),
    };
    readAt = clock();
  }

  return async () => {
    if (clock() - readAt < freshMs) return last;
    reading ??= read().finally(() => {
      reading = null;
    });
    await within(answerWithinMs, reading).catch(() => {});
    return last;
  };
}

function viewOf(row: IncidentRow): Incident {
  return {
    id: row.id,
    title: row.title,
    status: row.resolved_at ? 'resolved' : 'active',
    source: row.provider === null ? 'operator' : 'provider',
    started_at: timeOf(row.id),
    resolved_at: row.resolved_at?.toISOString() ?? null,
    updates: row.updates.map(({ id, message }) => ({ message, created_at: timeOf(id) })),
  };
}

const timeOf = (id: string): string => new Date(idTime(id)).toISOString();

/** Returns the id; null when this provider already has an active incident. */
export async function openIncident(
  sql: Sql,
  { title, message, provider = null }: { title: string; message: string; provider?: string | null },
): Promise<string | null> {
  const id = newId();
  const made = await insertIncident(sql, { id, title, provider, update: { id: newId(), message } });
  return made ? id : null;
}

/** Returns the title; null when there is no active incident with this id. */
export function addUpdate(sql: Sql, id: string, message: string): Promise<string | null> {
  return updateIncident(sql, id, { id: newId(), message }, false);
}

export function resolveIncident(sql: Sql, id: string, message: string): Promise<string | null> {
  return updateIncident(sql, id, { id: newId(), message }, true);
}
