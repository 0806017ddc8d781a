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

  async function run(claim: Claim, fact: AdvanceInput | undefined): Promise<void> {
    // A run that has ended or was erased since has only its lease left.
    if (!fact || (fact.state === null && fact.status !== 'pending' && fact.status !== 'cancelling'))
      return writer.end({ kind: 'gone', claim });
    const effect = await fetchOf(tasks, fact);
    if (effect) return runFetch(claim, fact, effect);
    const opening = openingOf(fact);
    switch (opening.kind) {
      case 'early':
        return writer.end({ kind: 'wait', claim, fact, until: opening.until });
      case 'close_digest':
        return writer.end({ kind: 'close_digest', claim, fact });
      default:
        return advance(claim, fact, opening);
    }
  }

  async function advance(claim: Claim, fact: AdvanceInput, input: Input): Promise<void> {
    const advanced = await untilDatabaseAnswers(() => advanceRun({ drafts, tasks }, fact, input));
    await writer.end({ kind: 'advance', claim, advance: advanced, isTimeout: input.kind === 'timer' });
  }

  /** The state that announces the call is already written: this advance makes the call. */
  async function runFetch(claim: Claim, fact: AdvanceInput, effect: FetchEffect): Promise<void> {
    const concurrencyKey = concurrencyKeyOf(fact.environment_id, effect);
    const permit = concurrencyKey === null ? null : await concurrency.acquire(claim, concurrencyKey);
    if (concurrencyKey !== null && !permit) return; // the job is parked until the key has a free permit
    const attempt = (claim.note as FetchNote | null)?.attempt ?? 1;
    const startedAt = clock();
    let isAlive = true;
    try {
      const fetched = await attemptFetch(deps.outbound, effect, {
        idempotencyKey: `${fact.id}:${effect.attemptId}`,
        chain: chainOf(fact),
        attempt,
        retryScale: deps.config.CARILLON_RETRY_SCALE,
        now: startedAt,
      });
      const later = { ...fact, now: fact.now + Math.max(0, clock() - startedAt) };
      switch (fetched.kind) {
        case 'again': {
          isAlive = fetched.answered;
          const note: FetchNote = { attempt: attempt + 1 };
          return await writer.end({ kind: 'wait', claim, fact, until: later.now + fetched.afterMs, note });
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
    run,
  };
}

async function loadInputs(
  { pool, definitions }: JobDeps,
  claims: Claim[],
): Promise<Map<string, AdvanceInput>> {
  const facts = await listAdvanceRows(
    pool,
    claims.map(({ id }) => id),
  );
  const [pinned, notifications, digests] = await Promise.all([
    definitions.load(facts.map(({ workflow_id, version }) => ({ workflowId: workflow_id, version }))),
    loadNotifications(pool, facts),
    loadDigests(pool, facts),
  ]);
  return new Map(
    facts.map((fact) => {
      const version = pinned.get(nameOf(fact.workflow_id, fact.version));
      const pending = fact.state?.pending;
      return [
        fact.id,
        {
          ...fact,
          workflowKey: version?.workflowKey ?? '',
          definition: version?.definition ?? null,
          notification:
            pending?.kind === 'notification' ? (notifications.get(pending.notificationId) ?? null) : null,
          digest: digests.get(fact.id) ?? null,
        },
      ];
    }),
  );
}

async function loadNotifications(
  pool: Sql,
  facts: AdvanceRow[],
): Promise<Map<string, AdvanceInput['notification']>> {
  const ids = facts.flatMap(({ state }) =>
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
  facts: AdvanceRow[],
): Promise<Map<string, NonNullable<AdvanceInput['digest']>>> {
  const ids = facts.flatMap(({ id, state }) => (state?.pending?.kind === 'digest_open' ? id : []));
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
