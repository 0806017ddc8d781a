import type { Sql, WithCommit } from '../../../db/sql.ts';
import type { Claim, Work } from '../../../queue/index.ts';
import { type AdvanceInput, cancelled, type RunAdvance } from './advance.ts';
import * as digests from './digests.ts';
import * as waits from './waits-store.ts';

/**
 * The result of a claim. advance: the run has advanced. wait: nothing happened, and the job runs again then. close_digest: see
 * advance.ts.
 */
export type RunJobResult =
  | { kind: 'advance'; claim: Claim; advance: RunAdvance; isTimeout: boolean }
  | { kind: 'wait'; claim: Claim; run: AdvanceInput; until: number; note?: unknown }
  | { kind: 'close_digest'; claim: Claim; run: AdvanceInput }
  | { kind: 'gone'; claim: Claim };

export type LeasedRunResult = Exclude<RunJobResult, { kind: 'gone' }>;

export type AdvanceResult = Extract<RunJobResult, { kind: 'advance' }>;
export type NextWork = Work & { runAt: Date | null };

export function runOf(result: LeasedRunResult): AdvanceInput {
  return result.kind === 'advance' ? result.advance.run : result.run;
}

/** Replaces the result with a cancellation, for a run that was cancelled in the meantime. */
export function cancelling(result: LeasedRunResult): AdvanceResult {
  return {
    kind: 'advance',
    claim: result.claim,
    advance: cancelled({ run: runOf(result) }),
    isTimeout: false,
  };
}

/** True when the notification has changed its status, but not to the one that the run waits for. */
function isStillWaiting({ run, decision }: RunAdvance): boolean {
  return run.state?.pending?.kind === 'notification' && decision.effect?.kind === 'await_notification';
}

export function workOf({ id, lane, environmentId }: Claim): Work {
  return { kind: 'run', id, lane, environmentId };
}

/**
 * Detects what woke a run while its advance was computed. The run was leased, so there was no job to run now: an event or a status leaves a
 * mark instead, under a lock that is taken here. The mark is a claimed wait, a counted move, or a closed digest.
 */
export async function resolve(
  tx: Sql,
  withCommit: WithCommit,
  results: LeasedRunResult[],
): Promise<{ advances: AdvanceResult[]; next: NextWork[] }> {
  const runs = results.map(runOf);
  const waitingFor = (kind: string): string[] =>
    runs.flatMap((run) => (run.state?.pending?.kind === kind ? run.id : []));
  const forEvent = waitingFor('event');
  const forNotification = waitingFor('notification');
  const forDigest = waitingFor('digest_open');
  // A wait that an event has claimed needs no lock: cancellations wait for the lock on the run, which this transaction holds.
  const claimedByEvent = new Set(runs.filter(({ event_id }) => event_id !== null).map(({ id }) => id));
  const unclaimed = forEvent.filter((id) => !claimedByEvent.has(id));
  const claimed =
    unclaimed.length > 0 ? await waits.lockWaits(tx, unclaimed) : new Map<string, string | null>();
  const moves =
    forNotification.length > 0 ? await waits.lockSends(tx, forNotification) : new Map<string, number>();
  const open = forDigest.length > 0 ? await digests.lockOpenDigests(tx, forDigest) : new Set<string>();

  const advances: AdvanceResult[] = [];
  const next: NextWork[] = [];
  const closing: string[] = [];
  for (const result of results) {
    const { claim } = result;
    const run = runOf(result);
    const pending = run.state?.pending?.kind;
    const isWoken =
      (pending === 'event' && (claimed.get(run.id) ?? null) !== null) ||
      (pending === 'notification' && moves.get(run.id) !== (run.moves ?? undefined)) ||
      (pending === 'digest_open' && run.digest?.isOpen === true && !open.has(run.id));
    switch (result.kind) {
      case 'wait':
        next.push({ ...workOf(claim), note: result.note, runAt: isWoken ? null : new Date(result.until) });
        break;
      case 'close_digest':
        closing.push(run.id);
        next.push({ ...workOf(claim), runAt: null });
        break;
      case 'advance':
        if (isWoken && (result.isTimeout || isStillWaiting(result.advance)))
          next.push({ ...workOf(claim), runAt: null }); // exactly one input ends the wait, and it was not the timeout
        else advances.push(result);
        break;
    }
  }
  const moving = new Set(advances.map(({ advance }) => advance.run.id));
  const left = (waitingIds: string[]): string[] => waitingIds.filter((id) => moving.has(id));
  withCommit(waits.deleteWaits(tx, left(forEvent)));
  const spent = advances.flatMap(({ advance: { run } }) => run.event_id ?? []);
  withCommit(waits.deleteSpentEvents(tx, [...new Set(spent)]));
  withCommit(waits.deleteSends(tx, left(forNotification)));
  withCommit(digests.closeDigests(tx, [...closing, ...left(forDigest)]));
  withCommit(digests.deleteItems(tx, left(forDigest)));
  return { advances, next };
}
