import { query, type Sql } from '../../../db/sql.ts';
import { joinPostponed, postponedIdsSql, postponedSql } from '../../../queue/index.ts';
import { holdPrefix } from '../../control/brake/index.ts';

/** Why a notification waits, or why it ended without a send: derived from its work in the queue and its reason, so it is never stale. */
export const statusDetails = [
  'scheduled',
  'held',
  'paused',
  'quiet_hours',
  'throttled',
  'retrying',
  'cancelled',
  'held_expired',
  'expired',
] as const;
export type StatusDetail = (typeof statusDetails)[number];

/** The names that postponed notifications wait for besides their time, if they do not wait for their connection. */
export const waitNames = { hold: holdPrefix, broadcast: 'broadcast:', quietHours: 'quiet_hours' } as const;

interface WaitRule {
  /** SQL about the postponed work `later` and the notification. */
  applies: (notification: string) => string;
  /** SQL about the postponed work, by its index of names; absent when the work may wait for its time alone. */
  isNamed?: string;
}

const startsWith = (prefix: string): WaitRule['applies'] => {
  return () => `starts_with(later.waits_for, '${prefix}')`;
};

/** The first that applies. The ranges of names leave out punctuation, which collations may ignore. */
const waits: Partial<Record<StatusDetail, WaitRule>> = {
  held: { applies: startsWith(waitNames.hold), isNamed: `waits_for >= 'hold' and waits_for < 'hole'` },
  paused: {
    applies: startsWith(waitNames.broadcast),
    isNamed: `waits_for >= 'broadcast' and waits_for < 'broadcasu'`,
  },
  scheduled: { applies: (notification) => `${notification}.send_at > now()` },
  quiet_hours: {
    applies: startsWith(waitNames.quietHours),
    isNamed: `waits_for = '${waitNames.quietHours}'`,
  },
  throttled: { applies: () => `later.note ? 'waiting'` },
  retrying: { applies: () => `later.note ?| array['due', 'objects']` },
};

/** The suppression reasons behind a detail. */
const reasons: Partial<Record<StatusDetail, readonly string[]>> = {
  cancelled: ['cancelled', 'held_cancelled', 'broadcast_cancelled'],
  held_expired: ['held_expired'],
  expired: ['expired'],
};

const quoted = (texts: readonly string[]): string => texts.map((text) => `'${text}'`).join(', ');

const waitDetailSql = (notification: string): string =>
  `case ${Object.entries(waits)
    .map(([detail, { applies }]) => `when ${applies(notification)} then '${detail}'`)
    .join(' ')} end`;

/** The columns of a notification `n` whose postponed work is joined by `joinWait`. */
export const statusDetailColumns = `case n.status
      when 'queued' then ${waitDetailSql('n')}
      when 'suppressed' then case ${Object.entries(reasons)
        .map(([detail, of]) => `when n.suppression_reason in (${quoted(of)}) then '${detail}'`)
        .join(' ')} end end as status_detail,
    case when n.status = 'queued' and ${startsWith(waitNames.hold)('n')} then later.run_at end as held_until`;

export const joinWait = joinPostponed('notification', 'n.id');

/** The status that the detail implies. */
export function statusOfDetail(detail: StatusDetail): 'queued' | 'suppressed' {
  return reasons[detail] ? 'suppressed' : 'queued';
}

/** An SQL condition for the notification `found`: the detail is this one. */
export function hasDetailSql(detail: StatusDetail): string {
  const of = reasons[detail];
  if (of) return `suppression_reason in (${quoted(of)})`;
  return `${postponedSql('notification', 'found.id', waitDetailSql('found'))} = '${detail}'`;
}

/** So many ids are read and sorted in milliseconds; beyond, a page scans a bounded part of the notifications. */
const fewWaiting = 10_000;

/** An SQL query of the ids that may have the detail, where they are few; undefined otherwise. `$1` is the environment. */
export async function idsWithDetail(
  sql: Sql,
  environmentId: string,
  detail: StatusDetail,
): Promise<string | undefined> {
  if (statusOfDetail(detail) !== 'queued') return undefined;
  const named = waits[detail]?.isNamed;
  const ids = `${postponedIdsSql('notification', '$1')}${named ? ` and ${named}` : ''}`;
  const [row] = await query<{ count: number }>(
    sql,
    `select count(*)::int as count from (${ids} limit ${fewWaiting + 1}) first`,
    [environmentId],
  );
  return row && row.count <= fewWaiting ? ids : undefined;
}
