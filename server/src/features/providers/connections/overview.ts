import type { Channel } from '../../../channels/contract.ts';
import { type Sql, statement } from '../../../db/sql.ts';
import type { ConnectionStatus } from '../provider-health/index.ts';
import { shownKind } from './sms/schema.ts';

/** A connection that carries messages of a Live environment, on any channel; push services are of in_app. */
export interface Connection {
  id: string;
  name: string;
  kind: string;
  channel: Channel;
  enabled: boolean;
  /** Why the connection cannot be used, according to its last call or check; null when no problem is known. */
  problem: string | null;
  lastSuccessAt: Date | null;
  lastFailureAt: Date | null;
}

interface ConnectionRow {
  id: string;
  name: string;
  kind: string;
  channel: Channel;
  enabled: boolean;
  status: ConnectionStatus;
  problem: string | null;
  last_success_at: Date | null;
  last_failure_at: Date | null;
}

/** The maximum of chat connections from each table; those with problems come first. */
const maxChats = 50;
const chatsIn = (table: string, columns: string): string =>
  `(select id::text, ${columns}, true, status, last_failure_reason, last_success_at, last_failure_at from ${table}
    where environment_id = $1 order by status = 'active', last_failure_at desc nulls last, id limit ${maxChats})`;

const listAll = statement<ConnectionRow>(
  'connections_list_all',
  `(select p.value->>'id' as id, p.value->>'name' as name, p.value->>'kind' as kind, 'email' as channel,
      (p.value->>'enabled')::boolean as enabled, 'active' as status, null as problem,
      null::timestamptz as last_success_at, null::timestamptz as last_failure_at
    from email_settings s, jsonb_array_elements(s.providers) with ordinality as p (value, place)
    where s.environment_id = $1 order by p.place)
   union all
   (select p.value->>'id', p.value->>'name', p.value->>'kind', 'sms', (p.value->>'enabled')::boolean,
      case when p.value->>'credentials_validated_at' is null and p.value->>'credentials_detail' <> '' then 'broken' else 'active' end,
      p.value->>'credentials_detail', null, null
    from sms_settings s, jsonb_array_elements(s.providers) with ordinality as p (value, place)
    where s.environment_id = $1 order by p.place)
   union all
   (select service.kind, service.kind, service.kind, 'in_app', true,
      case when service.is_ok is false then 'broken' else 'active' end, service.detail,
      case when service.is_ok then service.checked_at end, case when not service.is_ok then service.checked_at end
    from push_settings s cross join lateral (
      select p.*, (s.checks->p.kind->>'ok')::boolean as is_ok, s.checks->p.kind->>'detail' as detail,
        (s.checks->p.kind->>'at')::timestamptz as checked_at
      from (values (1, 'web_push', s.web_push), (2, 'apns', s.apns), (3, 'fcm', s.fcm)) as p (place, kind, settings)
    ) as service
    where s.environment_id = $1 and service.settings is not null order by service.place)
   union all ${chatsIn('chatone_installations', `team_name, 'chatone', 'chatone'`)}
   union all ${chatsIn('chat_endpoints', 'label, channel, channel')}`,
);

/** `hasManagedEmail` means that the operator offers its email server to environments without their own. */
export async function listConnections(
  sql: Sql,
  environmentId: string,
  hasManagedEmail: boolean,
): Promise<Connection[]> {
  const connections = (await listAll(sql, [environmentId])).map(connectionOf);
  const hasOwn = connections.some(({ channel, enabled }) => channel === 'email' && enabled);
  return hasManagedEmail && !hasOwn ? [managedEmail, ...connections] : connections;
}

const managedEmail: Connection = {
  id: 'managed',
  name: 'managed',
  kind: 'smtp',
  channel: 'email',
  enabled: true,
  problem: null,
  lastSuccessAt: null,
  lastFailureAt: null,
};

function connectionOf(row: ConnectionRow): Connection {
  const { id, channel, enabled } = row;
  const kind = channel === 'sms' ? shownKind(row.kind) : row.kind;
  return {
    id,
    channel,
    enabled,
    kind,
    // A provider without a name of its own is called like its kind.
    name: row.name === row.kind ? kind : row.name,
    problem: row.status === 'active' ? null : row.problem || 'The last call was rejected.',
    lastSuccessAt: row.last_success_at,
    lastFailureAt: row.last_failure_at,
  };
}
