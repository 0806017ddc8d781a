import { shortNumber } from './chart.tsx';

/** Exact while it is short, else rounded: 9,999, 12.3K. */
export function formatCount(count: number): string {
  return count < 10_000 ? count.toLocaleString('en') : shortNumber(count);
}

/** Never rounds up to 100 %: one failure among thousands must be visible. */
export function formatShare(share: number): string {
  const percent = Math.floor(share * 1000) / 10;
  return `${percent.toLocaleString('en', { maximumFractionDigits: 1 })} %`;
}
