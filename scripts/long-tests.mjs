/** Which tests run: `quick` in `npm test`, `long` is what `npm run test:all` adds, `all` when paths are given. */
export const suiteVariable = 'CARILLON_TEST_SUITE';

/** Browsers page by page, killed processes and servers, searched inputs: each takes many times longer than an ordinary test. */
export const longTests = [
  'dashboard/test/!(walk).test.ts',
  'widgets/test/*.test.ts',
  'server/test/{crash,failover,fuzz,move,processes,releases}/*.test.ts',
  'server/test/guides/commands.test.ts',
  'server/test/faults/{backup,bundled-outage,database-outage,two-processes}.test.ts',
  'server/test/api/hostile-input.test.ts',
  'server/src/db/embedded/*.test.ts',
  'server/src/features/workflows/runs/{model,restart}.test.ts',
];
