import type { Claim } from '../../../../queue/index.ts';
import type { BrakeNote, BrakeRequest } from '../../../control/brake/index.ts';
import type { StoredTraceEntry } from '../../../notifications/notifications/index.ts';
import type { CountedOutcome } from '../../../providers/provider-health/index.ts';
import type { DispatchRow } from '../store.ts';

/** The note on the lease that precedes a call which must not be repeated blindly. */
export interface OpenAttempt {
  carrier: string;
  carrier_kind: string;
  started_at: string;
  /** The carrier recognises a repeat, provided that the same carrier gets it. */
  idempotent?: boolean;
  /** The rate limit key of an idempotent carrier, which differs for another account. */
  account?: string;
}

export interface Repeat {
  carrier: string;
  account?: string;
  since: number;
}

/** State that the job of a notification keeps from one claim to the next. */
export interface LeaseNote extends BrakeNote {
  /** The call that was in progress when the worker died. */
  open?: OpenAttempt;
  /** The idempotent carrier that may already have the message; no other carrier may get it. */
  repeat?: Repeat;
  /** The outcome of a call is unknown, and the critical notification is sent once more: a second unknown outcome ends it. */
  sentAgain?: true;
  /** Set while the notification waits for providers that asked us to slow down. */
  waiting?: { since: number; times: number; calls?: number };
  /** Set while the notification waits for the object store. */
  objects?: { since: number; times: number };
  /** The time of the next round. An earlier claim was woken because the connection it waits for was changed. */
  due?: number;
  /** How the notification was counted in the health of providers. */
  counted?: Record<string, CountedOutcome>;
}

export function readLeaseNote(note: unknown): LeaseNote {
  return typeof note === 'object' && note !== null ? note : {};
}

/** Keeps `due` only while it lies in the future: this claim then runs a round ahead of schedule. */
export function leaseNoteAt(note: LeaseNote, claimedAt: number): LeaseNote {
  const { due, ...rest } = note;
  return due !== undefined && due > claimedAt ? note : rest;
}

/** Returns null when there is nothing to keep, which is the usual case. */
export function noteOf(note: LeaseNote): LeaseNote | null {
  return Object.values(note).some((value) => value !== undefined) ? note : null;
}

export function brakeRequest(claim: Claim, row: DispatchRow, note: LeaseNote): BrakeRequest {
  const { held: hold = null, decided: decision = null, braked = false } = note;
  // Work is parked after the gates.
  const isCounted = braked || claim.unparkedFrom !== null;
  return { input: row, at: claim.leasedAt.getTime(), hold, decision, isCounted };
}

/** The hold is over. */
export function passedNote({ held: _held, decided: _decided, ...note }: LeaseNote): LeaseNote {
  return note;
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
