import { explained } from './channels.ts';
import { type Command, commonOptions, type Options } from './command.ts';
import type { Style } from './style.ts';
import { table } from './style.ts';

export function overview(commands: readonly Command[], version: string, style: Style): string {
  const rows = commands.map(({ name, summary }) => [`  ${style('cyan', name)}`, summary]);
  return [
    `carillon ${version}: send, watch, trace and configure notifications from the terminal.`,
    '',
    'Usage: carillon <command> [arguments]',
    '',
    table(rows),
    '',
    '`carillon <command> --help` shows the options and examples of a command.',
    'Environment: CARILLON_URL, CARILLON_API_KEY, CARILLON_PROFILE, NO_COLOR.',
    'Exit codes: 0 success, 1 failure, 2 usage error, 3 not found, 130 interrupted.',
  ].join('\n');
}

export function commandHelp(command: Command, style: Style): string {
  const own = command.passesOn ? {} : { ...command.options, ...commonOptions };
  const usage = ['Usage: carillon', command.name, command.arguments, command.passesOn ? '' : '[options]'];
  return [
    `${command.summary}.`,
    '',
    usage.filter(Boolean).join(' '),
    ...(command.details ? ['', command.details] : []),
    ...(Object.keys(own).length > 0 ? ['', optionTable(own)] : []),
    '',
    'Examples:',
    ...command.examples.flatMap(({ command: line, says }) => [`  ${style('dim', `# ${says}`)}`, `  ${line}`]),
  ].join('\n');
}

function optionTable(options: Options): string {
  const rows = Object.entries(options).map(
    ([name, { short, value, type, description, multiple, choices }]) => [
      `  ${short ? `-${short}, ` : '    '}--${name}${type === 'string' ? ` <${value ?? 'text'}>` : ''}`,
      [description, multiple && 'repeatable', choices?.map(explained).join(', ')].filter(Boolean).join('; '),
    ],
  );
  return table(rows);
}

/** What was probably meant: the fewest letters apart, if few enough. */
export function nearest(given: string, known: readonly string[]): string | null {
  const scored = known
    .map((name) => ({ name, score: name.startsWith(given) ? 0.5 : distance(given, name) }))
    .sort((one, other) => one.score - other.score);
  const [best] = scored;
  return best && best.score <= Math.max(1, Math.floor(given.length / 3)) ? best.name : null;
}

/** Letters to change, insert, delete or swap with their neighbour. */
function distance(one: string, other: string): number {
  const rows = Array.from({ length: one.length + 1 }, (_, row) =>
    Array.from({ length: other.length + 1 }, (_each, column) =>
      row === 0 ? column : column === 0 ? row : 0,
    ),
  );
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= one.length; row++) {
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1];
      let least = Math.min(
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + (same ? 0 : 1),
      );
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      if (swapped) least = Math.min(least, at(row - 2, column - 2) + 1);
      (rows[row] as number[])[column] = least;
    }
  }
  return at(one.length, other.length);
}
