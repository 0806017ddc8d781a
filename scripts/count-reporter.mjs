// Vitest calls it when all tests have run: leaves their number where `npm test` looks for it.
import { writeFileSync } from 'node:fs';

/** In the environment: which file to write. */
export const countsVariable = 'CARILLON_TEST_COUNTS';

export default class CountReporter {
  onTestRunEnd(modules) {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state in counts) counts[state] += 1;
      }
    }
    writeFileSync(process.env[countsVariable], JSON.stringify(counts));
  }
}
