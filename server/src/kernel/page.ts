import { sha256 } from './crypto.ts';
import { invalidParameter, Problem } from './errors.ts';
import { isUuid } from './ids.ts';

/**
 * Keyset pagination. A cursor is the id of the last row seen, bound to the list (and environment) it came from, so that one
 * from another list is refused instead of silently giving a wrong page.
 */
export interface Page<Row> {
  data: Row[];
  next_cursor: string | null;
}

interface PageQuery {
  cursor?: string | undefined;
  page_token?: string | undefined;
  limit?: number | undefined;
}

export interface PageRequest {
  /** The page has rows with a smaller id; null starts at the newest. */
  before: string | null;
  limit: number;
}

function bindingOf(list: string): string {
  return sha256(list).toString('base64url').slice(0, 6);
}

export function encodeCursor(list: string, id: string): string {
  return bindingOf(list) + Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url');
}

export function decodeCursor(list: string, cursor: string, param = 'cursor'): string {
  const hex = Buffer.from(cursor.slice(6), 'base64url').toString('hex');
  const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  if (cursor.slice(0, 6) !== bindingOf(list) || !isUuid(id)) {
    throw invalidCursor(param);
  }
  return id;
}

/** The cursor of lists that are not ordered by an id: the end of the page, as a text that the list parses again. */
export function encodeOffset(list: string, offset: string): string {
  return bindingOf(list) + Buffer.from(offset).toString('base64url');
}

/** Returns the list's parsed offset, or null when it is not valid: a cursor is untrusted input. */
export function decodeOffset<Place>(
  list: string,
  cursor: string,
  read: (text: string) => Place | null,
): Place {
  const ours = cursor.slice(0, 6) === bindingOf(list);
  const offset = ours ? read(Buffer.from(cursor.slice(6), 'base64url').toString()) : null;
  if (offset === null) throw invalidCursor('cursor');
  return offset;
}

export function invalidCursor(param: string): Problem {
  return new Problem('invalid_cursor', 'The cursor was not returned by this list.', { param });
}

/**
 * `list` names the list and its environment, e.g. `notifications:<environment id>`. Some lists take the cursor as `page_token`
 * too.
 */
export function pageRequest(
  list: string,
  { cursor, page_token: token, limit }: PageQuery,
  defaultLimit = 20,
): PageRequest {
  if (cursor !== undefined && token !== undefined && cursor !== token)
    throw invalidParameter('page_token', 'cursor and page_token mean the same: send one of them.');
  const given = cursor ?? token;
  const param = cursor === undefined ? 'page_token' : 'cursor';
  return {
    before: given === undefined ? null : decodeCursor(list, given, param),
    limit: limit ?? defaultLimit,
  };
}

/**
 * Makes the page from the `limit + 1` rows that a store read; the extra row only shows that there are more. `reach` is the end
 * of the scan, when the store did not scan to the end (db/filtered-page.ts).
 */
export function pageOf<Row extends { id: string }>(
  list: string,
  rows: Row[],
  limit: number,
  reach: string | null = null,
): Page<Row> {
  const data = rows.slice(0, limit);
  const last = rows.length > limit ? (data.at(-1)?.id ?? null) : reach;
  return { data, next_cursor: last === null ? null : encodeCursor(list, last) };
}

/** The page of a list with offsets for cursors, from the `limit + 1` rows that a store read. */
export function pageByOffset<Row>(
  list: string,
  rows: Row[],
  limit: number,
  offsetOf: (last: Row) => string,
): Page<Row> {
  const data = rows.slice(0, limit);
  const last = rows.length > limit ? data.at(-1) : undefined;
  return { data, next_cursor: last === undefined ? null : encodeOffset(list, offsetOf(last)) };
}

/** Returns how many of the first rows, by their sizes, fit on a page together: at least one. */
export function countFitting(sizes: readonly number[], maxTotal: number): number {
  let total = 0;
  const count = sizes.findIndex((size) => {
    total += size;
    return total > maxTotal;
  });
  return count === -1 ? sizes.length : Math.max(1, count);
}
