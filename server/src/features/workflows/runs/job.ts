import { type Sql, untilDatabaseAnswers } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import type { FetchEffect, Input, Json } from '../../../engine/index.ts';
import type { Claim, Job } from '../../../queue/index.ts';
import { type Drafts, listStatuses } from '../../notifications/notifications/index.ts';
import { type Definitions, nameOf } from '../workflows/index.ts';
import { type AdvanceInput, advanceRun, chainOf, fetchOf, openingOf } from './advance.ts';
import { listItems, listOpenDigests } from './digests.ts';
import { attemptFetch, concurrencyKeyOf } from './fetch.ts';
import { type AdvanceRow, listAdvanceRows } from './store.ts';
import { createRunWriter } from './writer.ts';

type JobDeps = Pick<
  Deps,
  | 'pool'
  | 'queue'
  | 'clock'
  | 'config'
  | 'metrics'
  | 'activity'
  | 'outbound'
  | 'keyring'
  | 'storage'
  | 'tasks'
> & { definitions: Definitions; drafts: Drafts };

/** The state kept in the queue between the attempts at one call. */
interface FetchNote {
  attempt: number;
}

const capacity = 800;

/** The job that advances runs: load a batch, decide the next step of each run, perform it, and write the batch at once. */
export function createRunJob(deps: JobDeps): Job<AdvanceInput> {
  const { clock, drafts } = deps;
  // Claims are few enough to wait for a free thread; only requests are refused when all are busy.
  const tasks = deps.tasks.unlimited;
  const writer = createRunWriter(deps);
  const concurrency = deps.queue.concurrencyLimits('run', {
    total: capacity / 2,
    maxConcurrent: 50,
    maxConcurrentWhenFailing: 10,
  });

  async function runClaim(claim: Claim, run: AdvanceInput | undefined): Promise<void> {
    // A run that has ended or was erased since has only its lease left.
    if (!run || (run.state === null && run.status !== 'pending' && run.status !== 'cancelling'))
      return writer.end({ kind: 'gone', claim });
    const effect = await fetchOf(tasks, run);
    if (effect) return runFetch(claim, run, effect);
    const opening = openingOf(run);
    switch (opening.kind) {
      case 'early':
        return writer.end({ kind: 'wait', claim, run, until: opening.until });
      case 'close_digest':
        return writer.end({ kind: 'close_digest', claim, run });
      default:
        return advance(claim, run, opening);
    }
  }

  async function advance(claim: Claim, run: AdvanceInput, input: Input): Promise<void> {
    const advanced = await untilDatabaseAnswers(() => advanceRun({ drafts, tasks }, run, input));
    await writer.end({ kind: 'advance', claim, advance: advanced, isTimeout: input.kind === 'timer' });
  }

  /** The state that announces the call is already written: this advance makes the call. */
  async function runFetch(claim: Claim, run: AdvanceInput, effect: FetchEffect): Promise<void> {
    const concurrencyKey = concurrencyKeyOf(run.environment_id, effect);
    const permit = concurrencyKey === null ? null : await concurrency.acquire(claim, concurrencyKey);
    if (concurrencyKey !== null && !permit) return; // the job is parked until the key has a free permit
    const attempt = (claim.note as FetchNote | null)?.attempt ?? 1;
    const startedAt = clock();
    let isAlive = true;
    try {
      const fetched = await attemptFetch(deps.outbound, effect, {
        idempotencyKey: `${run.id}:${effect.attemptId}`,
        chain: chainOf(run),
        attempt,
        retryScale: deps.config.CARILLON_RETRY_SCALE,
        now: startedAt,
      });
      const later = { ...run, now: run.now + Math.max(0, clock() - startedAt) };
      switch (fetched.kind) {
        case 'again': {
          isAlive = fetched.answered;
          const note: FetchNote = { attempt: attempt + 1 };
          return await writer.end({ kind: 'wait', claim, run, until: later.now + fetched.afterMs, note });
        }
        case 'failed':
          return await advance(claim, later, { kind: 'fetch_failed', reason: fetched.reason });
        case 'fetched':
          return await advance(claim, later, { kind: 'fetched', body: fetched.body });
      }
    } finally {
      permit?.release(isAlive);
    }
  }

  return {
    batch: 100,
    capacity,
    load: (claims) => untilDatabaseAnswers(() => loadInputs(deps, claims)),
    run: runClaim,
  };
}

async function loadInputs(
  { pool, definitions }: JobDeps,
  claims: Claim[],
): Promise<Map<string, AdvanceInput>> {
  const rows = await listAdvanceRows(
    pool,
    claims.map(({ id }) => id),
  );
  const [pinned, notifications, digests] = await Promise.all([
    definitions.load(rows.map(({ workflow_id, version }) => ({ workflowId: workflow_id, version }))),
    loadNotifications(pool, rows),
    loadDigests(pool, rows),
  ]);
  return new Map(
    rows.map((row) => {
      const version = pinned.get(nameOf(row.workflow_id, row.version));
      const pending = row.state?.pending;
      return [
        row.id,
        {
          ...row,
          workflowKey: version?.workflowKey ?? '',
          definition: version?.definition ?? null,
          notification:
            pending?.kind === 'notification' ? (notifications.get(pending.notificationId) ?? null) : null,
          digest: digests.get(row.id) ?? null,
        },
      ];
    }),
  );
}

async function loadNotifications(
  pool: Sql,
  runs: AdvanceRow[],
): Promise<Map<string, AdvanceInput['notification']>> {
  const ids = runs.flatMap(({ state }) =>
    state?.pending?.kind === 'notification' ? state.pending.notificationId : [],
  );
  if (ids.length === 0) return new Map();
  const rows = await listStatuses(pool, ids);
  return new Map(
    rows.map(({ id, status, last_error, suppression_reason }) => [
      id,
      { status, reason: suppression_reason ?? last_error },
    ]),
  );
}

/** Whether a digest is open is read before its items: a closed digest has all of its items. */
async function loadDigests(
  pool: Sql,
  runs: AdvanceRow[],
): Promise<Map<string, NonNullable<AdvanceInput['digest']>>> {
  const ids = runs.flatMap(({ id, state }) => (state?.pending?.kind === 'digest_open' ? id : []));
  if (ids.length === 0) return new Map();
  const open = await listOpenDigests(pool, ids);
  const items = new Map<string, Json[]>();
  for (const { run_id, item } of await listItems(
    pool,
    ids.filter((id) => !open.has(id)),
  ))
    items.set(run_id, [...(items.get(run_id) ?? []), item]);
  return new Map(ids.map((id) => [id, { isOpen: open.has(id), items: items.get(id) ?? [] }]));
}
