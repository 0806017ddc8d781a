import { exportsOf } from './exports.mjs';

/**
 * No two files of the server export a type of the same name: a name that needs its folder to be understood cannot be searched for. A
 * schema and its type (`const X`, `type X`) are one name.
 */
export function uniqueTypes(tree) {
  const sources = tree
    .filesIn(['server/src'])
    .filter(({ fileName }) => !/\.test\.ts$|\/test-harness\.ts$/.test(fileName));
  const declared = new Map();
  for (const file of sources) {
    for (const { name, isDeclaredType, line } of exportsOf(file)) {
      if (!isDeclaredType) continue;
      declared.set(name, [...(declared.get(name) ?? []), `${file.fileName}:${line}`]);
    }
  }
  const problems = [...declared]
    .filter(([, places]) => places.length > 1)
    .map(([name, places]) => `${name} is declared in ${places.join(', ')}`)
    .sort();
  if (sources.length === 0) problems.push('there is no source file here');
  return { problems, summary: `${declared.size} exported types have names of their own` };
}
