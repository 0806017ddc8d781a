// `npm run bench -- NAME`: runs bench/NAME.ts, which ends with `NAME: <figure> (goal <op> <figure>)`. Without a name: lists
// them. What benchmarks share stands in folders below bench/.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runTypeScript } from './run-typescript.mjs';
import { root, stop } from './setup.mjs';

const folder = join(root, 'bench');
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -'.ts'.length))
  .sort();
const [name, ...args] = process.argv.slice(2);

if (name === undefined) {
  console.log('npm run bench -- NAME, where NAME is one of:\n');
  for (const each of names) console.log(`  ${each.padEnd(12)} ${describe(each)}`);
} else if (names.includes(name)) {
  process.exitCode = await runTypeScript(`bench/${name}.ts`, args);
} else {
  stop(`Unknown benchmark ${name}. Available: ${names.join(', ')}.`);
}

/** The first comment line of the file. */
function describe(each) {
  const text = readFileSync(join(folder, `${each}.ts`), 'utf8');
  return /^\s*(?:\/\/|\/\*\*?|\*)\s*(\S.*?)(?:\s*\*\/)?$/m.exec(text)?.[1] ?? '';
}
