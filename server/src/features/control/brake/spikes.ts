import { statement } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { recordEngagement } from './engagements.ts';
import { defaultRulesWith, withDefaults } from './rules.ts';
import { listStates } from './state.ts';

/** An environment's rate in the last whole minute, and what is usual at this hour. */
interface RateRow {
  environment_id: string;
  environment_kind: 'test' | 'live';
  accepted: number;
  usual: number;
}

/** The rate of a quiet environment varies much: a lower usual rate counts as this many a minute. */
const minimumBaseline = 10;
/** The smallest factor that a rule may have; see rule-input.ts. */
const leastFactor = 2;

const listRates = statement<RateRow>(
  'brake_list_rates',
  `with recent as (
     select environment_id, sum(accepted)::int as accepted from activity
     where step = 60 and at >= date_trunc('minute', now()) - interval '1 minute' and at < date_trunc('minute', now())
     group by 1 having sum(accepted) > $1
   )
   select r.environment_id, e.kind as environment_kind, r.accepted, greatest($2::float8, usual.accepted / (7 * 60.0))::float8 as usual
   from recent r join environments e on e.id = r.environment_id cross join lateral (
     select coalesce(sum(a.accepted), 0) as accepted
     from generate_series(1, 7) as day (ago), lateral (
       select accepted from activity
       where environment_id = r.environment_id and step = 600
         and at >= date_trunc('hour', now()) - day.ago * interval '1 day'
         and at < date_trunc('hour', now()) - day.ago * interval '1 day' + interval '1 hour') a) usual`,
);

/**
 * Compares the last minute of each busy environment with the same hour of the last seven days. One query for all of them; the rules
 * are read only for those that send several times more than usual.
 */
export async function detectSpikes(deps: Pick<Deps, 'pool' | 'queue' | 'config'>): Promise<void> {
  const rates = await listRates(deps.pool, [leastFactor * minimumBaseline, minimumBaseline]);
  const fast = rates.filter(({ accepted, usual }) => accepted > leastFactor * usual);
  if (fast.length === 0) return;
  const defaults = defaultRulesWith(deps.config.CARILLON_BRAKE_RECIPIENT_LIMIT);
  const states = await listStates(
    deps.pool,
    fast.map(({ environment_id }) => environment_id),
  );
  for (const { environment_id: environmentId, environment_kind, accepted, usual } of fast) {
    const stored = states.find((state) => state.environment_id === environmentId)?.rules ?? [];
    const rule = withDefaults(stored, defaults(environment_kind)).find(({ scope }) => scope === 'spike');
    if (!rule?.is_enabled || accepted <= rule.limit * usual) continue;
    const detail = `${accepted} notifications in a minute; about ${Math.round(usual)} are usual at this hour.`;
    await recordEngagement(deps, { environmentId, rule, detail });
  }
}
