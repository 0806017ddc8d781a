import { lanes } from './work.ts';

/** What the pacing of claims depends on. Times are those of the steady clock. */
export interface ClaimState {
  /** Most items in one claim, and most items leased by this process. */
  batch: number;
  capacity: number;
  /** Items leased now, and those of them that came with the last bulk claim. */
  held: number;
  bulkInFlight: number;
  last: LastClaims;
  /** The last claim found less critical and normal work than it asked for: only bulk is left. */
  onlyBulkIsLeft: boolean;
}

export interface LastClaims {
  /** The last claim of critical or normal work, and the last of critical work. */
  urgentAt: number;
  criticalAt: number;
  /** The last bulk claim, and the end of the last one whose items have all ended. */
  bulkAt: number;
  bulkEndedAt: number;
}

export const noClaims: LastClaims = { urgentAt: -Infinity, criticalAt: -Infinity, bulkAt: 0, bulkEndedAt: 0 };

export type NextClaim =
  | { kind: 'claim'; maxLane: number; limit: number }
  /** `ms`: until bulk may be claimed; null when leased work must end first. */
  | { kind: 'wait'; ms: number | null };

/** Urgent work is critical or normal. It keeps bulk small for so long after it arrived. */
const urgentWindowMs = 1_000;
const smallBulkBatch = 25;
const bulkWaitMs = 50;
/** Bulk rests this many times as long as its last batch took while critical work arrives. */
const bulkRest = 3;

/** Bulk may use half of the capacity and normal three quarters, so critical always finds room. */
const shares = { [lanes.critical]: 1, [lanes.normal]: 0.75, [lanes.bulk]: 0.5 };

export function nextClaim(state: ClaimState, now: number): NextClaim {
  return state.onlyBulkIsLeft ? nextBulkClaim(state, now) : nextUrgentClaim(state);
}

function nextUrgentClaim(state: ClaimState): NextClaim {
  const maxLane = roomFor(lanes.normal, state) > 0 ? lanes.normal : lanes.critical;
  const limit = Math.min(state.batch, roomFor(maxLane, state));
  return limit > 0 ? { kind: 'claim', maxLane, limit } : { kind: 'wait', ms: null };
}

/**
 * Bulk is claimed in batches, the next one when the last is done or slow, so that urgent work never waits behind more than one batch,
 * neither here nor in the database. While urgent work arrives the batches are small; while critical work arrives bulk also rests
 * after each batch, because on a machine that is never idle all work waits.
 */
function nextBulkClaim(state: ClaimState, now: number): NextClaim {
  const { batch, last } = state;
  const isUrgent = now - last.urgentAt < urgentWindowMs;
  const isCritical = now - last.criticalAt < urgentWindowMs;
  const limit = Math.min(isUrgent ? Math.min(smallBulkBatch, batch) : batch, roomFor(lanes.bulk, state));
  const restedAt = isCritical ? last.bulkEndedAt + bulkRestMs(last.bulkEndedAt - last.bulkAt) : now;
  const readyAt = state.bulkInFlight > 0 ? last.bulkAt + bulkWaitMs : restedAt;
  if (readyAt > now) return { kind: 'wait', ms: readyAt - now };
  return limit > 0 ? { kind: 'claim', maxLane: lanes.bulk, limit } : { kind: 'wait', ms: null };
}

function roomFor(lane: keyof typeof shares, { capacity, held }: ClaimState): number {
  return Math.floor(capacity * shares[lane]) - held;
}

/** How long bulk rests after a batch that took so long. */
function bulkRestMs(tookMs: number): number {
  return Math.min(bulkRest * tookMs, bulkWaitMs);
}
