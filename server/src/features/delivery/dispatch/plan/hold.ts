import type { Claim } from '../../../../queue/index.ts';
import type { BrakeRequest } from '../../../control/brake/index.ts';
import type { StoredTraceEntry } from '../../../notifications/notifications/index.ts';
import type { LeaseNote } from '../attempt/lease-note.ts';
import type { FrozenRound } from '../attempt/round.ts';
import type { UnsettledRound } from '../settle/round-settlement.ts';
import type { DispatchFact } from '../store.ts';

/** What dispatch asks the brake, and what the end of a hold leaves in the note, the timeline and the trace. */

export function brakeRequest(claim: Claim, fact: DispatchFact, note: LeaseNote): BrakeRequest {
  const { held: hold = null, decided: decision = null, braked = false } = note;
  // Work is parked after the gates.
  const isCounted = braked || claim.unparkedFrom !== null;
  return { fact, at: claim.leasedAt.getTime(), hold, decision, isCounted };
}

/** The hold is over. */
export function passedNote({ held: _held, decided: _decided, ...note }: LeaseNote): LeaseNote {
  return note;
}

/** The round with the calls that were made before a freeze ended it. */
export function frozenRound(
  round: UnsettledRound,
  { events: before }: UnsettledRound,
  { attempts, events, trace, verdict: { detail } }: FrozenRound,
  now: number,
): UnsettledRound {
  const at = new Date(now).toISOString();
  return {
    ...round,
    attempts: round.attempts + attempts,
    events: attempts > 0 ? [...round.events, ...events] : before,
    trace: [...round.trace, ...trace, { at, kind: 'gate', name: 'brake', verdict: 'hold', detail }],
  };
}

/** The end of a hold: a person released the notification, or it passes because the window of its rule has room. */
export function releaseDetail({ held: hold, decided }: LeaseNote, passes: boolean): string | null {
  if (!hold || hold.released) return null;
  const since = `held by ${hold.hold} since ${new Date(hold.since).toISOString()}`;
  if (decided === 'release') return `Released: ${since}.`;
  return decided === undefined && passes ? `The window of the rule has room again: ${since}.` : null;
}

export function releasedEntry(detail: string, now: number): StoredTraceEntry {
  return { at: new Date(now).toISOString(), kind: 'decision', name: 'brake', verdict: 'released', detail };
}
