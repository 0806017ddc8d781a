import type { Deps } from '../../../deps.ts';
import { type Route, route } from '../../../http/route.ts';
import { idTime } from '../../../kernel/ids.ts';
import { pageOf, pageRequest } from '../../../kernel/page.ts';
import {
  AddBody,
  AddressParams,
  RemovalQuery,
  Suppression,
  SuppressionPage,
  SuppressionQuery,
  type Suppression as SuppressionView,
} from './schema.ts';
import { addressKeyOf, type SuppressionService } from './service.ts';
import { listSuppressions, type SuppressionRow } from './store.ts';

const tag = 'Suppressions';
const defaultLimit = 25;

export function suppressionRoutes({
  listReads,
  suppressions,
}: Pick<Deps, 'listReads'> & { suppressions: SuppressionService }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/suppressions',
      operation: 'listSuppressions',
      tag,
      summary: 'List suppressed addresses',
      description:
        'Email addresses and phone numbers that nothing is sent to, newest first. Hard bounces and complaints are added automatically; policy rejections (spam, authentication, reputation) are not.',
      access: 'suppressions:read',
      query: SuppressionQuery,
      responses: { 200: SuppressionPage },
      async handler({ principal, query }) {
        const list = `suppressions:${principal.environmentId}`;
        const page = pageRequest(list, query, defaultLimit);
        const address = query.address === undefined ? undefined : addressKeyOf('address', query.address);
        const filter = { address, prefix: query.search?.toLowerCase(), reason: query.reason };
        const rows = await listReads.read(principal.id, (sql) =>
          listSuppressions(sql, principal.environmentId, filter, page),
        );
        const { data, next_cursor } = pageOf(list, rows, page.limit);
        return { status: 200, body: { data: data.map(viewOf), has_more: next_cursor !== null, next_cursor } };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/suppressions',
      operation: 'addSuppression',
      tag,
      summary: 'Suppress an address',
      description:
        'Returns 201 for a new address, and 200 with the existing entry if the address is already suppressed.',
      access: 'suppressions:write',
      body: AddBody,
      responses: { 201: Suppression, 200: Suppression },
      async handler({ principal, body, requestId }) {
        const entry = { address: body.address, reason: body.reason ?? ('manual_add' as const) };
        const { row, isNew } = await suppressions.add({ principal, requestId }, entry);
        return { status: isNew ? 201 : 200, body: viewOf(row) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/suppressions/:address',
      operation: 'getSuppression',
      tag,
      summary: 'Get the suppression of an address',
      access: 'suppressions:read',
      params: AddressParams,
      responses: { 200: Suppression },
      async handler({ principal, params }) {
        return { status: 200, body: viewOf(await suppressions.get(principal, params.address)) };
      },
    }),
    route({
      method: 'DELETE',
      path: '/v1/suppressions/:address',
      operation: 'removeSuppression',
      tag,
      summary: 'Remove a suppression',
      access: 'suppressions:write',
      params: AddressParams,
      query: RemovalQuery,
      responses: { 204: null },
      async handler({ principal, params, query, requestId }) {
        await suppressions.remove({ principal, requestId }, params.address, query.note);
        return { status: 204 };
      },
    }),
  ];
}

function viewOf(row: SuppressionRow): SuppressionView {
  return {
    id: row.id,
    address: row.address,
    reason: row.reason,
    source: row.source,
    diagnostic_detail: row.diagnostic_detail,
    triggering_notification_id: row.triggering_notification_id,
    suppressed_at: new Date(idTime(row.id)).toISOString(),
  };
}
