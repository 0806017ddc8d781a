import type { CountedOutcome } from '../../providers/index.ts';

/** What is written on the lease before a call that must not be repeated blindly. */
export interface OpenAttempt {
  carrier: string;
  carrier_kind: string;
  started_at: string;
  /** The carrier recognises a repeat, as long as it is the same carrier. */
  idempotent?: boolean;
  /** Of such a carrier: its pace, which another account has not. */
  account?: string;
}

export interface Repeat {
  carrier: string;
  account?: string;
  since: number;
}

/** What a notification's work remembers from one claim to the next. */
export interface LeaseNote {
  /** A call was under way when its worker died. */
  open?: OpenAttempt;
  /** A carrier may have the message since then, and recognises a repeat: nobody else may be given it. */
  repeat?: Repeat;
  /** It is waiting for providers that asked us to slow down. */
  waiting?: { since: number; times: number; calls?: number };
  /** When its next round is due. A claim before that was woken: the connection it waits for was changed. */
  due?: number;
  /** How it counted in the health of providers. */
  counted?: Record<string, CountedOutcome>;
}

export function readLeaseNote(note: unknown): LeaseNote {
  if (typeof note !== 'object' || note === null) return {};
  // Leases of earlier versions hold the open attempt alone.
  return 'carrier' in note ? { open: note as OpenAttempt } : (note as LeaseNote);
}

/** Its `due` is kept only while that is still to come: the round of this claim is then one before its time. */
export function leaseNoteAt(note: LeaseNote, claimedAt: number): LeaseNote {
  const { due, ...rest } = note;
  return due !== undefined && due > claimedAt ? note : rest;
}

/** Null when there is nothing to remember, as for most. */
export function noteOf(note: LeaseNote): LeaseNote | null {
  return Object.values(note).some((value) => value !== undefined) ? note : null;
}
