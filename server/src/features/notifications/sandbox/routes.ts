import { viewPayload } from '../../../channels/sandbox/index.ts';
import type { Deps } from '../../../deps.ts';
import { type Route, route } from '../../../http/route.ts';
import { IdParams } from '../../../http/schema.ts';
import { notFound } from '../../../kernel/errors.ts';
import { idTime, lowestIdAt, newId } from '../../../kernel/ids.ts';
import { countFitting, pageOf, pageRequest } from '../../../kernel/page.ts';
import type { TaskRunner } from '../../../threads/task.ts';
import { recordAudit } from '../../platform/audit/index.ts';
import { SandboxMessage, SandboxPage, SandboxQuery } from './schema.ts';
import {
  deleteMessagesBefore,
  listIds,
  listMessages,
  type MessageWithContent,
  sandboxRetention,
} from './store.ts';

/** Messages may have megabytes, and composing one takes 0.1 s per megabyte; a page ends early rather than hold many of them. */
const maxPageBytes = 2_000_000;
const slice = 5_000;
const tag = 'Sandbox';

export function sandboxRoutes({
  pool,
  listReads,
  clock,
  tasks,
}: Pick<Deps, 'pool' | 'listReads' | 'clock' | 'tasks'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/sandbox/messages',
      operation: 'listSandboxMessages',
      tag,
      summary: 'List sandbox messages',
      description:
        'In a Test environment every send ends in the sandbox. Each message is shown as it would have been sent, newest first. In a Live environment the list is empty unless the sandbox is one of its providers. Messages are kept for 30 days, at most the newest 100,000 per environment.',
      access: 'notifications:read',
      query: SandboxQuery,
      responses: { 200: SandboxPage },
      async handler({ principal, query }) {
        const list = `sandbox:${principal.environmentId}`;
        const page = pageRequest(list, query);
        const filter = {
          notificationId: query.notification_id,
          channel: query.channel,
          to: query.to,
          fromId: query.created_after && lowestIdAt(Date.parse(query.created_after) + 1),
        };
        const { rows, next_cursor } = await listReads.read(principal.id, async (sql) => {
          const found = await listIds(sql, principal.environmentId, filter, page);
          const sizes = found.map(({ bytes }) => bytes);
          const limit = Math.min(page.limit, countFitting(sizes, maxPageBytes));
          const { data, next_cursor } = pageOf(list, found, limit);
          const ids = data.map(({ id }) => id);
          return { rows: await listMessages(sql, principal.environmentId, ids), next_cursor };
        });
        const messages = [];
        for (const row of rows) messages.push(await viewOf(tasks, row));
        return { status: 200, body: { data: messages, next_cursor } };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/sandbox/messages/:id',
      operation: 'getSandboxMessage',
      tag,
      summary: 'Get a sandbox message',
      access: 'notifications:read',
      params: IdParams,
      responses: { 200: SandboxMessage },
      async handler({ principal, params }) {
        const [row] = await listMessages(pool, principal.environmentId, [params.id]);
        if (!row) throw notFound('sandbox message');
        return { status: 200, body: await viewOf(tasks, row) };
      },
    }),
    route({
      method: 'DELETE',
      path: '/v1/sandbox/messages',
      operation: 'deleteSandboxMessages',
      tag,
      summary: 'Empty the sandbox',
      description: 'Removes every message in the sandbox of this environment. Notifications are not changed.',
      access: 'notifications:write',
      responses: { 204: null },
      async handler({ principal, requestId }) {
        await recordAudit(
          pool,
          { principal, requestId },
          {
            action: 'sandbox.emptied',
            target: `sandbox:${principal.environmentId}`,
          },
        );
        await empty(principal.environmentId);
        return { status: 204 };
      },
    }),
  ];

  /** Deletes in batches, and at most twice the retention limit: a client that keeps sending cannot keep this loop busy. */
  async function empty(environmentId: string): Promise<void> {
    const before = newId(clock());
    for (let count = 0; count < 2 * sandboxRetention.messages; count += slice)
      if ((await deleteMessagesBefore(pool, environmentId, before, slice)) < slice) return;
  }
}

async function viewOf(tasks: TaskRunner, row: MessageWithContent) {
  return {
    id: row.id,
    notification_id: row.notification_id,
    channel: row.channel,
    provider: row.provider,
    to: row.recipient,
    created_at: new Date(idTime(row.id)).toISOString(),
    payload: await viewPayload(tasks, row),
  };
}
