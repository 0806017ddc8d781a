import { transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { moveProblemOf } from '../../../http/problem.ts';
import { newId } from '../../../kernel/ids.ts';
import { findSender } from '../../platform/accounts/index.ts';
import { recordEvents } from '../../webhooks/index.ts';
import { judgeHealth } from './health.ts';
import {
  countFiring,
  type HealthRow,
  listHealth,
  lockHealth,
  type ProviderKey,
  updateHealth,
} from './health-store.ts';
import { publishOutages } from './public-outages.ts';

interface Outages {
  judge(providers: ProviderKey[] | 'all'): Promise<void>;
}

/**
 * Counts are written with the messages by many concurrent transactions, none of which sees the uncommitted counts of the
 * others. Outages are therefore judged after the commit and under a lock: each begins and ends once, with its event in the same
 * transaction.
 */
export function createOutages(
  deps: Pick<Deps, 'pool' | 'queue' | 'log' | 'metrics'>,
  probeMs: number,
): Outages {
  const { pool, queue, log } = deps;

  async function change(key: ProviderKey): Promise<void> {
    const announced = await transaction(pool, async (tx) => {
      const row = await lockHealth(tx, key);
      if (!row) return false;
      const { fire, demote, recover } = changeOf(row);
      if (!fire && !demote && !recover) return false;
      const outageId = fire ? newId() : null;
      const since = await updateHealth(tx, key, { outageId, recover, demote, probeMs });
      if (!fire && !recover) return false;
      log.warn(
        {
          environmentId: key.environment_id,
          provider: key.provider,
          messages: row.messages,
          failed: row.failed,
        },
        fire ? 'a provider is failing most messages' : 'a provider has recovered',
      );
      if ((await findSender(tx, key.environment_id))?.plan === 'free') return false;
      const event = {
        // The event takes the id of the outage, so that an outage cannot be announced twice.
        ...(outageId === null ? {} : { id: outageId }),
        environmentId: key.environment_id,
        type: fire ? 'provider.critical' : 'provider.recovered',
        data: outageData(row, row.firing_since ?? since),
      };
      return (await recordEvents(tx, queue, [event])).length > 0;
    });
    if (announced) queue.ring('webhook_delivery');
  }

  return {
    async judge(providers) {
      const rows = await listHealth(pool, providers);
      const due = rows.filter((row) => Object.values(changeOf(row)).some(Boolean));
      for (const { environment_id, provider } of due)
        await change({ environment_id, provider }).catch(skipMoving);
      if (providers !== 'all' && due.length === 0) return;
      deps.metrics.providerOutages.set(await countFiring(pool));
      await publishOutages(pool, log);
    },
  };
}

/** The target of a moving organization judges its providers. */
function skipMoving(error: unknown): void {
  if (!moveProblemOf(error)) throw error;
}

function changeOf(row: HealthRow) {
  return judgeHealth({ firing: row.outage_id !== null, demoted: row.demoted_since !== null }, row);
}

function outageData({ environment_id, provider, name, messages, failed }: HealthRow, since: Date | null) {
  return {
    provider: name ?? provider,
    provider_id: provider,
    environment_id,
    messages,
    failed_messages: failed,
    failure_rate: messages === 0 ? 0 : Math.round((failed / messages) * 10_000) / 10_000,
    firing_since: since?.toISOString() ?? null,
  };
}
