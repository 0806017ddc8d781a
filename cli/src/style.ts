import { stripVTControlCharacters, styleText } from 'node:util';

type Format = Parameters<typeof styleText>[0];
export type Style = (format: Format, text: string) => string;

/** Whether to colour was decided by who made the Io; Node must not decide again by its own stream. */
export function createStyle(color: boolean): Style {
  return (format, text) => (color ? forced(format, text, { validateStream: false }) : text);
}

const forced = styleText as (format: Format, text: string, options?: { validateStream: boolean }) => string;

const statusFormats: Record<string, Format> = {
  delivered: 'green',
  sent: 'green',
  completed: 'green',
  active: 'green',
  queued: 'yellow',
  sending: 'yellow',
  waiting: 'yellow',
  suppressed: 'yellow',
  failed: 'red',
  bounced: 'red',
  complained: 'red',
  cancelled: 'yellow',
};

export function statusStyle(style: Style, status: string): string {
  return style(statusFormats[status.trim().toLowerCase()] ?? 'reset', status);
}

/**
 * Text of others (a subject, an answer of a provider) as a terminal may show it: one line, no control characters, so that it
 * can neither move the cursor nor pretend to be ours.
 */
export function plain(text: string | null | undefined, longest = 200): string {
  const flat = stripVTControlCharacters(text ?? '')
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  return flat.length > longest ? `${flat.slice(0, longest - 1)}…` : flat;
}

/** Columns as wide as their widest cell. */
export function table(rows: string[][]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) {
      widths[index] = Math.max(widths[index] ?? 0, stripVTControlCharacters(cell).length);
    }
  }
  const pad = (cell: string, index: number) =>
    cell + ' '.repeat((widths[index] ?? 0) - stripVTControlCharacters(cell).length);
  return rows.map((row) => row.map(pad).join('  ').trimEnd()).join('\n');
}

export const countOf = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

const barCells = 24;

/** The progress of a broadcast, a bulk action or a release. Without a style the bar has no colours. */
export function progressBar(done: number, total: number, style: Style = (_, text) => text): string {
  const filled = total === 0 ? 0 : Math.min(barCells, Math.floor((done / total) * barCells));
  return style('green', '█'.repeat(filled)) + style('dim', '░'.repeat(barCells - filled));
}
