import { hour, maxAttemptsOf, minute, type RetrySchedule, second } from '../../../kernel/retry-schedule.ts';

/** The delays between the rounds through the provider chain: 8 rounds over about 24 hours. */
export const roundSchedule: RetrySchedule = {
  delaysMs: [10 * second, minute, 5 * minute, 20 * minute, hour, 4 * hour, 18 * hour],
  jitter: 0.2,
  longestAskedMs: 24 * hour,
};

export const maxRounds = maxAttemptsOf(roundSchedule);
