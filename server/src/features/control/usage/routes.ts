import { type Static, Type } from 'typebox';
import { channels } from '../../../channels/contract.ts';
import type { Deps } from '../../../deps.ts';
import type { Principal } from '../../../http/principal.ts';
import { type Route, route } from '../../../http/route.ts';
import { DateTime, Nullable, OneOf } from '../../../http/schema.ts';
import { findSpend } from '../spend/index.ts';
import { monthOf, nextMonth, planTerms } from './meter.ts';
import { findStored } from './storage-store.ts';
import { listCounts, listPlanUse } from './store.ts';

const Usage = Type.Object(
  {
    plan: OneOf(['free', 'pro', 'scale', 'unmetered']),
    period_start: DateTime,
    period_end: DateTime,
    included_sends: Nullable(Type.Integer({ description: 'Null if there is no limit.' })),
    used_sends: Type.Integer({ description: 'By this organization.' }),
    used_by_other_organizations: Type.Integer({
      description:
        'By other organizations on the same plan with the same owner, which share the limit. 0 if there is no limit.',
    }),
    remaining_sends: Nullable(Type.Integer()),
    hard_limit: Type.Boolean({ description: 'Sends over the limit are rejected with 402.' }),
    by_channel: Type.Unsafe<Record<string, number>>({
      type: 'object',
      properties: Object.fromEntries(channels.map((channel) => [channel, { type: 'integer' }])),
    }),
    stored_bytes: Nullable(
      Type.Integer({
        description:
          'The storage of the environment of the key: notifications with attachments, inbox items, workflow runs and the sandbox. Counted on acceptance and measured periodically, which is when deletions show. Null if there is no quota.',
      }),
    ),
    stored_bytes_limit: Nullable(
      Type.Integer({ description: 'Sends over the quota are rejected with 402 `storage_quota_reached`.' }),
    ),
    estimated_cost: Nullable(
      Type.Object(
        {
          currency: Type.String(),
          amount_micros: Type.Integer({ description: 'In millionths of the currency.' }),
          by_channel: Type.Array(Type.Object({ channel: Type.String(), amount_micros: Type.Integer() })),
        },
        {
          title: 'EstimatedCost',
          description:
            'What providers have accepted this month from the environment of the key, by the prices of /v1/prices and in their currency. Null without prices.',
        },
      ),
    ),
  },
  { title: 'Usage' },
);

export function usageRoutes({ pool, clock, storage }: Pick<Deps, 'pool' | 'clock' | 'storage'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/usage',
      operation: 'getUsage',
      tag: 'Usage',
      summary: 'Get the usage of this month',
      description:
        'Notifications that the Live environments of the organization accepted since the beginning of the month (UTC). Suppressed, failed and deleted notifications count, and a resend counts again. Test sends do not count. The limit of a plan applies per owner: all organizations with the same owner share it.',
      access: 'key',
      responses: { 200: Usage },
      async handler({ principal }) {
        return { status: 200, body: await usageOf(principal) };
      },
    }),
  ];

  async function usageOf(principal: Principal): Promise<Static<typeof Usage>> {
    const { organizationId, plan } = principal;
    const quota = storage.quotaOf(principal);
    if (quota !== null) await storage.flush();
    const month = monthOf(clock());
    const counts = await listCounts(pool, [organizationId], [month]);
    const used = counts.reduce((sum, { sends }) => sum + sends, 0);
    const { includedSends, hardLimit } = planTerms[plan];
    const shared = includedSends === null ? [] : await listPlanUse(pool, [organizationId], [month]);
    const usedByAll = shared.find((use) => use.month === month)?.sends ?? used;
    return {
      plan,
      period_start: new Date(month).toISOString(),
      period_end: new Date(nextMonth(month)).toISOString(),
      included_sends: includedSends,
      used_sends: used,
      used_by_other_organizations: Math.max(0, usedByAll - used),
      remaining_sends: includedSends === null ? null : Math.max(0, includedSends - usedByAll),
      hard_limit: hardLimit,
      by_channel: Object.fromEntries(
        channels.map((channel) => [channel, counts.find((count) => count.channel === channel)?.sends ?? 0]),
      ),
      stored_bytes: quota === null ? null : await findStored(pool, principal.environmentId),
      stored_bytes_limit: quota,
      estimated_cost: costOf(await findSpend(pool, principal.environmentId, month)),
    };
  }
}

function costOf(spend: Awaited<ReturnType<typeof findSpend>>): Static<typeof Usage>['estimated_cost'] {
  if (!spend) return null;
  const { currency, byChannel: by_channel } = spend;
  return {
    currency,
    amount_micros: by_channel.reduce((sum, each) => sum + each.amount_micros, 0),
    by_channel,
  };
}
