import type { StoredPayload } from '../../channels/sandbox/index.ts';
import { query, type Sql, statement } from '../../db/sql.ts';
import type { PageRequest } from '../../kernel/page.ts';

export interface SandboxRow {
  id: string;
  environment_id: string;
  notification_id: string;
  channel: string;
  provider: string;
  recipient: string;
  payload: StoredPayload;
}

export interface SandboxFilter {
  notificationId?: string | undefined;
  channel?: string | undefined;
}

/** Up to `limit + 1` ids with their weight, newest first. */
export function listIds(
  sql: Sql,
  environmentId: string,
  filter: SandboxFilter,
  page: PageRequest,
): Promise<{ id: string; payload_bytes: number }[]> {
  const values: unknown[] = [environmentId, page.limit + 1];
  const conditions = ['environment_id = $1'];
  const require = (condition: string, value: string | null | undefined) => {
    if (value === undefined || value === null) return;
    values.push(value);
    conditions.push(`${condition} $${values.length}`);
  };
  require('id <', page.before);
  require('notification_id =', filter.notificationId);
  require('channel =', filter.channel);
  return query(
    sql,
    `select id, payload_bytes
     from sandbox_messages
     where ${conditions.join(' and ')}
     order by id desc
     limit $2`,
    values,
  );
}

const findMessages = statement<SandboxRow>(
  'sandbox_find_messages',
  `select id, environment_id, notification_id, channel, provider, recipient, payload
   from sandbox_messages
   where environment_id = $1 and id = any($2)
   order by id desc`,
);

export function listMessages(sql: Sql, environmentId: string, ids: string[]): Promise<SandboxRow[]> {
  return findMessages(sql, [environmentId, ids]);
}

const deleteMessages = statement(
  'sandbox_delete_messages',
  'delete from sandbox_messages where environment_id = $1 and notification_id = any ($2::uuid[])',
);

/** What was kept of notifications, when they themselves are erased. */
export async function eraseSandboxMessages(
  sql: Sql,
  environmentId: string,
  notificationIds: string[],
): Promise<void> {
  await deleteMessages(sql, [environmentId, notificationIds]);
}
