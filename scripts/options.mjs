// The options of our commands. One that is not known ends the command: an option that is ignored looks like one that works.

/** Of `npm start` and of the published server. What follows one of them belongs to it. The service has the list too, and a test compares them. */
export const startOptions = [
  '--help',
  '--version',
  '--reset-password',
  '--create-organization',
  '--organization',
  '--backup',
  '--restore',
  '--database-url',
  '--compact',
  '--rotate-secrets',
  '--accept-lost-key',
  '--open-incident',
  '--update-incident',
  '--resolve-incident',
];

/**
 * For commands whose options are switches: `{ '--free-ports': 'take any free ports' }`. Ends the process when one is not known,
 * or when only help was wanted.
 */
export function checkSwitches(command, does, switches = {}) {
  const words = process.argv.slice(2);
  if (words.includes('--help')) {
    const lines = Object.entries({ ...switches, '--help': 'show this help' });
    console.log(
      [`${command}: ${does}`, '', ...lines.map(([name, text]) => `  ${name.padEnd(14)} ${text}`)].join('\n'),
    );
    process.exit(0);
  }
  refuseUnknown(words, Object.keys(switches));
}

export function refuseUnknown(words, known) {
  const wrong = words.find((word) => !known.includes(word));
  if (wrong === undefined) return;
  const all = [...new Set([...known, '--help'])];
  const meant = all.find((option) => typosBetween(wrong, option) <= 2);
  const hint = meant ? `Did you mean ${meant}? ` : '';
  console.error(`Unknown option ${wrong}. ${hint}--help lists all options.`);
  process.exit(2);
}

/** Letters to insert, delete or replace. */
function typosBetween(one, other) {
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (const [row, letter] of [...one].entries()) {
    const next = [row + 1];
    for (const [column, otherLetter] of [...other].entries()) {
      const replaced = last[column] + (letter === otherLetter ? 0 : 1);
      next.push(Math.min(replaced, last[column + 1] + 1, next[column] + 1));
    }
    last = next;
  }
  return last[other.length];
}
