import { type Static, Type } from 'typebox';
import { DateTime, Nullable, OneOf, PageOf, pageQuery, Uuid } from '../../../http/schema.ts';
import { pattern } from '../../../kernel/patterns.ts';
import { Audience } from '../../people/audiences/index.ts';
import { ExternalUserId } from '../../people/users/index.ts';
import { DataObject, SimulatedRun, WorkflowKey } from '../../workflows/workflows/index.ts';
import { BroadcastDefinition, BroadcastDryRun } from '../broadcasts/index.ts';

export const scheduleLimits = {
  schedules: 10_000,
  /** Characters of JSON. */
  triggerData: 65_536,
  broadcast: 65_536,
  users: 1_000,
  cron: 100,
  nextRuns: 10,
  simulatedRuns: 10,
} as const;

export const weekdays = [
  'sunday',
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
] as const;

const Key = Type.String({
  pattern: pattern('^[a-z0-9_]{1,100}$', '1 to 100 of a–z, 0–9 and “_”'),
});

const LocalTime = Type.String({
  pattern: pattern('^([01]\\d|2[0-3]):[0-5]\\d$', 'a time from 00:00 to 23:59'),
});

export const ScheduleAudience = Type.Object(
  {
    users: Type.Optional(
      Nullable(
        Type.Array(ExternalUserId, {
          minItems: 1,
          maxItems: scheduleLimits.users,
          description: 'The external ids of users, stored or not.',
        }),
      ),
    ),
    ...Audience.properties,
  },
  {
    title: 'ScheduleAudience',
    description: 'One of `users`, `topic`, `filter` and `all`. Each member gets a run of their own.',
  },
);
export type ScheduleAudience = Static<typeof ScheduleAudience>;

const { send_at, send_at_local, timezone, ...broadcastFields } = BroadcastDefinition.properties;

/** The schedule decides when its broadcast is sent. */
export const broadcastTimes = Object.keys({ send_at, send_at_local, timezone });

export const ScheduleBroadcast = Type.Object(broadcastFields, {
  title: 'ScheduleBroadcast',
  description: 'The body of `POST /v1/broadcasts` without its times.',
});
export type ScheduleBroadcast = Static<typeof ScheduleBroadcast>;

export const ScheduleTarget = Type.Object(
  {
    kind: OneOf(['workflow', 'broadcast'] as const),
    workflow_key: Type.Optional(Nullable(WorkflowKey)),
    trigger_data: Type.Optional(Nullable(DataObject)),
    audience: Type.Optional(Nullable(ScheduleAudience)),
    broadcast: Type.Optional(Nullable(ScheduleBroadcast)),
  },
  {
    title: 'ScheduleTarget',
    description:
      'What runs. `workflow`: the workflow of `workflow_key`, once or for each member of the audience; with an audience, `external_user_id` is added to trigger_data. `broadcast`: the broadcast of `broadcast`.',
  },
);
export type ScheduleTarget = Static<typeof ScheduleTarget>;

export const ScheduleRule = Type.Object(
  {
    every: OneOf(['hour', 'day', 'week', 'month'] as const),
    at: LocalTime,
    on: Type.Optional(
      Nullable(
        Type.Array(OneOf(weekdays), {
          minItems: 1,
          maxItems: weekdays.length,
          description: 'With `week`: the days.',
        }),
      ),
    ),
    day: Type.Optional(
      Nullable(
        Type.Integer({
          minimum: 1,
          maximum: 31,
          description:
            'With `month`: the day. Months that do not have it are left out; without it, the last day of the month.',
        }),
      ),
    ),
  },
  {
    title: 'ScheduleRule',
    description: 'A simple alternative to cron. With `hour`, only the minutes of `at` count.',
    examples: [{ every: 'week', on: ['monday'], at: '09:00' }],
  },
);
export type ScheduleRule = Static<typeof ScheduleRule>;

const timingFields = {
  cron: Type.Optional(
    Nullable(
      Type.String({
        minLength: 1,
        maxLength: scheduleLimits.cron,
        description: 'Five fields: minute, hour, day of the month, month, day of the week. Or set `rule`.',
      }),
    ),
  ),
  rule: Type.Optional(Nullable(ScheduleRule)),
  timezone: Type.Optional(
    Nullable(Type.String({ maxLength: 64, description: 'An IANA time zone name; defaults to UTC.' })),
  ),
  per_recipient_timezone: Type.Optional(
    Nullable(
      Type.Boolean({
        description:
          'Each member of the audience gets the run or the message when the clocks of their own time zone show the time; members without a time zone follow `timezone`.',
      }),
    ),
  ),
  starts_at: Type.Optional(Nullable(DateTime)),
  ends_at: Type.Optional(Nullable(DateTime)),
};

export const TimingBody = Type.Object(timingFields, {
  title: 'ScheduleTimingInput',
  examples: [{ cron: '0 9 * * 1', timezone: 'Europe/Rome' }],
});
export type TimingBody = Static<typeof TimingBody>;

const missedPolicies = ['skip', 'run_once'] as const;
export type MissedPolicy = (typeof missedPolicies)[number];

const definitionFields = {
  name: Type.String({ minLength: 1, maxLength: 200 }),
  target: ScheduleTarget,
  ...timingFields,
  missed_runs: Type.Optional(
    Nullable(
      OneOf(missedPolicies, {
        description:
          'What happens to slots that passed while no worker ran. run_once: one run for all of them, late. Defaults to skip.',
      }),
    ),
  ),
};

