/** Time is an argument: whatever needs the hour takes a Clock, so a three-day schedule is tested in a millisecond. */
export type Clock = () => number;

export const systemClock: Clock = Date.now;

/** For spans of time: milliseconds by a clock that nobody can set. */
export const steadyClock: Clock = () => performance.now();

/** A moment, to measure from. */
export interface Moment {
  at: number;
  steady: number;
}

export const thisMoment = (): Moment => ({ at: systemClock(), steady: steadyClock() });

export const never: Moment = { at: -Infinity, steady: -Infinity };

/** The time since then also by the clock that can be set: while a machine sleeps, only that one goes on. */
export function msSince({ at, steady }: Moment): number {
  return Math.max(systemClock() - at, steadyClock() - steady);
}
