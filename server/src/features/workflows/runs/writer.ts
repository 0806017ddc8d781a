import { type AfterCommit, createBatchedWriter } from '../../../db/batched-writer.ts';
import type { Sql, WithCommit } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import type { WaitForEventEffect } from '../../../engine/index.ts';
import { type Claim, finishLeased } from '../../../queue/index.ts';
import type { Drafts } from '../../notifications/notifications/index.ts';
import { listSubscriptions, recordSubscribed } from '../../webhooks/index.ts';
import {
  type AdvanceInput,
  continued,
  endedEvent,
  hasEnded,
  type RunAdvance,
  refusedAt,
  stepWritesOf,
  updateOf,
} from './advance.ts';
import { joinDigests } from './digests.ts';
import {
  type AdvanceResult,
  cancelling,
  type LeasedRunResult,
  type NextWork,
  type RunJobResult,
  resolve,
  runOf,
  workOf,
} from './resolve.ts';
import { lockRuns, updateRuns, upsertSteps } from './store.ts';
import { takeThrottles } from './throttles.ts';
import * as waits from './waits-store.ts';

type WriterDeps = Pick<Deps, 'pool' | 'queue'> & { drafts: Drafts };

interface RunWriter {
  end(result: RunJobResult): Promise<void>;
}

/**
 * Writes the results of runs in micro-batches: one transaction for the leases, the runs, their timelines, their sends and the
 * next jobs.
 */
export function createRunWriter(deps: WriterDeps): RunWriter {
  return {
    // Rows are locked in one order where that is possible; a deadlock elsewhere leads to another try.
    end: createBatchedWriter<RunJobResult>(
      deps.pool,
      (tx, results, withCommit) => writeResults(tx, deps, results, withCommit),
      {
        concurrency: 2,
        maxItems: 200,
        weigh,
        maxWeight: 1_000_000, // eight times as much takes 70 ms to write as JSON
        whenUnavailable: 'wait',
      },
    ),
  };
}

async function writeResults(
  tx: Sql,
  { queue, drafts }: WriterDeps,
  results: RunJobResult[],
  withCommit: WithCommit,
): Promise<AfterCommit> {
  const ids = results.map(({ claim }) => claim.id);
  const [, leased, statuses] = await Promise.all([
    waits.lockWaitKeys(tx, 'wait', results.flatMap(lookbackKeyOf)),
    finishLeased(tx, queue, 'run', results),
    lockRuns(tx, ids),
  ]);
  const mine = leased.filter(
    (result): result is LeasedRunResult => result.kind !== 'gone' && statuses.has(result.claim.id),
  );
  const { advances, next } = await resolve(
    tx,
    withCommit,
    mine.map((result) => {
      const isCancelled =
        statuses.get(result.claim.id) === 'cancelling' && runOf(result).status !== 'cancelling';
      return isCancelled ? cancelling(result) : result;
    }),
  );

  const settled = await withinPlan(tx, drafts, advances);
  const digested = await joinAll(tx, await throttleAll(tx, settled));
  const waiting = await beginWaits(tx, digested.advances);
  for (const { claim, advance } of digested.advances) {
    const isWoken = waiting.has(advance.run.id) || digested.full.has(advance.run.id);
    next.push(...nextWork(claim, advance, isWoken));
  }
  const pastEvents = await listSubscriptions(
    tx,
    digested.advances.flatMap(({ advance }) => endedEvent(advance)),
  );

  // Waiting jobs are locked before the fairness tags, in the order that the promotion of due jobs uses.
  if (digested.others.length > 0) withCommit(queue.runNow(tx, 'run', digested.others));
  withCommit(
    updateRuns(
      tx,
      digested.advances.map(({ advance }) => updateOf(advance)),
    ),
  );
  withCommit(
    upsertSteps(
      tx,
      digested.advances.flatMap(({ advance }) => stepWritesOf(advance)),
    ),
  );
  const sent = digested.advances.flatMap(({ advance }) => advance.sends.map(({ draft }) => draft));
  drafts.write(tx, withCommit, sent);
  withCommit(
    queue.postpone(
      tx,
      next.flatMap((work) => (work.runAt ? { ...work, runAt: work.runAt } : [])),
    ),
  );
  const ready = next.filter((work) => !work.runAt);
  withCommit(queue.enqueue(tx, ready));
  const isAnnounced = pastEvents.length > 0 && (await recordSubscribed(tx, queue, pastEvents)).length > 0;
  return (): undefined => {
    drafts.written(sent);
    if (sent.length > 0) queue.ring('notification');
    if (ready.length + digested.others.length > 0) queue.ring('run');
    if (isAnnounced) queue.ring('webhook_delivery');
  };
}

