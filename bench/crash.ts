// About a minute of kill -9 of API, workers and database under load: how much was lost, how much was done twice.
import { setTimeout as delay } from 'node:timers/promises';
import { runTrial } from '../server/test/crash/trial.ts';
import { createReport } from './harness/report.ts';

const report = createReport('crash');
const trial = await runTrial({ kills: 20, pause: () => delay(500 + Math.random() * 2_500) });

const line = (what: string, figure: number | string): void => report.line(`${what.padEnd(34)} ${figure}`);
for (const [who, kills] of Object.entries(trial.kills)) line(`kills of ${who}`, kills);
for (const [what, count] of Object.entries(trial.counts)) line(what, count);
line('requests repeated', trial.repeats);
line(
  'takeovers',
  trial.takeovers
    .map(({ leases, tookMs, hadOutage }) => {
      const outage = hadOutage ? ' (the database was away)' : '';
      return `${leases} in ${(tookMs / 1000).toFixed(1)} s${outage}`;
    })
    .join(', '),
);
for (const [what, found] of Object.entries({
  lost: trial.lost,
  duplicated: trial.duplicated,
  'answers that nobody should get': trial.surprises,
  'processes that ended by themselves': trial.unexpectedEnds,
})) {
  line(what, found.length);
  for (const each of found.slice(0, 10)) report.line(`  ${each}`);
}

const { calm, outage } = trial.longestTakeoverMs;
report.goal('\nlongest takeover, s', calm / 1000, { op: '<=', figure: 10 });
report.goal('with an outage of the database meanwhile, s', outage / 1000, { op: '<=', figure: 20 });
const unforeseen = trial.surprises.length + trial.unexpectedEnds.length;
report.goal('unforeseen', unforeseen, { op: '=', figure: 0 });
report.close(trial.lost.length + trial.duplicated.length, { op: '=', figure: 0 });
