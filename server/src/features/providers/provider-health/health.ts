import type { Outcome } from '../../../channels/contract.ts';

/** The rules by which a provider counts as failing. Pure. */

/** The sliding window and the buckets it consists of. */
export const windowMs = 5 * 60_000;
export const bucketMs = 15_000;
const leastMessages = 20;
const criticalRate = 0.5;
const recoveredRate = 0.1;

/** The result of one call as evidence about the provider; null when the call proves nothing. */
export type Sign = 'well' | 'failing' | 'broken';

/**
 * A provider fails when the fault is its own: it is unreachable, returns a server error, loses the answer, or does not accept
 * our credentials. Rejecting a recipient or a content is normal service, and rate limits are handled by throttles.
 */
export function signOf(outcome: Outcome): Sign | null {
  switch (outcome.kind) {
    case 'accepted':
    case 'rejected':
    case 'suppress':
      return 'well';
    case 'retry':
      return outcome.recipient || outcome.internal || outcome.code === 'stopped' ? null : 'failing';
    case 'broken':
      return 'broken';
    case 'ambiguous':
      return outcome.code === 'stopped' ? null : 'failing';
    case 'throttled':
      return null;
  }
}

/** When and how a message last counted at a provider. Stored with the job, so that retries of one message count once. */
export interface CountedOutcome {
  at: number;
  failed: boolean;
}

/** Returns what a message adds to the counts. A success after a counted failure takes the failure back. */
export function countedAs(
  before: CountedOutcome | undefined,
  sign: Sign,
  now: number,
): { messages: number; failed: number } {
  const failed = sign === 'well' ? 0 : 1;
  if (!before || now - before.at >= windowMs) return { messages: 1, failed };
  return { messages: 0, failed: failed - (before.failed ? 1 : 0) };
}

/** The counts of a provider: over the window, and over the part of it since a message last succeeded during a demotion. */
export interface Sums {
  messages: number;
  failed: number;
  messages_since: number;
  failed_since: number;
}

interface HealthState {
  /** True when the start of an outage has been announced and its end has not. */
  firing: boolean;
  /** True when the provider is tried last. */
  demoted: boolean;
}

interface HealthChange {
  fire: boolean;
  demote: boolean;
  recover: boolean;
}

export function judgeHealth(state: HealthState, sums: Sums): HealthChange {
  const fails = (messages: number, failed: number): boolean =>
    messages >= leastMessages && failed / messages > criticalRate;
  return {
    fire: !state.firing && fails(sums.messages, sums.failed),
    demote: !state.demoted && fails(sums.messages_since, sums.failed_since),
    // An absence of failures is no recovery: at least one message must have succeeded.
    recover:
      state.firing && !state.demoted && sums.messages > 0 && sums.failed / sums.messages < recoveredRate,
  };
}

type HealthStatus = 'healthy' | 'degraded' | 'outage';

/** Degraded means that an outage is ending, or that many messages fail but not most of them. */
export function statusOf(
  { firing, demoted }: HealthState,
  { messages, failed }: Pick<Sums, 'messages' | 'failed'>,
): HealthStatus {
  if (demoted) return 'outage';
  if (firing) return 'degraded';
  return messages >= leastMessages && failed / messages >= recoveredRate ? 'degraded' : 'healthy';
}