/** The plan limit may have been used up since the sends were checked. */
async function withinPlan(tx: Sql, drafts: Drafts, advances: AdvanceResult[]): Promise<AdvanceResult[]> {
  const refused = await drafts.refused(
    tx,
    advances.flatMap(({ advance }) => advance.sends.map(({ draft }) => draft)),
  );
  if (refused.size === 0) return advances;
  return advances.map((result) => {
    for (const [index, { draft }] of result.advance.sends.entries()) {
      const problem = refused.get(draft.id);
      if (problem) return { ...result, advance: refusedAt(result.advance, index, problem) };
    }
    return result;
  });
}

async function throttleAll(tx: Sql, advances: AdvanceResult[]): Promise<AdvanceResult[]> {
  const requests = advances.flatMap(({ advance: { run, decision } }) =>
    decision.effect?.kind === 'take_throttle'
      ? [{ runId: run.id, workflowId: run.workflow_id, effect: decision.effect, now: run.now }]
      : [],
  );
  const answers = await takeThrottles(tx, requests);
  return advances.map((result) => {
    const input = answers.get(result.advance.run.id);
    return input ? { ...result, advance: continued(result.advance, input) } : result;
  });
}

/**
 * `full` holds survivors of this batch whose digest is full, so that they need not wait; `others` holds survivors that
 * already wait and can run now.
 */
async function joinAll(
  tx: Sql,
  advances: AdvanceResult[],
): Promise<{ advances: AdvanceResult[]; full: Set<string>; others: string[] }> {
  const joins = advances.flatMap(({ advance: { run, decision } }) =>
    decision.effect?.kind === 'join_digest'
      ? [{ runId: run.id, workflowId: run.workflow_id, effect: decision.effect, now: run.now }]
      : [],
  );
  const { inputs, full } = await joinDigests(tx, joins);
  const joined = advances.map((result) => {
    const input = inputs.get(result.advance.run.id);
    return input ? { ...result, advance: continued(result.advance, input) } : result;
  });
  return { advances: joined, full, others: [...full].filter((id) => !inputs.has(id)) };
}

/** Returns the runs that need not wait, because what they wait for has already arrived. */
async function beginWaits(tx: Sql, advances: AdvanceResult[]): Promise<Set<string>> {
  const begun = advances.flatMap(({ advance: { run, decision } }) => {
    const { effect } = decision;
    if (effect?.kind !== 'wait_for_event') return [];
    return [{ run_id: run.id, wait_key: waitKeyFor(run, effect), lookback: effect.lookback }];
  });
  const awaited = advances.flatMap(({ advance: { run, decision } }) => {
    const { effect } = decision;
    if (effect?.kind !== 'await_notification') return [];
    return [{ notification_id: effect.notificationId, run_id: run.id, wait_for: effect.waitFor }];
  });
  const looking = begun.filter(({ lookback }) => lookback);
  await Promise.all([waits.insertWaits(tx, begun), waits.insertSends(tx, awaited)]);
  // The events of this advance are written first, so that the lookback does not find an event that the run has just received.
  const pastEvents = looking.length === 0 ? [] : advances.flatMap(({ advance }) => stepWritesOf(advance));
  await upsertSteps(
    tx,
    pastEvents.filter(({ eventId }) => eventId !== null),
  );
  const past = await waits.listPastEvents(tx, looking);
  await waits.claimWaits(tx, past);
  return new Set(past.map(({ runId }) => runId));
}

/** An advance that changes while it is written never starts to wait for another event: it ends or collects a digest. */
function lookbackKeyOf(result: RunJobResult): string[] {
  if (result.kind !== 'advance') return [];
  const { run, decision } = result.advance;
  return decision.effect?.kind === 'wait_for_event' && decision.effect.lookback
    ? [waitKeyFor(run, decision.effect)]
    : [];
}

function waitKeyFor(run: AdvanceInput, { eventName, matchKey }: WaitForEventEffect): string {
  return waits.waitKeyOf(run.workflow_id, eventName, matchKey);
}

function nextWork(claim: Claim, advance: RunAdvance, isWoken: boolean): NextWork[] {
  if (hasEnded(advance)) return [];
  const { effect } = advance.decision;
  const until = effect && 'until' in effect ? effect.until : 0;
  const isNow = isWoken || until <= advance.run.now;
  return [{ ...workOf(claim), runAt: isNow ? null : new Date(until) }];
}

/** The approximate number of characters written: the state and the sends of a run may be large. */
function weigh(result: RunJobResult): number {
  if (result.kind !== 'advance') return 0;
  const { decision, sends: sent } = result.advance;
  const words = sent.map(({ draft: { acceptance } }) => {
    const { html_body, text_body } = acceptance.content;
    return (html_body?.length ?? 0) + (text_body?.length ?? 0);
  });
  return words.reduce((sum, length) => sum + length, JSON.stringify(decision.state).length);
}
