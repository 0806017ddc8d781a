// Vitest calls it when all tests have run: leaves their number where `npm test` looks for it.
import { writeFileSync } from 'node:fs';

/** In the environment: which file to write. */
export const countsVariable = 'CARILLON_TEST_COUNTS';

export default class CountReporter {
  onTestRunEnd(modules) {
    const counts = { passed: 0, failed: 0, skipped: 0, skippedIn: {} };
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (typeof counts[state] === 'number') counts[state] += 1;
        if (state !== 'skipped') continue;
        const file = module.relativeModuleId;
        counts.skippedIn[file] = (counts.skippedIn[file] ?? 0) + 1;
      }
    }
    writeFileSync(process.env[countsVariable], JSON.stringify(counts));
  }
}
