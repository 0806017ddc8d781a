import { useSyncExternalStore } from 'react';
import { common } from '../strings/common.ts';
import { exactTime, utcTime } from './time-format.ts';

/** "3 minutes ago", with the exact time on hover and in `datetime`. */
export function Time({ at }: { at: string | null | undefined }) {
  const now = useNow();
  if (!at) return <span>–</span>;
  const date = new Date(at);
  return (
    <time dateTime={at} title={`${exactTime(date)}\n${utcTime(date)}`} style={{ whiteSpace: 'nowrap' }}>
      {relativeTime(date.getTime() - now)}
    </time>
  );
}

/** To the millisecond, in local time; in UTC on hover. */
export function ExactTime({ at }: { at: string }) {
  const date = new Date(at);
  return (
    <time dateTime={at} title={utcTime(date)} style={{ fontVariantNumeric: 'tabular-nums' }}>
      {exactTime(date)}
    </time>
  );
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const;

export function relativeTime(ms: number): string {
  const size = Math.abs(ms);
  if (size < 5000) return common.justNow;
  const text = roughDuration(size);
  return ms < 0 ? common.ago(text) : common.inTime(text);
}

function roughDuration(ms: number): string {
  const [unit, length] = units.find(([, each]) => ms >= each) ?? ['s', 1000];
  return `${Math.floor(ms / length)} ${unit}`;
}

/** 12 ms, 1.4 s, 3 min 20 s. */
export function duration(ms: number): string {
  if (ms < 1) return '< 1 ms';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const index = units.findIndex(([, each]) => ms >= each);
  const [unit, length] = units[index] ?? ['s', 1000];
  const [nextUnit, nextLength] = units[index + 1] ?? ['s', 1000];
  const rest = Math.floor((ms % length) / nextLength);
  return `${Math.floor(ms / length)} ${unit}${rest > 0 ? ` ${rest} ${nextUnit}` : ''}`;
}

/** One clock for all: it ticks every 10 seconds, and only while a component uses it. */
let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    now = Date.now();
    timer = setInterval(() => {
      now = Date.now();
      for (const each of listeners) each();
    }, 10_000);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearInterval(timer);
  };
}

export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}
