import type { HoldDecision, HoldNote } from '../../../control/brake/index.ts';
import type { CountedOutcome } from '../../../providers/provider-health/index.ts';

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
export interface LeaseNote {
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
  /** Set while the brake holds the notification. */
  held?: HoldNote;
  /** What a person decided about the hold. */
  decided?: HoldDecision;
  /** The limits of the brake have counted the notification, however many rounds it needs. The brake writes it to the lease, too. */
  braked?: true;
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
