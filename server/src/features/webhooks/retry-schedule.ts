import { hour, minute, type RetrySchedule, second } from '../../kernel/retry-schedule.ts';

/** The delays between the attempts at a delivery: ten attempts over about three days. */
export const deliverySchedule: RetrySchedule = {
  delaysMs: [
    5 * second,
    5 * minute,
    30 * minute,
    2 * hour,
    5 * hour,
    10 * hour,
    14 * hour,
    20 * hour,
    24 * hour,
  ],
  jitter: 0.1,
  longestAskedMs: 24 * hour,
};

/** An endpoint that fails for this long without one success is disabled. */
export const failingLimitMs = 5 * 24 * hour;
