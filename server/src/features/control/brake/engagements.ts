import { type Sql, statement, transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { createCache } from '../../../kernel/cache.ts';
import { recordEvents } from '../../webhooks/index.ts';
import { type ActiveRule, type BrakedNotification, limitText } from './rules.ts';

/** A rule that has stopped notifications, and when it last did. */
interface EngagementRow {
  environment_id: string;
  rule: string;
  engaged_at: Date;
  last_at: Date;
  detail: string;
}

/** Records which rules stop notifications. Webhook endpoints get an event when a rule begins to. */
export interface Engagements {
  /** Costs nothing while the rule is known to be engaged. */
  engage(notification: Pick<BrakedNotification, 'environment_id'>, rule: ActiveRule): void;
}

/** A rule that stops nothing for this long is no longer engaged. When it stops something again, that is a new event. */
const quietSeconds = 600;
const noteEveryMs = 10_000;
const cachedRules = 10_000;

const columns = 'environment_id, rule, engaged_at, last_at, detail';

const upsert = statement<EngagementRow & { is_new: boolean }>(
  'brake_engage',
  `insert into brake_engagements as e (environment_id, rule, engaged_at, last_at, detail) values ($1, $2, now(), now(), $3)
   on conflict (environment_id, rule) do update set last_at = now(), detail = excluded.detail,
     engaged_at = case when e.last_at < now() - make_interval(secs => ${quietSeconds}) then now() else e.engaged_at end
   returning ${columns}, engaged_at = now() as is_new`,
);

const list = statement<EngagementRow>(
  'brake_list_engagements',
  `select ${columns} from brake_engagements
   where environment_id = $1 and last_at > now() - make_interval(secs => ${quietSeconds}) order by engaged_at desc`,
);

/** The rules that stop notifications at present. */
export function listEngagements(sql: Sql, environmentId: string): Promise<EngagementRow[]> {
  return list(sql, [environmentId]);
}

export function createEngagements({ pool, queue, log }: Pick<Deps, 'pool' | 'queue' | 'log'>): Engagements {
  const noted = createCache<true>(cachedRules, noteEveryMs);

  return {
    engage({ environment_id: environmentId }, rule) {
      const key = `${environmentId} ${rule.key}`;
      if (noted.has(key)) return;
      noted.set(key, true);
      const detail = `The rule ${rule.key} allows ${limitText(rule)}.`;
      recordEngagement({ pool, queue }, { environmentId, rule, detail }).catch((error) => {
        noted.delete(key);
        log.warn({ err: error, rule: rule.key }, 'failed to record that a rule of the brake is engaged');
      });
    },
  };
}

/** Records that a rule stops notifications, and the event when it has just begun to. */
export async function recordEngagement(
  { pool, queue }: Pick<Deps, 'pool' | 'queue'>,
  {
    environmentId,
    rule,
    detail,
  }: {
    environmentId: string;
    rule: Pick<ActiveRule, 'key' | 'name' | 'scope' | 'action'>;
    detail: string;
  },
): Promise<void> {
  const isReported = await transaction(pool, async (tx) => {
    const [row] = await upsert(tx, [environmentId, rule.key, detail]);
    if (!row?.is_new) return false;
    const { key, name, scope, action } = rule;
    const data = {
      environment_id: environmentId,
      rule: { key, name, scope, action },
      detail,
      engaged_at: row.engaged_at,
    };
    return (await recordEvents(tx, queue, [{ environmentId, type: 'brake.engaged', data }])).length > 0;
  });
  if (isReported) queue.ring('webhook_delivery');
}
