import { type Static, Type } from 'typebox';
import type { Channel } from '../../../channels/contract.ts';
import { type Sql, statement } from '../../../db/sql.ts';
import { Nullable, OneOf } from '../../../http/schema.ts';
import { statusOf } from './health.ts';
import { type HealthRow, healthOfSql, listHealthOf } from './health-store.ts';
import { allEnvironments } from './throttles.ts';

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

function healthView(
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

/** The health of the providers of an environment, and their throttles. */
export interface ProviderStatuses {
  healthOf(providerId: string): ProviderHealth;
  /** Null when the provider is not throttled. */
  throttledUntil(channel: Channel, providerId: string): Date | null;
}

/** Dates are strings because the rows arrive as JSON. */
type HealthJson = Pick<HealthRow, 'provider' | 'messages' | 'failed' | 'outage_id'> & {
  firing_since: string | null;
  demoted_since: string | null;
};
interface ThrottleJson {
  pace: string;
  provider: string | null;
  paused_until: string;
}

/** An environment has at most one throttle for each account and conversation that exceeded its rate in the last minutes. */
const maxThrottles = 500;

const findStates = statement<{ health: HealthJson[] | null; pauses: ThrottleJson[] | null }>(
  'providers_find_states',
  `select (select json_agg(h) from (${healthOfSql}) h) as health,
     (select json_agg(p) from (
        select pace, provider, paused_until from provider_pauses
        where environment_id = any (array[$1, '${allEnvironments}']::uuid[]) and paused_until > now()
        limit ${maxThrottles}) p) as pauses`,
);

export async function findProviderStatuses(sql: Sql, environmentId: string): Promise<ProviderStatuses> {
  const [row] = await findStates(sql, [environmentId]);
  const health = new Map((row?.health ?? []).map((entry) => [entry.provider, entry]));
  const pauses = row?.pauses ?? [];
  return {
    healthOf(providerId) {
      const known = health.get(providerId);
      const date = (text: string | null): Date | null => (text === null ? null : new Date(text));
      return healthView(
        known && {
          ...known,
          firing_since: date(known.firing_since),
          demoted_since: date(known.demoted_since),
        },
      );
    },
    throttledUntil(channel, providerId) {
      const ends = pauses
        .filter(
          ({ pace, provider }) =>
            pace === channel ||
            (pace.startsWith(`${channel}:`) && (provider === providerId || pace.endsWith(`:${providerId}`))),
        )
        .map(({ paused_until }) => Date.parse(paused_until));
      return ends.length === 0 ? null : new Date(Math.max(...ends));
    },
  };
}
