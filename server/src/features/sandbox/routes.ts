import { viewPayload } from '../../channels/sandbox/index.ts';
import type { Deps } from '../../deps.ts';
import { type Route, route } from '../../http/route.ts';
import { idTime } from '../../kernel/ids.ts';
import { pageOf, pageRequest } from '../../kernel/page.ts';
import { SandboxPage, SandboxQuery } from './schema.ts';
import { listIds, listMessages, type SandboxRow } from './store.ts';

/** Messages may have megabytes, and composing one takes 0.1 s a megabyte; a page ends early rather than hold many of them. */
const maxPageBytes = 2_000_000;

export function sandboxRoutes({ pool }: Pick<Deps, 'pool'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/sandbox/messages',
      operation: 'listSandboxMessages',
      tag: 'Sandbox',
      summary: 'List what the sandbox received',
      description:
        'In a Test environment every send ends in the sandbox. Each message is shown as it would have been sent, newest first. In a Live environment the list is empty unless the sandbox is one of its providers.',
      access: 'notifications:read',
      query: SandboxQuery,
      responses: { 200: SandboxPage },
      async handler({ principal, query }) {
        const list = `sandbox:${principal.environmentId}`;
        const page = pageRequest(list, query);
        const filter = { notificationId: query.notification_id, channel: query.channel };
        const found = await listIds(pool, principal.environmentId, filter, page);
        const { data, next_cursor } = pageOf(list, found, Math.min(page.limit, fitting(found)));
        const rows = await listMessages(
          pool,
          principal.environmentId,
          data.map(({ id }) => id),
        );
        return { status: 200, body: { data: await Promise.all(rows.map(viewOf)), next_cursor } };
      },
    }),
  ];
}

/** How many of the messages go on one page: at least one. */
function fitting(messages: { payload_bytes: number }[]): number {
  let bytes = 0;
  for (const [index, message] of messages.entries()) {
    bytes += message.payload_bytes;
    if (bytes > maxPageBytes) return Math.max(index, 1);
  }
  return messages.length;
}

async function viewOf(row: SandboxRow) {
  return {
    id: row.id,
    notification_id: row.notification_id,
    channel: row.channel,
    provider: row.provider,
    to: row.recipient,
    created_at: new Date(idTime(row.id)).toISOString(),
    payload: await viewPayload(row),
  };
}
