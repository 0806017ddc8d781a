import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Our own packages (@carillon/…) from their sources.
  ssr: { resolve: { conditions: ['carillon-source', ...defaultServerConditions] } },
  test: {
    include: ['server', 'sdk', 'cli', 'widgets', 'dashboard'].map((folder) => `${folder}/**/*.test.ts`),
    globalSetup: ['server/test/global-setup.ts'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
    // Twice the two cores that we promise to be enough: half of a test's time is waiting. Three left a tenth of them idle.
    maxWorkers: 4,
    pool: 'forks',
    // MB. Until a worker has grown so far, looking for garbage finds little.
    execArgv: ['--initial-heap-size=300'],
    // Modules are loaded once per worker, not once per file: that was a third of the time. So none may keep state that matters
    // to a test.
    isolate: false,
  },
});
