/** The calendar month (UTC) of a moment, by its first day: `2026-02-01`. */
export function monthOf(at: number): string {
  return `${new Date(at).toISOString().slice(0, 7)}-01`;
}

export function nextMonth(month: string): string {
  const first = new Date(month);
  return new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 1)).toISOString().slice(0, 10);
}