export const NewSchedule = Type.Object(
  { key: Key, ...definitionFields },
  {
    title: 'ScheduleCreate',
    examples: [
      {
        key: 'weekly_report',
        name: 'Weekly report',
        target: { kind: 'workflow', workflow_key: 'report' },
        cron: '0 9 * * 1',
        timezone: 'Europe/Rome',
      },
    ],
  },
);
export type NewSchedule = Static<typeof NewSchedule>;

export const ScheduleBody = Type.Object(definitionFields, {
  title: 'ScheduleReplace',
  examples: [
    {
      name: 'Weekly report',
      target: { kind: 'workflow', workflow_key: 'report' },
      cron: '0 9 * * 1',
      timezone: 'Europe/Rome',
    },
  ],
});
export type ScheduleBody = Static<typeof ScheduleBody>;

const statuses = ['active', 'paused', 'ended'] as const;
export type ScheduleStatus = (typeof statuses)[number];

const NextRun = Type.Object(
  {
    at: DateTime,
    local_time: Type.String({ description: 'The same moment on the clocks of `timezone`.' }),
  },
  { title: 'ScheduleNextRun' },
);

const runStatuses = ['running', 'completed', 'failed', 'missed'] as const;
export type ScheduleRunStatus = (typeof runStatuses)[number];

export const ScheduleRun = Type.Object(
  {
    id: Uuid,
    slot: Type.String({ format: 'date-time', description: 'The time for which the run was scheduled.' }),
    is_manual: Type.Boolean({ description: 'Started with “run now”.' }),
    status: OneOf(runStatuses, { description: 'running while runs are started for the audience.' }),
    run_id: Nullable(Uuid),
    broadcast_id: Nullable(Uuid),
    started_count: Type.Integer({ description: 'Runs of the workflow, or 1 for a broadcast.' }),
    skipped_count: Type.Integer({
      description: 'Members of the audience whose local time had passed, or whose trigger data was refused.',
    }),
    missed_count: Type.Integer({ description: 'Slots that passed before; up to 1,000 are counted.' }),
    failure_reason: Nullable(Type.String()),
    started_at: DateTime,
    completed_at: Nullable(DateTime),
  },
  { title: 'ScheduleRun' },
);
export type ScheduleRun = Static<typeof ScheduleRun>;

const scheduleFields = {
  id: Uuid,
  key: Type.String(),
  name: Type.String(),
  status: OneOf(statuses, { description: 'ended: no run is left before ends_at, or within ten years.' }),
  target: ScheduleTarget,
  cron: Type.String({ description: 'The expression, or the one made from `rule`.' }),
  rule: Type.Unsafe<ScheduleRule | null>({ ...ScheduleRule, type: ['object', 'null'] }),
  timezone: Type.String(),
  per_recipient_timezone: Type.Boolean(),
  starts_at: Nullable(DateTime),
  ends_at: Nullable(DateTime),
  missed_runs: OneOf(missedPolicies),
  next_run_at: Nullable(
    Type.String({
      format: 'date-time',
      description: 'The next run in `timezone`. In the past while a slot is due and no worker has taken it.',
    }),
  ),
  last_run: Type.Unsafe<ScheduleRun | null>({ ...ScheduleRun, type: ['object', 'null'] }),
  created_at: DateTime,
  updated_at: DateTime,
};

export const Schedule = Type.Object(scheduleFields, { title: 'Schedule' });
export type Schedule = Static<typeof Schedule>;

export const ScheduleDetail = Type.Object(
  {
    ...scheduleFields,
    next_runs: Type.Array(NextRun, { description: 'The next ten; empty unless the schedule is active.' }),
  },
  { title: 'ScheduleDetail' },
);
export type ScheduleDetail = Static<typeof ScheduleDetail>;

export const SchedulePreview = Type.Object(
  { cron: Type.String(), next_runs: Type.Array(NextRun) },
  { title: 'SchedulePreview' },
);
export type SchedulePreview = Static<typeof SchedulePreview>;

export const SchedulePage = PageOf(Schedule);
export const ScheduleQuery = Type.Object({ ...pageQuery, status: Type.Optional(OneOf(statuses)) });
export type ScheduleQuery = Static<typeof ScheduleQuery>;

export const ScheduleRunPage = PageOf(ScheduleRun);
export const ScheduleRunQuery = Type.Object(pageQuery);
export type ScheduleRunQuery = Static<typeof ScheduleRunQuery>;

export const KeyParams = Type.Object({ key: Type.String({ maxLength: 100 }) });

export const SimulationBody = Type.Object(
  {
    now: Type.Optional(Nullable(DateTime)),
    runs: Type.Optional(
      Nullable(
        Type.Integer({
          minimum: 1,
          maximum: scheduleLimits.simulatedRuns,
          description: 'How many slots; defaults to 3, for a broadcast to 1.',
        }),
      ),
    ),
    external_user_id: Type.Optional(
      Nullable(
        Type.String({
          minLength: 1,
          maxLength: 255,
          description: 'The member of the audience to simulate; defaults to the first of `users`.',
        }),
      ),
    ),
  },
  { title: 'ScheduleSimulate', examples: [{ now: '2030-01-01T00:00:00Z', runs: 3 }] },
);
export type SimulationBody = Static<typeof SimulationBody>;

export const ScheduleSimulation = Type.Object(
  {
    runs: Type.Array(
      Type.Object(
        {
          ...NextRun.properties,
          trigger_data: Nullable(DataObject),
          run: Nullable(SimulatedRun),
          broadcast: Nullable(BroadcastDryRun),
        },
        { title: 'SimulatedScheduleRun' },
      ),
    ),
  },
  { title: 'ScheduleSimulation' },
);
export type ScheduleSimulation = Static<typeof ScheduleSimulation>;
