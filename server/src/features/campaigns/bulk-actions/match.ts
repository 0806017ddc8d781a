import type { Sql } from '../../../db/sql.ts';
import type { PageRequest } from '../../../kernel/page.ts';
import { listMatched, type MatchedNotification } from '../../notifications/notifications/index.ts';
import type { BulkActionKind, BulkFilter } from './schema.ts';

interface MatchedPage {
  rows: MatchedNotification[];
  /** The position of the next page; null after the last one. */
  next: string | null;
}

/** A page of the notifications that an action is about, newest first. It may be empty and have a next page. */
export async function listMatches(
  sql: Sql,
  environmentId: string,
  action: BulkActionKind,
  filter: BulkFilter,
  page: PageRequest,
): Promise<MatchedPage> {
  const { provider, reason, all: _all, status = 'failed', ...listed } = filter;
  const wanted = { ...listed, status: action === 'cancel' ? ('unsent' as const) : status };
  const { rows, scannedTo } = await listMatched(sql, environmentId, wanted, page, provider !== undefined);
  const shown = rows.slice(0, page.limit);
  return {
    rows: shown.filter((row) => isOfProvider(row, provider) && hasReason(row, reason)),
    next: rows.length > page.limit ? (shown.at(-1)?.id ?? null) : scannedTo,
  };
}

function isOfProvider({ providers }: MatchedNotification, provider: string | undefined): boolean {
  return provider === undefined || Boolean(providers?.includes(provider));
}

function hasReason({ last_error: error }: MatchedNotification, reason: string | undefined): boolean {
  return reason === undefined || Boolean(error?.toLowerCase().includes(reason.toLowerCase()));
}
