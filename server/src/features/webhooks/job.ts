import { type PostResult, sendPost } from '../../channels/webhook/index.ts';
import { untilDatabaseAnswers } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import type { Claim, Job } from '../../queue/index.ts';
import { type DeliveryJobRow, listJobRows } from './deliveries-store.ts';
import { openUrl } from './endpoint-url.ts';
import type { DeliveryNote } from './events.ts';
import { endpointContext, type OpenSecrets } from './secrets.ts';
import { refusedSettlement, settlementOf } from './settle.ts';
import { createDeliveryWriter } from './writer.ts';

type JobDeps = Pick<
  Deps,
  'pool' | 'queue' | 'clock' | 'config' | 'keyring' | 'outbound' | 'metrics' | 'activity' | 'log'
> & { openWebhookSecrets: OpenSecrets };

const capacity = 1_000;

/** The job that delivers events: load a batch, call each endpoint within its limits, and write the results. */
export function createWebhookJob(deps: JobDeps): Job<DeliveryJobRow> {
  const { pool, queue, clock } = deps;
  const writer = createDeliveryWriter(deps);
  const concurrency = queue.concurrencyLimits('webhook_delivery', {
    total: capacity * 0.75, // the capacity of the normal lane
    maxConcurrent: 50,
    maxConcurrentWhenFailing: 10,
  });

  async function run(claim: Claim, row: DeliveryJobRow | undefined): Promise<void> {
    // The delivery was deleted with its environment, or settled by the worker that rescued it: only the lease is left.
    if (row?.status !== 'pending') return writer.end({ kind: 'nothing', claim });
    const permit = await concurrency.acquire(claim, row.endpoint_id);
    if (!permit) return;
    let answered = true;
    let result: PostResult | null = null;
    try {
      const forced = (claim.note as DeliveryNote | null)?.forced === true;
      const { endpoint_status: status } = row;
      if (status === 'paused' && !forced) return await writer.end({ kind: 'paused', claim, row });
      if (status === 'active' || (status !== 'disabled' && forced)) {
        result = await call(row);
        answered = result.answered;
      }
    } finally {
      permit.release(answered);
    }
    if (!result) {
      return writer.end({ kind: 'refused', claim, row, settlement: refusedSettlement(row, clock()) });
    }
    deps.metrics.webhookAttempts.inc({ outcome: result.verdict });
    const { environment_id: environmentId, endpoint_id: endpointId } = row;
    deps.activity.called(environmentId, endpointId, result.verdict === 'succeeded', result.latencyMs);
    const settlement = settlementOf(row, result, {
      now: clock(),
      retryScale: deps.config.CARILLON_RETRY_SCALE,
      chance: Math.random(),
    });
    return writer.end({ kind: 'attempted', claim, row, settlement, verdict: result.verdict });
  }

  function call(row: DeliveryJobRow): Promise<PostResult> {
    const post = {
      url: openUrl(deps.keyring, { ...row, id: row.endpoint_id }),
      id: row.event_id,
      body: row.body,
      chain: row.chain,
      secrets: deps.openWebhookSecrets(endpointContext(row.endpoint_id), row.secrets, clock()),
      timeoutMs: row.timeout_seconds * 1000,
    };
    return sendPost(deps.outbound, post, clock);
  }

  return {
    batch: 100,
    capacity,
    async load(claims) {
      const ids = claims.map(({ id }) => id);
      const rows = await untilDatabaseAnswers(() => listJobRows(pool, ids));
      return new Map(rows.map((row) => [row.id, row]));
    },
    run,
  };
}
