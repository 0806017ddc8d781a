import { shortNumber } from './chart.tsx';

/** As it is while it can be read at a glance, else rounded: 9,999, 12.3K. */
export function formatCount(count: number): string {
  return count < 10_000 ? count.toLocaleString('en') : shortNumber(count);
}

/** Never rounded up to 100 %: one that failed among thousands should be seen. */
export function formatShare(share: number): string {
  const percent = Math.floor(share * 1000) / 10;
  return `${percent.toLocaleString('en', { maximumFractionDigits: 1 })} %`;
}
