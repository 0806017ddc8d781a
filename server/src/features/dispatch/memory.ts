import type { Counted } from '../providers/index.ts';

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
export interface Memory {
  /** A call was under way when its worker died. */
  open?: OpenAttempt;
  /** A carrier may have the message since then, and recognises a repeat: nobody else may be given it. */
  repeat?: Repeat;
  /** It is waiting for providers that asked us to slow down. */
  waiting?: { since: number; times: number; calls?: number };
  /** When its next round is due. A claim before that was woken: the connection it waits for was changed. */
  due?: number;
  /** How it counted in the health of providers. */
  counted?: Record<string, Counted>;
}

export function readMemory(note: unknown): Memory {
  if (typeof note !== 'object' || note === null) return {};
  // Leases of earlier versions hold the open attempt alone.
  return 'carrier' in note ? { open: note as OpenAttempt } : (note as Memory);
}

/** Its `due` is kept only while that is still to come: the round of this claim is then one before its time. */
export function memoryAt(memory: Memory, claimedAt: number): Memory {
  const { due, ...rest } = memory;
  return due !== undefined && due > claimedAt ? memory : rest;
}

/** Null when there is nothing to remember, as for most. */
export function noteOf(memory: Memory): Memory | null {
  return Object.values(memory).some((value) => value !== undefined) ? memory : null;
}
