import type { Channel } from '../../channels/contract.ts';
import { type Sql, statement } from '../../db/sql.ts';

interface HeldRow {
  id: string;
  channel: Channel;
  address: string | null;
  template_key: string | null;
  category: string | null;
}

const listHeld = statement<HeldRow>(
  'brake_list_held',
  `select id, channel, address, template_key, category from notifications
   where id = any ($1::uuid[]) and environment_id = $2`,
);

export function listHeldNotifications(sql: Sql, environmentId: string, ids: string[]): Promise<HeldRow[]> {
  return listHeld(sql, [ids, environmentId]);
}

const summarize = statement<{ channel: string | null; count: number; recipients: number }>(
  'brake_summarize_held',
  `select channel, count(*)::int as count, count(distinct coalesce(external_user_id, lower(address)))::int as recipients
   from notifications where id = any ($1::uuid[]) and environment_id = $2
   group by grouping sets ((), (channel)) order by 2 desc`,
);

/** How many recipients, on whatever channels, and how many notifications on each channel. */
export async function summarizeHeld(
  sql: Sql,
  environmentId: string,
  ids: string[],
): Promise<{ recipients: number; by_channel: { channel: string; count: number }[] }> {
  const rows = await summarize(sql, [ids, environmentId]);
  return {
    recipients: rows.find(({ channel }) => channel === null)?.recipients ?? 0,
    by_channel: rows.flatMap(({ channel, count }) => (channel === null ? [] : [{ channel, count }])),
  };
}
