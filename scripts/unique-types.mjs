// Checks, on the tree in the working directory, that no two files of the server export a type of the same name: a name that
// needs its folder to be understood cannot be searched for. A schema and its type (`const X`, `type X`) are one name.
import { exportsOf, parse, sourcesIn } from './exports.mjs';

const sources = sourcesIn(['server/src']).filter((path) => !/\.test\.ts$|\/test-harness\.ts$/.test(path));
const declared = new Map();
for (const file of sources.map(parse)) {
  for (const { name, isDeclaredType, line } of exportsOf(file)) {
    if (!isDeclaredType) continue;
    declared.set(name, [...(declared.get(name) ?? []), { path: file.fileName, line }]);
  }
}

const problems = [...declared]
  .filter(([, places]) => places.length > 1)
  .map(
    ([name, places]) =>
      `${name} is declared in ${places.map(({ path, line }) => `${path}:${line}`).join(', ')}`,
  )
  .sort();
if (sources.length === 0) problems.push('there is no source file here');
for (const problem of problems) console.error(problem);
if (problems.length === 0) console.log(`${declared.size} exported types have names of their own`);
process.exitCode = problems.length === 0 ? 0 : 1;
