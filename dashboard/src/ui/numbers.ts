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

/** From millionths of the currency. Amounts below one show more digits: a message often costs less than a cent. */
export function formatMoney(micros: number, currency: string): string {
  const amount = micros / 1_000_000;
  const maximumFractionDigits = amount < 1 ? 4 : 2;
  return new Intl.NumberFormat('en', { style: 'currency', currency, maximumFractionDigits }).format(amount);
}
