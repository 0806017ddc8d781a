// Kills API, workers and database with -9 for a minute under load; counts what was lost or done twice.
import { runTrial } from '../server/test/crash/trial.ts';
import { createReport } from './harness/report.ts';

const report = createReport('crash');
const trial = await runTrial({ durationMs: 60_000, pauseMs: () => 500 + Math.random() * 2_500 });
const { kills, takeovers, lost, duplicated, surprises, unexpectedEnds } = trial;
