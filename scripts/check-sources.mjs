// Checks what the source files of the working directory declare and import, by their syntax alone.
import { composedOnce } from './composed-once.mjs';
import { readTree } from './exports.mjs';
import { uniqueTypes } from './unique-types.mjs';
import { unusedExports } from './unused-exports.mjs';

const tree = readTree('.');
for (const check of [unusedExports, uniqueTypes, composedOnce]) {
  const { problems, summary } = check(tree);
  for (const problem of problems) console.error(problem);
  if (problems.length === 0) console.log(summary);
  else process.exitCode = 1;
}
