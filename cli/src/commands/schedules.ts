import type { ScheduleDetail } from '@carillon/sdk';
import { collect } from '../collect.ts';
import { type Command, type Context, command } from '../command.ts';
import { confirmed, numberOf } from '../input.ts';
import { plain, table } from '../style.ts';

const key = { arguments: '<key>', takes: [1, 1] as [number, number] };

export const scheduleCommands: readonly Command[] = [
  command({
    name: 'schedules list',
    summary: 'List schedules with their next run',
    options: {},
    examples: [{ command: 'carillon schedules list', says: 'list schedules' }],
    async run({ io, json, client }) {
      const found = await collect(client().schedules.list({ limit: 100 }));
      if (json) return io.out(JSON.stringify(found));
      const rows = found.map(({ key, status, cron, timezone, next_run_at, name }) => [
        key,
        status,
        cron,
        timezone,
        next_run_at ? `next ${next_run_at}` : '',
        plain(name, 40),
      ]);
      io.out(rows.length > 0 ? table(rows) : 'No schedules.');
    },
  }),
  command({
    ...key,
    name: 'schedules get',
    summary: 'Show a schedule with its next runs',
    options: {},
    examples: [{ command: 'carillon schedules get weekly_report', says: 'the next ten runs' }],
    run: async (context, _, [name = '']) => show(context, await context.client().schedules.get(name)),
  }),
  command({
    ...key,
    name: 'schedules pause',
    summary: 'Pause a schedule',
    options: {},
    examples: [{ command: 'carillon schedules pause weekly_report', says: 'no runs until it is resumed' }],
    run: async (context, _, [name = '']) => show(context, await context.client().schedules.pause(name)),
  }),
  command({
    ...key,
    name: 'schedules resume',
    summary: 'Resume a paused schedule',
    options: {},
    examples: [{ command: 'carillon schedules resume weekly_report', says: 'run again from now on' }],
    run: async (context, _, [name = '']) => show(context, await context.client().schedules.resume(name)),
  }),
  command({
    ...key,
    name: 'schedules run',
    summary: 'Run a schedule now',
    details: 'In addition to its next run, and for its whole audience at once.',
    options: { yes: { type: 'boolean', short: 'y', description: 'Skip the confirmation' } },
    examples: [{ command: 'carillon schedules run weekly_report', says: 'asks, then starts it' }],
    async run({ io, json, client }, { yes }, [name = '']) {
      if (!(await confirmed(io, `Run ${name} now?`, yes))) return;
      const run = await client().schedules.run(name);
      io.out(json ? JSON.stringify(run) : `Started ${run.id}.`);
    },
  }),
  command({
    ...key,
    name: 'schedules runs',
    summary: 'List the slots that ran or were missed',
    options: {},
    examples: [{ command: 'carillon schedules runs weekly_report', says: 'newest first' }],
    async run({ io, json, client }, _, [name = '']) {
      const runs = await collect(client().schedules.listRuns(name, { limit: 100 }));
      if (json) return io.out(JSON.stringify(runs));
      const rows = runs.map((run) => [
        run.slot,
        run.status,
        `${run.started_count} started`,
        run.skipped_count > 0 ? `${run.skipped_count} skipped` : '',
        run.missed_count > 0 ? `${run.missed_count} missed` : '',
        plain(run.failure_reason, 80),
      ]);
      io.out(rows.length > 0 ? table(rows) : 'No runs yet.');
    },
  }),
  command({
    ...key,
    name: 'schedules simulate',
    summary: 'Run a schedule on a virtual clock',
    details:
      'Simulates the workflow at the next slots, or makes a dry run of the broadcast. Nothing is sent.',
    options: {
      now: { type: 'string', value: 'time', description: 'Start of the simulation. Default: now' },
      runs: { type: 'string', value: 'number', description: 'Slots, 1 to 10. Default: 3, of a broadcast 1' },
      user: { type: 'string', value: 'id', description: 'Member of the audience to simulate' },
    },
    examples: [
      {
        command: 'carillon schedules simulate weekly_report --now 2026-03-27T00:00:00Z',
        says: 'across a change of the clocks',
      },
    ],
    async run({ io, json, client }, { now, runs, user }, [name = '']) {
      const simulated = await client().schedules.simulate(name, {
        now,
        runs: numberOf(runs, '--runs', 1, 10),
        external_user_id: user,
      });
      if (json) return io.out(JSON.stringify(simulated));
      const rows = simulated.runs.map(({ local_time, run, broadcast }) =>
        run
          ? [
              local_time,
              run.status,
              run.steps.map(({ step_id, outcome }) => `${step_id} ${outcome ?? ''}`.trim()).join(', '),
              plain(run.failure_reason, 80),
            ]
          : [local_time, `${broadcast?.would_send} of ${broadcast?.checked} users would be sent to`],
      );
      io.out(rows.length > 0 ? table(rows) : 'No runs are left.');
    },
  }),
];

function show({ io, json }: Context, schedule: ScheduleDetail) {
  if (json) return io.out(JSON.stringify(schedule));
  const { key, name, status, cron, timezone, next_runs } = schedule;
  io.out(`${key} (${plain(name, 60)}): ${status}, ${cron} in ${timezone}`);
  for (const { local_time } of next_runs) io.out(`  ${local_time}`);
}
