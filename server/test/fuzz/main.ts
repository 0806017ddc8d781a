// `npm run fuzz -- --minutes 10 --seed 7`: searches for inputs of at most 100 KB that hold the event loop for more than 50 ms.
import { parseArgs } from 'node:util';
import { startTemporaryPostgres } from '../../src/db/embedded/index.ts';
import { fuzz, limitMs } from './search.ts';
import { startTarget } from './target.ts';

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    area: { type: 'string', multiple: true },
  },
});
const minutes = Number(options.minutes);
const seed = Number(options.seed);
if (!(minutes > 0) || !Number.isInteger(seed)) {
  console.error('npm run fuzz -- --minutes NUMBER --seed NUMBER [--area NAME]');
  process.exit(1);
}

console.log(`seed ${seed}, ${minutes} minutes\n`);
const postgres = await startTemporaryPostgres({ fsync: 'off', synchronous_commit: 'off' });
const target = await startTarget(postgres.url);
try {
  const report = await fuzz(target, {
    seed,
    forMs: minutes * 60_000,
    minimise: true,
    ...(options.area ? { areas: options.area } : {}),
    log: (line) => console.log(line),
  });
  console.log(`\nthis machine takes ${report.cpuFactor.toFixed(2)} times as long as that of the benchmarks`);
  console.log(
    `${report.inputs} inputs tried; the longest turn of the event loop in each area, of the processor:`,
  );
  for (const { area, inputs, accepted, steps, worstMs, worstStep, worstInput } of report.areas) {
    console.log(`${area.padEnd(26)} ${String(worstMs).padStart(7)} ms  ${worstStep}`);
    console.log(`  ${inputs} inputs, ${accepted} of ${steps} requests accepted; ${worstInput.slice(0, 300)}`);
  }
  for (const { area, step, ms, bytes, input } of report.findings)
    console.log(`\nFOUND ${area}, ${step}: ${ms} ms with ${bytes} bytes:\n  ${input}`);
  console.log(`\nfuzz: ${report.findings.length} found (goal = 0; limit ${limitMs} ms)`);
  process.exitCode = report.findings.length === 0 ? 0 : 1;
} finally {
  await target.stop();
  await postgres.stop();
}
