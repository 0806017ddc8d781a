/** Which tests run: `quick` in `npm test`, `long` is what `npm run test:all` adds, `all` when paths are given. */
export const suiteVariable = 'CARILLON_TEST_SUITE';

/** Browsers page by page, killed processes and servers, searched inputs: each takes many times longer than an ordinary test. */
export const longTests = [
  'dashboard/test/!(walk).test.ts',
  'widgets/test/*.test.ts',
  'server/test/{crash,failover,faults,fuzz,move,processes,releases}/*.test.ts',
  'server/test/guides/commands.test.ts',
  'server/test/api/{hostile-input,secrets}.test.ts',
  'server/test/repository/import-law.test.ts',
  'server/src/db/embedded/*.test.ts',
  'server/src/db/migrations.test.ts',
  'server/src/engine/properties.test.ts',
  'server/src/features/providers/provider-health/live.test.ts',
  'server/src/features/workflows/runs/{digest,model,restart}.test.ts',
  'server/src/processes/idle-heap.test.ts',
  'server/src/queue/{heartbeat,lost-claims}.test.ts',
  'cli/test/round-trip.test.ts',
  'sdk/test/{exactly-once,import-law}.test.ts',
];
