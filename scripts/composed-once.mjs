import ts from 'typescript';
import { exportsOf } from './exports.mjs';

const composition = 'server/src/services.ts';
const isServiceFactory = (name) =>
  /^create\w+(Service|Store|Directory|Secrets|Links|Targets|Connections)$/.test(name);

/**
 * A process has one of each service: a factory that server/src/services.ts calls, or that is named like one, is called in one file.
 * Carriers, caches and batches are made per use, and are not meant.
 */
export function composedOnce(tree) {
  const files = tree
    .filesIn(['server/src'])
    .filter(({ fileName }) => !/\.test\.ts$|\/test-harness\.ts$/.test(fileName));
  const exported = new Set(
    files
      .filter(({ fileName }) => /^server\/src\/(features|channels)\//.test(fileName))
      .flatMap((file) => exportsOf(file).map(({ name }) => name)),
  );

  /** Factory → the files that call it. */
  const callers = new Map();
  for (const file of files) {
    const visit = (node) => {
      const name = ts.isCallExpression(node) && ts.isIdentifier(node.expression) ? node.expression.text : '';
      if (/^create[A-Z]/.test(name) && exported.has(name))
        callers.set(name, (callers.get(name) ?? new Set()).add(file.fileName));
      ts.forEachChild(node, visit);
    };
    if (file.text.includes('create')) visit(file);
  }

  const factories = [...callers].filter(([name, paths]) => isServiceFactory(name) || paths.has(composition));
  const problems = factories
    .filter(([, paths]) => paths.size > 1)
    .map(([name, paths]) => `${name} is called in ${[...paths].sort().join(', ')}`)
    .sort();
  if (factories.length === 0) problems.push('there is no factory of a service here');
  return { problems, summary: `${factories.length} factories of services are called in one file each` };
}
