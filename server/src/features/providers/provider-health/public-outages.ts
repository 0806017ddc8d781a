import { emailProviders, smsProviders } from '../../../channels/registry.ts';
import { type Pool, type Sql, statement, transaction } from '../../../db/sql.ts';
import type { Log } from '../../../kernel/log.ts';
import { listByProvider, lockIncidents, openIncident, resolveIncident } from '../incidents/index.ts';
import { windowMs } from './health.ts';

/** The outages of one kind of provider across all tenants. `managed` and `managed_sms` are the operator's own. */
export interface SharedOutage {
  provider: string;
  /** Organizations for which a provider of this kind is in outage. */
  failing: number;
  /** Organizations that used a provider of this kind in the window, or for which one is in outage. */
  total: number;
  /** When the most recent of the outages began. */
  latest: Date;
}

/** The most recent incident about a kind of provider. */
interface LastIncident {
  active_id: string | null;
  resolved_at: Date | null;
}

/**
 * Decides whether an outage is published. Broken credentials of one tenant are private: an outage is public when it affects the
 * operator's own provider, several organizations, or the only one there is. Providers of the kind `http` have nothing in common. To open an incident, an outage must also affect at least
 * half of the organizations that use the provider, so that two tenants cannot fake an outage for all. After an incident was
 * resolved by hand, the outages that it covered do not open another one.
 */
export function isPublic(
  outage: SharedOutage,
  last: LastIncident | undefined,
  organizations: number,
): boolean {
  const least = outage.provider.startsWith('managed') || organizations === 1 ? 1 : 2;
  if (outage.failing < least) return false;
  if (last?.active_id) return true;
  const isNew = !last?.resolved_at || outage.latest > last.resolved_at;
  return isNew && outage.failing * 2 >= outage.total;
}

const selectOutages = statement<SharedOutage>(
  'providers_list_shared_outages',
  `with known as (
     select distinct environment_id, provider from provider_health_counts
     where bucket > now() - interval '${windowMs} milliseconds'
     union
     select environment_id, provider from provider_health where outage_id is not null
   ), used as (
     select e.organization_id, h.outage_id is not null as is_failing, h.firing_since,
       case k.provider when 'managed' then 'managed' else
         coalesce(
           (select p ->> 'kind' from jsonb_array_elements(s.providers) p where p ->> 'id' = k.provider),
           (select case p ->> 'kind' when 'managed' then 'managed_sms' else p ->> 'kind' end
            from jsonb_array_elements(t.providers) p where p ->> 'id' = k.provider)) end as provider
     from known k
     join environments e on e.id = k.environment_id
     left join provider_health h on h.environment_id = k.environment_id and h.provider = k.provider
     left join email_settings s on s.environment_id = k.environment_id
     left join sms_settings t on t.environment_id = k.environment_id
   )
   select provider, count(distinct organization_id)::int as total, max(firing_since) as latest,
     (count(distinct organization_id) filter (where is_failing))::int as failing
   from used where provider <> 'http' group by provider having bool_or(is_failing)`,
);

const countSome = statement<{ count: number }>(
  'providers_count_organizations',
  'select count(*)::int as count from (select from organizations limit 2) few',
);

const hasWork = statement<{ has_work: boolean }>(
  'providers_has_public_work',
  `select exists (select from provider_health where outage_id is not null)
     or exists (select from incidents where provider is not null and resolved_at is null) as has_work`,
);

/** Opens and resolves incidents to match the current outages. Any process may run this at any time. */
export async function publishOutages(pool: Pool, log: Log): Promise<void> {
  if (!(await hasWork(pool))[0]?.has_work) return;
  await transaction(pool, async (tx) => {
    await lockIncidents(tx);
    const [outages, lasts, [organizations]] = await Promise.all([
      selectOutages(tx),
      listByProvider(tx),
      countSome(tx),
    ]);
    const lastOf = new Map(lasts.map((last) => [last.provider, last]));
    const wanted = outages.filter((each) =>
      isPublic(each, lastOf.get(each.provider), organizations?.count ?? 0),
    );
    for (const { provider } of wanted) {
      if (!lastOf.get(provider)?.active_id) await open(tx, provider, log);
    }
    const stay = new Set(wanted.map(({ provider }) => provider));
    for (const { provider, active_id } of lasts) {
      if (active_id === null || stay.has(provider)) continue;
      await resolveIncident(tx, active_id, 'The outage has ended.');
      log.info({ incidentId: active_id, provider }, 'resolved an incident about a provider');
    }
  });
}

/** The incident names only the kind of the provider, and nothing that a tenant chose: neither its name nor its address. */
async function open(tx: Sql, provider: string, log: Log): Promise<void> {
  const channel = smsProviders[provider] || provider === 'managed_sms' ? 'SMS' : 'Email';
  const title = (smsProviders[provider] ?? emailProviders[provider])?.manifest.title;
  const incidentId = await openIncident(tx, {
    provider,
    title: `${channel} provider outage${title ? ` (${title})` : ''}`,
    message:
      'Most sends through this provider fail. They are retried, through the next provider where one is configured.',
  });
  log.warn({ incidentId, provider }, 'opened an incident for a provider outage');
}
