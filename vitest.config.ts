import { defaultServerConditions } from 'vite';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { longTests, suiteVariable } from './scripts/long-tests.mjs';

const tests = ['server', 'sdk', 'cli', 'widgets', 'dashboard', 'site', 'deploy'].map(
  (folder) => `${folder}/**/*.test.ts`,
);
const suite = process.env[suiteVariable] ?? 'all';

/** Tests with browsers, killed processes or searched inputs are the longest: at the end one of them would run alone. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) =>
      /\/(dashboard\/test|widgets\/test|server\/test\/(crash|failover|fuzz))\//.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  // Our own packages (@carillon/…) from their sources.
  ssr: { resolve: { conditions: ['carillon-source', ...defaultServerConditions] } },
  test: {
    include: suite === 'long' ? longTests : tests,
    exclude: [...configDefaults.exclude, ...(suite === 'quick' ? longTests : [])],
    globalSetup: ['server/test/harness/global-setup.ts'],
    setupFiles: ['server/test/harness/fixed-seed.ts'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
    // For the two cores that we promise to be enough: more than half of a test's time is waiting, above all for killed processes.
    // Four left a seventh of the processors idle, five a fiftieth.
    maxWorkers: 5,
    pool: 'forks',
    // Until a worker has grown so far (MB), looking for garbage finds little; and it does not live long enough for code that is
    // run less than this (bytes of it) to be worth compiling well. Only Node 20 can be told the latter.
    execArgv: [
      '--initial-heap-size=300',
      '--min-semi-space-size=64',
      '--max-semi-space-size=128',
      ...(process.versions.node.startsWith('20.') ? ['--interrupt-budget=1000000'] : []),
    ],
    // Modules are loaded once per worker, not once per file: that was a third of the time. So none may keep state that matters
    // to a test.
    isolate: false,
    sequence: { sequencer: LongestFirst },
  },
});
