import type { Sql } from '../../db/sql.ts';
import type { Claim, Work } from '../../queue/index.ts';
import { type AdvanceInput, cancelled, type RunAdvance } from './advance.ts';
import * as digests from './digests-store.ts';
import * as sends from './sends-store.ts';
import * as waits from './waits-store.ts';

/** How a claim ends. advance: the run has moved on. wait: nothing happened, it comes again then. close_digest: see advance.ts. */
export type RunJobResult =
  | { kind: 'advance'; claim: Claim; advance: RunAdvance; isTimeout: boolean }
  | { kind: 'wait'; claim: Claim; fact: AdvanceInput; until: number; note?: unknown }
  | { kind: 'close_digest'; claim: Claim; fact: AdvanceInput }
  | { kind: 'gone'; claim: Claim };

export type HeldRunResult = Exclude<RunJobResult, { kind: 'gone' }>;

export type AdvanceResult = Extract<RunJobResult, { kind: 'advance' }>;
export type NextWork = Work & { runAt: Date | null };

export function factOf(ending: HeldRunResult): AdvanceInput {
  return ending.kind === 'advance' ? ending.advance.fact : ending.fact;
}

/** Whatever it was about, the run was cancelled meanwhile. */
export function cancelling(ending: HeldRunResult): AdvanceResult {
  return {
    kind: 'advance',
    claim: ending.claim,
    advance: cancelled({ fact: factOf(ending) }),
    isTimeout: false,
  };
}

/** The notification got somewhere, and not yet where the run wants it. */
function isStillWaiting({ fact, decision }: RunAdvance): boolean {
  return fact.state?.pending?.kind === 'notification' && decision.effect?.kind === 'await_notification';
}

export function workOf({ id, lane, environmentId }: Claim): Work {
  return { kind: 'run', id, lane, environmentId };
}

/**
 * What may have happened to a run while its advance was being thought out. Whoever wakes a run leaves a trace of it under a lock
 * that is taken here (a claimed wait, a counted move, a closed digest), because it found nothing in the queue to hasten.
 */
export async function resolve(
  tx: Sql,
  withCommit: (statement: Promise<unknown>) => void,
  endings: HeldRunResult[],
): Promise<{ advances: AdvanceResult[]; next: NextWork[] }> {
  const facts = endings.map(factOf);
  const waitingFor = (kind: string): string[] =>
    facts.flatMap((fact) => (fact.state?.pending?.kind === kind ? fact.id : []));
  const forEvent = waitingFor('event');
  const forNotification = waitingFor('notification');
  const forDigest = waitingFor('digest_open');
  // A wait that an event has claimed is nobody else's: those who cancel wait for the lock on the run, which is ours.
  const claimedByEvent = new Set(facts.filter(({ event_id }) => event_id !== null).map(({ id }) => id));
  const unclaimed = forEvent.filter((id) => !claimedByEvent.has(id));
  const claimed =
    unclaimed.length > 0 ? await waits.lockWaits(tx, unclaimed) : new Map<string, string | null>();
  const moves =
    forNotification.length > 0 ? await sends.lockSends(tx, forNotification) : new Map<string, number>();
  const open = forDigest.length > 0 ? await digests.lockOpenDigests(tx, forDigest) : new Set<string>();

  const advances: AdvanceResult[] = [];
  const next: NextWork[] = [];
  const closing: string[] = [];
  for (const ending of endings) {
    const { claim } = ending;
    const fact = factOf(ending);
    const pending = fact.state?.pending?.kind;
    const isWoken =
      (pending === 'event' && (claimed.get(fact.id) ?? null) !== null) ||
      (pending === 'notification' && moves.get(fact.id) !== (fact.moves ?? undefined)) ||
      (pending === 'digest_open' && fact.digest?.isOpen === true && !open.has(fact.id));
    switch (ending.kind) {
      case 'wait':
        next.push({ ...workOf(claim), note: ending.note, runAt: isWoken ? null : new Date(ending.until) });
        break;
      case 'close_digest':
        closing.push(fact.id);
        next.push({ ...workOf(claim), runAt: null });
        break;
      case 'advance':
        if (isWoken && (ending.isTimeout || isStillWaiting(ending.advance)))
          next.push({ ...workOf(claim), runAt: null }); // exactly one wins, and it was not the clock
        else advances.push(ending);
        break;
    }
  }
  const moving = new Set(advances.map(({ advance }) => advance.fact.id));
  const left = (waitingIds: string[]): string[] => waitingIds.filter((id) => moving.has(id));
  withCommit(waits.deleteWaits(tx, left(forEvent)));
  const spent = advances.flatMap(({ advance: { fact } }) => fact.event_id ?? []);
  withCommit(waits.deleteSpentEvents(tx, [...new Set(spent)]));
  withCommit(sends.deleteSends(tx, left(forNotification)));
  withCommit(digests.closeDigests(tx, [...closing, ...left(forDigest)]));
  withCommit(digests.deleteItems(tx, left(forDigest)));
  return { advances, next };
}
