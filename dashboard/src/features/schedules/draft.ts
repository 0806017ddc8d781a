import type { ScheduleCreate, ScheduleDetail } from '@carillon/sdk';

type Rule = NonNullable<ScheduleDetail['rule']>;
export type Every = Rule['every'] | 'cron';
export type Weekday = NonNullable<Rule['on']>[number];

export const everyOptions: readonly Every[] = ['day', 'week', 'month', 'hour', 'cron'];
export const weekdays: readonly Weekday[] = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
];

/** A schedule as its form shows it. */
export interface ScheduleDraft {
  name: string;
  key: string;
  workflow: string;
  every: Every;
  at: string;
  on: Weekday[];
  day: string;
  cron: string;
  timezone: string;
  users: string;
  isPerRecipient: boolean;
  runsOnce: boolean;
  data: string;
}

export function newDraft(timezone: string): ScheduleDraft {
  return {
    name: '',
    key: '',
    workflow: '',
    every: 'day',
    at: '09:00',
    on: ['monday'],
    day: '1',
    cron: '0 9 * * 1-5',
    timezone,
    users: '',
    isPerRecipient: false,
    runsOnce: false,
    data: '{}',
  };
}

export function draftOf(schedule: ScheduleDetail): ScheduleDraft {
  const { rule, target } = schedule;
  return {
    name: schedule.name,
    key: schedule.key,
    workflow: target.workflow_key,
    every: rule?.every ?? 'cron',
    at: rule?.at ?? '09:00',
    on: rule?.on ?? ['monday'],
    day: rule?.day ? String(rule.day) : '',
    cron: schedule.cron,
    timezone: schedule.timezone,
    users: (target.audience?.users ?? []).join('\n'),
    isPerRecipient: schedule.per_recipient_timezone,
    runsOnce: schedule.missed_runs === 'run_once',
    data: JSON.stringify(target.trigger_data ?? {}, null, 2),
  };
}

/** The times as the API takes them. */
export function timesOf(draft: ScheduleDraft) {
  const { every, at, on, day, cron, timezone } = draft;
  if (every === 'cron') return { cron, timezone };
  return {
    rule: {
      every,
      at,
      ...(every === 'week' ? { on } : {}),
      ...(every === 'month' && day.trim() !== '' ? { day: Number(day) } : {}),
    },
    timezone,
  };
}

export function dataOf({ data }: ScheduleDraft): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(data.trim() === '' ? '{}' : data);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** Fields that the form does not show keep their value. */
export function requestOf(draft: ScheduleDraft, former: ScheduleDetail | null): ScheduleCreate {
  const users = draft.users.split(/[\s,]+/).filter((id) => id !== '');
  const everyone = former?.target.audience?.all ? { all: true, confirm: true } : null;
  const audience = users.length > 0 ? { users } : everyone;
  return {
    key: draft.key,
    name: draft.name.trim(),
    target: {
      kind: 'workflow',
      workflow_key: draft.workflow,
      trigger_data: dataOf(draft) ?? {},
      ...(audience ? { audience } : {}),
    },
    ...timesOf(draft),
    per_recipient_timezone: draft.isPerRecipient && audience !== null,
    missed_runs: draft.runsOnce ? 'run_once' : 'skip',
    ...(former?.starts_at ? { starts_at: former.starts_at } : {}),
    ...(former?.ends_at ? { ends_at: former.ends_at } : {}),
  };
}
