import { untilDatabaseAnswers } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import type { FetchEffect, Input, Json } from '../../engine/index.ts';
import type { Claim, Job } from '../../queue/index.ts';
import { createDrafts, type LookupSources, listStatuses } from '../notifications/index.ts';
import { createDefinitions, nameOf } from '../workflows/index.ts';
import { type AdvanceInput, advanceRun, fetchOf, openingOf } from './advance.ts';
import { listItems, listOpenDigests } from './digests-store.ts';
import { attemptFetch, concurrencyKeyOf } from './fetch.ts';
import { listFacts, type RunFact } from './store.ts';
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
>;

/** The work's own memory between the attempts at one call. */
interface FetchNote {
  attempt: number;
}

const capacity = 800;

/** The work of taking runs on: load a batch, decide what each does next, do it, write all of it at once. */
export function createRunJob(deps: JobDeps, sources: LookupSources): Job<AdvanceInput> {
  const { pool, clock } = deps;
  // Claims are few enough to wait for their advance; only requests are refused.
  const tasks = deps.tasks.unlimited;
  const definitions = createDefinitions(deps);
  const drafts = createDrafts(deps, sources);
  const writer = createRunWriter(deps, drafts);
  const concurrency = deps.queue.concurrencyLimits('run', {
    total: capacity / 2,
    maxConcurrent: 50,
    maxConcurrentWhenFailing: 10,
  });

  async function load(claims: Claim[]): Promise<Map<string, AdvanceInput>> {
    const facts = await listFacts(
      pool,
      claims.map(({ id }) => id),
    );
    const [pinned, notifications, digests] = await Promise.all([
      definitions.load(facts.map(({ workflow_id, version }) => ({ workflowId: workflow_id, version }))),
      loadNotifications(facts),
      loadDigests(facts),
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

  async function loadNotifications(facts: RunFact[]): Promise<Map<string, AdvanceInput['notification']>> {
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

  /** Whether it is open is asked first: of one that is closed, all items are there. */
  async function loadDigests(facts: RunFact[]): Promise<Map<string, NonNullable<AdvanceInput['digest']>>> {
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

  async function run(claim: Claim, fact: AdvanceInput | undefined): Promise<void> {
    // Ended or erased since; only the lease is left.
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
        return goOn(claim, fact, opening);
    }
  }

  async function goOn(claim: Claim, fact: AdvanceInput, input: Input): Promise<void> {
    const advance = await untilDatabaseAnswers(() => advanceRun({ drafts, tasks }, fact, input));
    await writer.end({ kind: 'advance', claim, advance, isTimeout: input.kind === 'timer' });
  }

  /** The state that says so is written: this is the advance that makes the call. */
  async function runFetch(claim: Claim, fact: AdvanceInput, effect: FetchEffect): Promise<void> {
    const concurrencyKey = concurrencyKeyOf(fact.environment_id, effect);
    const permit = concurrencyKey === null ? null : await concurrency.acquire(claim, concurrencyKey);
    if (concurrencyKey !== null && !permit) return; // it waits for room there, and comes again
    const attempt = (claim.note as FetchNote | null)?.attempt ?? 1;
    const startedAt = clock();
    let isAlive = true;
    try {
      const fetched = await attemptFetch(deps.outbound, effect, {
        idempotencyKey: `${fact.id}:${effect.attemptId}`,
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
          return await goOn(claim, later, { kind: 'fetch_failed', reason: fetched.reason });
        case 'fetched':
          return await goOn(claim, later, { kind: 'fetched', body: fetched.body });
      }
    } finally {
      permit?.release(isAlive);
    }
  }

  return {
    batch: 100,
    capacity,
    load: (claims) => untilDatabaseAnswers(() => load(claims)),
    run,
  };
}
