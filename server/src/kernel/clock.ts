/** Time is an argument: whatever needs the hour takes a Clock, so a three-day schedule is tested in a millisecond. */
export type Clock = () => number;

export const systemClock: Clock = Date.now;
