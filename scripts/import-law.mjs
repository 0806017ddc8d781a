// Checks the import law of .dependency-cruiser.cjs on the tree in the working directory, and that every source file was
// looked at: with a TypeScript it does not know, dependency-cruiser looks at none and reports success.
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const law = createRequire(import.meta.url)('../.dependency-cruiser.cjs');
const clients = [
  'sdk/src',
  'sdk/generate',
  'sdk/test',
  'cli/src',
  'cli/test',
  'widgets/src',
  'widgets/test',
  'dashboard/src',
  'dashboard/test',
  'site',
];
const folders = ['server/src', 'server/test', 'bench', 'deploy', ...clients].filter((folder) =>
  existsSync(folder),
);

const sources = folders.flatMap((folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(
      (entry) =>
        entry.isFile() && /\.[mc]?tsx?$/.test(entry.name) && !entry.parentPath.includes('node_modules'),
    )
    .map((entry) => join(entry.parentPath, entry.name).replaceAll('\\', '/')),
);
if (sources.length === 0) {
  console.error('there is no source file here');
  process.exit(1);
}
const { cruise } = await import('dependency-cruiser'); // takes a second to load
const { output } = await cruise(folders, {
  ...law.options,
  validate: true,
  ruleSet: { forbidden: law.forbidden },
});

const seen = new Map(output.modules.map((module) => [module.source, module]));
const problems = [
  ...sources.filter((source) => !seen.has(source)).map((source) => `${source} was not looked at`),
  ...output.summary.violations.map(describe),
];
// Modules that were found but not understood have no dependencies at all; then no rule can bite.
if (sources.length > 1 && !sources.some((source) => seen.get(source)?.dependencies.length > 0)) {
  problems.push('no import was seen in any file: dependency-cruiser does not understand this TypeScript');
}

for (const problem of problems) console.error(problem);
if (problems.length === 0) console.log(`${sources.length} files keep the import law`);
process.exitCode = problems.length === 0 ? 0 : 1;

function describe({ from, to, rule, cycle }) {
  const why = law.forbidden.find((each) => each.name === rule.name)?.comment ?? '';
  const path = cycle ? [from, ...cycle.map((step) => step.name)].join(' → ') : `${from} → ${to}`;
  return `${path}\n    ${rule.name}: ${why}`;
}
