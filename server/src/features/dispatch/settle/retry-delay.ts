/** Delays between the rounds through the provider chain: 8 rounds over about 24 hours. */
const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const pauses = [10 * second, minute, 5 * minute, 20 * minute, hour, 4 * hour, 18 * hour];

export const maxRounds = pauses.length + 1;
/** A longer delay asked for by a provider is most likely a mistake. */
const longestAskedMs = 24 * hour;

/**
 * Returns the delay after a failed round, or null when it was the last. Chance (0..1) spreads retries by ±20 %, so that an
 * outage does not end in a stampede. A delay that a provider asks for is honoured regardless of our own scale.
 */
export function retryDelayMs(
  finishedRounds: number,
  scale: number,
  chance: number,
  retryAfterMs: number | null,
): number | null {
  const pause = pauses[finishedRounds - 1];
  if (pause === undefined) return null;
  return Math.max(Math.round(pause * scale * (0.8 + 0.4 * chance)), askedDelayMs(retryAfterMs));
}

/** The delay that a provider asks for, limited to a sensible one. */
export function askedDelayMs(retryAfterMs: number | null): number {
  return Number.isNaN(retryAfterMs) ? 0 : Math.min(retryAfterMs ?? 0, longestAskedMs);
}
