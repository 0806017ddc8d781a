import { type Static, Type } from 'typebox';
import type { Sql } from '../../../db/sql.ts';
import { Nullable, OneOf } from '../../../http/schema.ts';
import { statusOf } from './health.ts';
import { type HealthRow, listHealthOf } from './health-store.ts';

export const ProviderHealth = Type.Object(
  {
    status: OneOf(['healthy', 'degraded', 'outage'], {
      description: 'outage: the provider is failing and is tried last until a message gets through.',
    }),
    messages: Type.Integer({ description: 'Distinct messages in the last five minutes.' }),
    failed_messages: Type.Integer(),
    failure_rate: Type.Number(),
    since: Nullable(Type.String({ format: 'date-time', description: 'When the failures began.' })),
  },
  { title: 'ProviderHealth' },
);
export type ProviderHealth = Static<typeof ProviderHealth>;

export async function findHealth(
  sql: Sql,
  environmentId: string,
): Promise<(providerId: string) => ProviderHealth> {
  const rows = new Map((await listHealthOf(sql, environmentId)).map((row) => [row.provider, row]));
  return (providerId) => healthView(rows.get(providerId));
}

export function healthView(
  row: Pick<HealthRow, 'messages' | 'failed' | 'outage_id' | 'firing_since' | 'demoted_since'> | undefined,
): ProviderHealth {
  const { messages = 0, failed = 0, outage_id = null, firing_since = null, demoted_since = null } = row ?? {};
  const since = firing_since ?? demoted_since;
  return {
    status: statusOf({ firing: outage_id !== null, demoted: demoted_since !== null }, { messages, failed }),
    messages,
    failed_messages: failed,
    failure_rate: messages === 0 ? 0 : Math.round((failed / messages) * 10_000) / 10_000,
    since: since?.toISOString() ?? null,
  };
}
