import { type Sql, statement, untilDatabaseAnswers } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { createCache } from '../../../kernel/cache.ts';
import { steadyClock } from '../../../kernel/clock.ts';
import type { Price } from '../spend/index.ts';
import { type ActiveRule, type BrakeRule, type DefaultRules, withDefaults } from './rules.ts';
import { type FreezeRow, ruleColumns } from './store.ts';

/** The rules and freezes of an environment that are in force. */
interface BrakeState {
  rules: ActiveRule[];
  freezes: FreezeRow[];
  /** Much more than usual is being sent. */
  isSpiking: boolean;
  prices: Price[];
}

/**
 * What this process knows of rules and freezes. A batch never sees a state older than a second; the doorbell renews it sooner, also
 * for sends that are already on their way. So a freeze holds in every process within a second, or two when the doorbell is silent.
 */
export interface BrakeStates {
  listen(): void;
  load(environments: ReadonlyMap<string, 'test' | 'live'>): Promise<void>;
  /** Null for an environment that was not loaded. */
  get(environmentId: string): BrakeState | null;
  /** Call after the commit of a change: once it resolves, the change holds here, and soon in the other processes. */
  changed(): Promise<void>;
}

interface Known {
  state: BrakeState;
  kind: 'test' | 'live';
  readAt: number;
}

const topic = 'brake';
const maxAgeMs = 1_000;
const cachedEnvironments = 10_000;

export function createBrakeStates(
  { pool, doorbell, log }: Pick<Deps, 'pool' | 'doorbell' | 'log'>,
  defaults: DefaultRules,
): BrakeStates {
  const known = createCache<Known>(cachedEnvironments);

  async function read(environments: ReadonlyMap<string, 'test' | 'live'>): Promise<void> {
    const readAt = steadyClock(); // before the query: what changes meanwhile is read again
    for (const row of await listStates(pool, [...environments.keys()])) {
      const id = row.environment_id;
      const kind = environments.get(id) ?? 'test';
      const isNewer = (known.get(id)?.readAt ?? 0) <= readAt;
      if (isNewer) known.set(id, { state: stateOf(row, defaults(kind)), kind, readAt });
    }
  }

  async function readAll(): Promise<void> {
    const all = new Map([...known.entries()].map(([id, { kind }]) => [id, kind]));
    if (all.size === 0) return;
    await read(all).catch((error) =>
      log.debug({ err: error }, 'failed to read the brake; the next batch reads it again'),
    );
  }

  /** The read that is running, and the one after it, which all who ask meanwhile share. */
  let running: Promise<void> = Promise.resolve();
  let following: Promise<void> | null = null;

  /** Reads everything again, after the call. A tenant who changes rules in a loop causes one read at a time, not one for each. */
  function renew(): Promise<void> {
    following ??= running.then(() => {
      following = null;
      running = readAll();
      return running;
    });
    return following;
  }

  return {
    listen() {
      doorbell.on(topic, () => void renew());
    },
    async load(environments) {
      const before = steadyClock() - maxAgeMs;
      const old = [...environments].filter(
        ([id]) => (known.get(id)?.readAt ?? Number.NEGATIVE_INFINITY) < before,
      );
      if (old.length > 0) await untilDatabaseAnswers(() => read(new Map(old)));
    },
    get: (environmentId) => known.get(environmentId)?.state ?? null,
    async changed() {
      doorbell.ring(topic);
      await renew();
    },
  };
}

function stateOf({ rules, freezes, is_spiking, prices }: StateRow, defaults: BrakeRule[]): BrakeState {
  return {
    rules: withDefaults(rules, defaults)
      .filter((rule) => rule.is_enabled)
      .map((rule) => ({ workflowId: null, ...rule })),
    freezes: freezes.map((freeze) => ({ ...freeze, frozen_at: new Date(freeze.frozen_at) })),
    isSpiking: is_spiking,
    prices,
  };
}

/** The rules and freezes of an environment. Disabled rules are included: they replace default ones. */
interface StateRow {
  environment_id: string;
  rules: ActiveRule[];
  freezes: (Omit<FreezeRow, 'frozen_at'> & { frozen_at: string })[];
  is_spiking: boolean;
  prices: Price[];
}

const list = statement<StateRow>(
  'brake_list_states',
  `select given.id as environment_id,
     array(select to_json(rule) from (
       select ${ruleColumns}, (
         select w.id from workflows w where w.environment_id = r.environment_id and w.key = r.match ->> 'workflow_key'
       ) as "workflowId"
       from brake_rules r where r.environment_id = given.id) rule) as rules,
     array(select to_json(f) from brake_freezes f where f.environment_id = given.id order by f.channel) as freezes,
     exists (select from brake_engagements g where g.environment_id = given.id and g.rule = 'spike'
       and g.last_at > now() - interval '150 seconds') as is_spiking, -- noted once a minute
     array(select to_json(p) from prices p where p.environment_id = given.id) as prices
   from unnest($1::uuid[]) as given (id)`,
);

export function listStates(sql: Sql, environmentIds: string[]): Promise<StateRow[]> {
  return list(sql, [environmentIds]);
}
