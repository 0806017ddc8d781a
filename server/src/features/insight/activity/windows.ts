import type { ActivityBucket, ActivitySpan } from './store.ts';
import { callSlotMs } from './tally.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** The length of each window, its steps (at most 180 of them), and the bucket it is read from. */
const shapes = {
  '1h': { spanMs: hourMs, stepMs: minuteMs, rowSeconds: 60 },
  '6h': { spanMs: 6 * hourMs, stepMs: 2 * minuteMs, rowSeconds: 60 },
  '24h': { spanMs: 24 * hourMs, stepMs: 10 * minuteMs, rowSeconds: 600 },
  '7d': { spanMs: 7 * 24 * hourMs, stepMs: hourMs, rowSeconds: 600 },
} as const satisfies Record<string, { spanMs: number; stepMs: number; rowSeconds: ActivityBucket }>;
export type Window = keyof typeof shapes;
export const windows = Object.keys(shapes) as [Window, ...Window[]];

export function rowSecondsOf(window: Window): ActivityBucket {
  return shapes[window].rowSeconds;
}

/**
 * The last step is the current one: so nothing in a window is older than the window is long, which is how long counts are kept.
 */
export function spanOf(window: Window, now: number, leastStepMs: number = minuteMs): ActivitySpan {
  const { spanMs, stepMs: wanted } = shapes[window];
  const stepMs = Math.max(wanted, leastStepMs);
  const end = (Math.floor(now / stepMs) + 1) * stepMs;
  return { from: new Date(end - spanMs), to: new Date(end), stepSeconds: stepMs / 1000 };
}

/** The span for calls to webhook endpoints, which are counted in larger slots. */
export function callSpanOf(window: Window, now: number): ActivitySpan {
  return spanOf(window, now, callSlotMs);
}

/** Returns one entry for each step of a span, also for empty ones. */
export function stepsOf<Entry>(
  { from, to, stepSeconds }: ActivitySpan,
  entryAt: (at: number) => Entry,
): Entry[] {
  const entries: Entry[] = [];
  for (let at = from.getTime(); at < to.getTime(); at += stepSeconds * 1000) entries.push(entryAt(at));
  return entries;
}
