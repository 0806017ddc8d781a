import type { PostResult } from '../../channels/webhook/index.ts';
import { type AfterCommit, createOutcomeWriter } from '../../db/batched-writer.ts';
import type { Sql } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import { type Claim, finishLeased } from '../../queue/index.ts';
import { recordAudit, serviceAuthor } from '../platform/audit/index.ts';
import {
  clearNextAttempts,
  type DeliveryJobRow,
  type DeliverySettlement,
  settleDeliveries,
} from './deliveries-store.ts';
import { disableEndpoints, markFailing, markWell } from './endpoints-store.ts';
import { recordEvents } from './events.ts';
import { enqueueDeliveries } from './paused.ts';
import { failingLimitMs } from './settle.ts';
import { endpointView } from './view.ts';

/**
 * The result of a claim. nothing: there was nothing to do. paused: the endpoint is paused. refused: the endpoint is disabled, and
 * no call is made.
 */
type DeliveryResult =
  | { kind: 'nothing'; claim: Claim }
  | { kind: 'paused'; claim: Claim; row: DeliveryJobRow }
  | { kind: 'refused'; claim: Claim; row: DeliveryJobRow; settlement: DeliverySettlement }
  | {
      kind: 'attempted';
      claim: Claim;
      row: DeliveryJobRow;
      settlement: DeliverySettlement;
      verdict: PostResult['verdict'];
    };

interface DeliveryWriter {
  end(result: DeliveryResult): Promise<void>;
}

/** Writes the results of deliveries in micro-batches: outcomes, the health of endpoints, and the next jobs. */
export function createDeliveryWriter(
  deps: Pick<Deps, 'pool' | 'queue' | 'clock' | 'config' | 'log' | 'metrics'>,
): DeliveryWriter {
  const { queue, clock } = deps;

  async function write(tx: Sql, results: DeliveryResult[]): Promise<AfterCommit> {
    const mine = await finishLeased(tx, queue, 'webhook_delivery', results);
    await pause(
      tx,
      mine.filter((result) => result.kind === 'paused'),
    );
    await settleDeliveries(
      tx,
      mine.flatMap((result) => ('settlement' in result ? result.settlement : [])),
    );
    await queue.postpone(tx, mine.flatMap(nextAttempt));
    const isAnnounced = await noteHealth(
      tx,
      mine.filter((result) => result.kind === 'attempted'),
    );
    return (): undefined => {
      if (isAnnounced) queue.ring('webhook_delivery');
    };
  }

  /** An endpoint may have been resumed since its deliveries were loaded; those go on. */
  async function pause(tx: Sql, results: Extract<DeliveryResult, { kind: 'paused' }>[]): Promise<void> {
    if (results.length === 0) return;
    const due = results.map(({ row }) => ({
      id: row.id,
      environmentId: row.environment_id,
      endpointId: row.endpoint_id,
    }));
    const waiting = await enqueueDeliveries(tx, queue, due, [
      ...new Set(due.map(({ endpointId }) => endpointId)),
    ]);
    if (waiting.length > 0) await clearNextAttempts(tx, waiting);
  }

  /** Most batches change no endpoint: only the first failure, and the first success after it, are written. */
  async function noteHealth(
    tx: Sql,
    results: Extract<DeliveryResult, { kind: 'attempted' }>[],
  ): Promise<boolean> {
    const idsWhere = (condition: (result: (typeof results)[number]) => boolean): string[] => [
      ...new Set(results.filter(condition).map(({ row }) => row.endpoint_id)),
    ];
    const well = idsWhere(({ verdict, row }) => verdict === 'succeeded' && row.failing_since !== null);
    if (well.length > 0) await markWell(tx, well);
    const succeeded = new Set(idsWhere(({ verdict }) => verdict === 'succeeded'));
    const failing = idsWhere(
      ({ verdict, row }) => verdict !== 'succeeded' && !succeeded.has(row.endpoint_id),
    );
    if (failing.length === 0) return false;
    await markFailing(tx, failing, new Date(clock()));
    return disable(
      tx,
      idsWhere(({ verdict }) => verdict === 'gone'),
      failing,
    );
  }

  async function disable(tx: Sql, gone: string[], failing: string[]): Promise<boolean> {
    const limit = new Date(clock() - failingLimitMs * deps.config.CARILLON_RETRY_SCALE);
    const disabled = await disableEndpoints(tx, gone, failing, limit);
    for (const row of disabled) {
      deps.log.warn({ endpointId: row.id, reason: row.disabled_reason }, 'webhook endpoint disabled');
      const after = endpointView(row);
      await recordAudit(tx, serviceAuthor(row.organization_id, row.environment_id), {
        action: 'webhook_endpoint.auto_disabled',
        target: `webhook_endpoint:${row.id}`,
        before: { ...after, status: 'active', disabled_reason: null },
        after,
      });
    }
    const events = disabled.map((row) => ({
      environmentId: row.environment_id,
      type: 'webhook.endpoint.disabled',
      data: { ...endpointView(row), reason: row.disabled_reason },
    }));
    return (await recordEvents(tx, queue, events)).length > 0;
  }

  return {
    end: createOutcomeWriter(deps, write, {
      kind: 'webhook_delivery',
      idOf: ({ claim }) => claim.id,
      concurrency: 2,
      maxItems: 200,
    }),
  };
}

function nextAttempt(result: DeliveryResult) {
  if (result.kind !== 'attempted' || result.settlement.next_attempt_at === null) return [];
  const { kind, id, lane, environmentId } = result.claim;
  return [{ kind, id, lane, environmentId, runAt: new Date(result.settlement.next_attempt_at) }];
}
