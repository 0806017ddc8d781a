/** Time is an argument: code that needs the time takes a Clock, so a three-day schedule is tested in a millisecond. */
export type Clock = () => number;

export const systemClock: Clock = Date.now;

/** A monotonic clock in milliseconds, for durations. */
export const steadyClock: Clock = () => performance.now();

/** A starting point for measuring a duration. */
export interface Moment {
  at: number;
  steady: number;
}

export const momentNow = (): Moment => ({ at: systemClock(), steady: steadyClock() });

/** Before every other moment. */
export const noMoment: Moment = { at: -Infinity, steady: -Infinity };

/** The elapsed time, also by the wall clock: while a machine sleeps, only the wall clock advances. */
export function msSince({ at, steady }: Moment): number {
  return Math.max(systemClock() - at, steadyClock() - steady);
}
