// `npm test`: install when needed, check, then the tests that a person waits for. `npm run test:long` runs those that take long, and
// `npm run test:all` both. Paths go to Vitest, which then runs all of their tests: `npm test -- server/src/queue`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { check } from './check.mjs';
import { ensureChromium } from './chromium.mjs';
import { countsVariable } from './count-reporter.mjs';
import { ensureInstalled } from './install.mjs';
import { suiteVariable } from './long-tests.mjs';
import { withScratch } from './scratch.mjs';
import { run } from './setup.mjs';
import { ensureSwaks } from './swaks.mjs';

await ensureInstalled();
const isLong = process.argv.includes('--long');
const args = process.argv.slice(2).filter((each) => each !== '--long');
const suite = isLong ? 'long' : args.length > 0 ? 'all' : 'quick';
if (args.length === 0 || args.some((each) => /widgets|dashboard|packages/.test(each))) await ensureChromium();
if (args.length === 0 || args.some((each) => each.includes('smtp-in'))) await ensureSwaks();
const checked = isLong || (await check());
const { code, passed, failed, skipped, skippedIn } = await runTests(args);

if (!checked) console.log('checks failed: see above');
for (const [file, count] of Object.entries(skippedIn)) console.log(`skipped: ${count} in ${file}`);
// A file that could not be loaded has no tests to count, and a run without tests proves nothing: the exit code says so.
process.exitCode = checked && code === 0 && failed === 0 && passed > 0 ? 0 : 1;
console.log(`tests: ${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);

function runTests(args) {
  return withScratch(async (folder) => {
    const counts = join(folder, 'counts.json');
    const reporters = ['--reporter=default', '--reporter=./scripts/count-reporter.mjs'];
    const code = await run(
      process.execPath,
      ['node_modules/vitest/vitest.mjs', 'run', ...reporters, ...args],
      { env: { ...process.env, TMPDIR: folder, [countsVariable]: counts, [suiteVariable]: suite } },
    );
    return { code, ...read(counts) };
  });
}

function read(counts) {
  try {
    return JSON.parse(readFileSync(counts, 'utf8'));
  } catch {
    return { passed: 0, failed: 0, skipped: 0, skippedIn: {} }; // Vitest ended before it wrote them
  }
}
