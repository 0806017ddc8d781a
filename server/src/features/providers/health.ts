import type { Outcome } from '../../channels/contract.ts';

/** The rules by which a provider counts as failing. Pure. */

/** The sliding window, and the pieces it is made of. */
export const windowMs = 5 * 60_000;
export const bucketMs = 15_000;
const leastMessages = 20;
const criticalRate = 0.5;
const recoveredRate = 0.1;

/** What one call says about the provider; null: nothing. */
export type Sign = 'well' | 'failing' | 'broken';

/**
 * A provider fails when it did not do its part: it could not be reached, answered with an error of its own, lost the answer, or
 * does not accept our credentials. Refusing a recipient or a content is its part; asking us to slow down has its own answer.
 */
export function signOf(outcome: Outcome): Sign | null {
  switch (outcome.kind) {
    case 'accepted':
    case 'rejected':
    case 'suppress':
      return 'well';
    case 'retry':
      return outcome.recipient || outcome.code === 'stopped' ? null : 'failing';
    case 'broken':
      return 'broken';
    case 'ambiguous':
      return outcome.code === 'stopped' ? null : 'failing';
    case 'throttled':
      return null;
  }
}

/** When a message last counted at a provider, and how. Kept with its work, so that retries of one message count once. */
export interface CountedOutcome {
  at: number;
  failed: boolean;
}

/** What a message adds to the counts. One that failed before and got through now takes its failure back. */
export function countedAs(
  before: CountedOutcome | undefined,
  sign: Sign,
  now: number,
): { messages: number; failed: number } {
  const failed = sign === 'well' ? 0 : 1;
  if (!before || now - before.at >= windowMs) return { messages: 1, failed };
  return { messages: 0, failed: failed - (before.failed ? 1 : 0) };
}

/** The counts of a provider: over the window, and over the part of it since a message last got through a demotion. */
export interface Sums {
  messages: number;
  failed: number;
  messages_since: number;
  failed_since: number;
}

export interface HealthState {
  /** An outage has been announced, and its end not yet. */
  firing: boolean;
  /** It is tried last. */
  demoted: boolean;
}

export interface HealthChange {
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
    // Silence is no recovery: something must have got through.
    recover:
      state.firing && !state.demoted && sums.messages > 0 && sums.failed / sums.messages < recoveredRate,
  };
}

export type HealthStatus = 'healthy' | 'degraded' | 'outage';

/** Degraded: an outage is ending, or many messages fail but not most of them. */
export function statusOf(
  { firing, demoted }: HealthState,
  { messages, failed }: Pick<Sums, 'messages' | 'failed'>,
): HealthStatus {
  if (demoted) return 'outage';
  if (firing) return 'degraded';
  return messages >= leastMessages && failed / messages >= recoveredRate ? 'degraded' : 'healthy';
}
