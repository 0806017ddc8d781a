// `npm run version`: applies the changesets, and writes the new version wherever it stands. With --notes: prints what the
// changelog says about the current version.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureInstalled } from './install.mjs';
import { isProgram, root, run, stop } from './setup.mjs';

const changesets = '@changesets/cli@2.31.1';
const read = (path) => readFileSync(join(root, path), 'utf8');
const packageVersion = (path) => JSON.parse(read(path)).version;

/** The changelog with what was unreleased under this version. Without unreleased changes it stays as it is. */
export function releaseChangelog(text, version, date) {
  if (text.includes(`## [${version}]`)) return text;
  return text.replace(/^## \[Unreleased\]$/m, `## [Unreleased]\n\n## [${version}] - ${date}`);
}

/** The section of a version, without its heading. */
export function notesOf(text, version) {
  const from = text.indexOf(`## [${version}]`);
  if (from === -1) return null;
  const section = text.slice(text.indexOf('\n', from));
  const end = section.search(/^## \[/m);
  return (end === -1 ? section : section.slice(0, end)).trim();
}

async function raiseVersion() {
  await ensureInstalled();
  // Not among the packages of the repository: `npm test` would install its 90 packages too, and only a release needs it.
  await mustRun('npx', ['--yes', changesets, 'version'], { shell: process.platform === 'win32' });
  const version = packageVersion('server/package.json');
  replaceIn('package.json', /("version": ")[^"]+/, version);
  for (const path of ['server/src/kernel/version.ts', 'sdk/src/version.ts'])
    replaceIn(path, /(version = ')[^']+/, version);
  const today = new Date().toISOString().slice(0, 10);
  writeFileSync(join(root, 'CHANGELOG.md'), releaseChangelog(read('CHANGELOG.md'), version, today));
  await mustRun('npm', ['install', '--package-lock-only'], { shell: process.platform === 'win32' });
  await mustRun(process.execPath, ['scripts/generate.mjs']);
  await mustRun(process.execPath, ['scripts/release-dump.mjs']);
}

function replaceIn(path, pattern, version) {
  writeFileSync(join(root, path), read(path).replace(pattern, `$1${version}`));
}

async function mustRun(program, args, options) {
  const code = await run(program, args, options);
  if (code !== 0) stop(`${[program, ...args].join(' ')} failed with exit code ${code}.`);
}

if (isProgram(import.meta.filename)) {
  if (process.argv.includes('--notes')) {
    const version = packageVersion('package.json');
    console.log(notesOf(read('CHANGELOG.md'), version) ?? stop(`CHANGELOG.md has no section ${version}.`));
  } else await raiseVersion();
}
