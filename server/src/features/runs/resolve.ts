import type { Sql } from '../../db/sql.ts';
import type { Claim, Work } from '../../queue/index.ts';
import * as digests from './digests-store.ts';
import * as sends from './sends-store.ts';
import { cancelled, type Turn, type TurnFact } from './turn.ts';
import * as waits from './waits-store.ts';

/** How a claim ends. turn: the run has moved on. wait: nothing happened, it comes again then. close_digest: see turn.ts. */
export type Ending =
  | { kind: 'turn'; claim: Claim; turn: Turn; isTimeout: boolean }
  | { kind: 'wait'; claim: Claim; fact: TurnFact; until: number; note?: unknown }
  | { kind: 'close_digest'; claim: Claim; fact: TurnFact }
  | { kind: 'gone'; claim: Claim };

export type Held = Exclude<Ending, { kind: 'gone' }>;

export type TurnEnding = Extract<Ending, { kind: 'turn' }>;
export type NextWork = Work & { runAt: Date | null };

export function factOf(ending: Held): TurnFact {
  return ending.kind === 'turn' ? ending.turn.fact : ending.fact;
}

/** Whatever it was about, the run was cancelled meanwhile. */
export function cancelling(ending: Held): TurnEnding {
  return { kind: 'turn', claim: ending.claim, turn: cancelled({ fact: factOf(ending) }), isTimeout: false };
}

/** The notification got somewhere, and not yet where the run wants it. */
function isStillWaiting({ fact, decision }: Turn): boolean {
  return fact.state?.pending?.kind === 'notification' && decision.effect?.kind === 'await_notification';
}

export function workOf({ id, lane, environmentId }: Claim): Work {
  return { kind: 'run', id, lane, environmentId };
}

/**
 * What may have happened to a run while its turn was being thought out. Whoever wakes a run leaves a trace of it under a lock
 * that is taken here (a claimed wait, a counted move, a closed digest), because it found nothing in the queue to hasten.
 */
export async function resolve(
  tx: Sql,
  lastly: (statement: Promise<unknown>) => void,
  endings: Held[],
): Promise<{ turns: TurnEnding[]; next: NextWork[] }> {
  const facts = endings.map(factOf);
  const waitingFor = (kind: string): string[] =>
    facts.flatMap((fact) => (fact.state?.pending?.kind === kind ? fact.id : []));
  const forEvent = waitingFor('event');
  const forNotification = waitingFor('notification');
  const forDigest = waitingFor('digest_open');
  // A wait that an event has claimed is nobody else's: those who cancel wait for the lock on the run, which is ours.
  const heard = new Set(facts.filter(({ event_id }) => event_id !== null).map(({ id }) => id));
  const unheard = forEvent.filter((id) => !heard.has(id));
  const claimed = unheard.length > 0 ? await waits.lockWaits(tx, unheard) : new Map<string, string | null>();
  const moves =
    forNotification.length > 0 ? await sends.lockSends(tx, forNotification) : new Map<string, number>();
  const open = forDigest.length > 0 ? await digests.lockOpenDigests(tx, forDigest) : new Set<string>();

  const turns: TurnEnding[] = [];
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
      case 'turn':
        if (isWoken && (ending.isTimeout || isStillWaiting(ending.turn)))
          next.push({ ...workOf(claim), runAt: null }); // exactly one wins, and it was not the clock
        else turns.push(ending);
        break;
    }
  }
  const moving = new Set(turns.map(({ turn }) => turn.fact.id));
  const left = (waitingIds: string[]): string[] => waitingIds.filter((id) => moving.has(id));
  lastly(waits.deleteWaits(tx, left(forEvent)));
  const spent = turns.flatMap(({ turn: { fact } }) => fact.event_id ?? []);
  lastly(waits.deleteSpentEvents(tx, [...new Set(spent)]));
  lastly(sends.deleteSends(tx, left(forNotification)));
  lastly(digests.closeDigests(tx, [...closing, ...left(forDigest)]));
  lastly(digests.deleteItems(tx, left(forDigest)));
  return { turns, next };
}
