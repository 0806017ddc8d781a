import type { Static } from 'typebox';
import type { Deps } from '../../../deps.ts';
import { type Route, route } from '../../../http/route.ts';
import { idTime, lowestIdAt } from '../../../kernel/ids.ts';
import { pageOf, pageRequest } from '../../../kernel/page.ts';
import { type AuditEntryView, AuditPage, AuditQuery } from './schema.ts';
import { type AuditRow, listEntries } from './store.ts';

export function auditRoutes({ listReads }: Pick<Deps, 'listReads'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/audit-log',
      operation: 'listAuditEntries',
      tag: 'Audit log',
      summary: 'List configuration changes and sign-ins',
      description:
        'Who changed what, with the values before and after (never secrets), newest first. Includes changes in the environment of the key, and changes and sign-ins of the organization. `attachments.purged` lists the deleted attachments of a notification (name, type, size, SHA-256).',
      access: 'keys:read',
      query: AuditQuery,
      responses: { 200: AuditPage },
      async handler({ principal, query }) {
        const list = `audit:${principal.environmentId}`;
        const page = pageRequest(list, query);
        const filter = {
          action: query.action,
          target: query.target,
          actorId: query.actor_id,
          fromId: query.created_after && lowestIdAt(Date.parse(query.created_after)),
          beforeId: query.created_before && lowestIdAt(Date.parse(query.created_before)),
        };
        const rows = await listReads.read(principal.id, (sql) => listEntries(sql, principal, filter, page));
        const { data, next_cursor } = pageOf(list, rows, page.limit);
        return { status: 200, body: { data: data.map(viewOf), next_cursor } };
      },
    }),
  ];
}

function viewOf(row: AuditRow): Static<typeof AuditEntryView> {
  return {
    id: row.id,
    actor: { kind: row.actor_kind, id: row.actor_id },
    action: row.action,
    target: row.target,
    before: row.before as Record<string, unknown> | null,
    after: row.after as Record<string, unknown> | null,
    request_id: row.request_id,
    ip_address: row.ip_address,
    user_agent: row.user_agent,
    environment_id: row.environment_id,
    created_at: new Date(idTime(row.id)).toISOString(),
  };
}
