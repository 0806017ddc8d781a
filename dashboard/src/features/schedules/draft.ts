import type { ScheduleAudience, ScheduleCreate, ScheduleDetail } from '@carillon/sdk';
import { isoOf, localOf } from '../../ui/index.ts';

type Rule = NonNullable<ScheduleDetail['rule']>;
export type Every = Rule['every'] | 'cron';
type Weekday = NonNullable<Rule['on']>[number];

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

export type AudienceKind = 'none' | 'users' | 'topic' | 'filter' | 'all';
export const audienceKinds: readonly AudienceKind[] = ['none', 'users', 'topic', 'filter', 'all'];

/** A schedule as its form shows it. */
export interface ScheduleDraft {
  name: string;
  key: string;
  kind: 'workflow' | 'broadcast';
  workflow: string;
  /** The definition as JSON. */
  broadcast: string;
  every: Every;
  at: string;
  on: Weekday[];
  day: string;
  cron: string;
  timezone: string;
  /** Of a datetime-local input, in the time zone of the browser. */
  startsAt: string;
  endsAt: string;
  audience: AudienceKind;
  users: string;
  topic: string;
  /** JSON. */
  filter: string;
  isConfirmed: boolean;
  isPerRecipient: boolean;
  runsOnce: boolean;
  data: string;
}

export function newDraft(timezone: string): ScheduleDraft {
  return {
    name: '',
    key: '',
    kind: 'workflow',
    workflow: '',
    broadcast: pretty({ name: '', channels: ['email'], audience: { topic: '' }, template_key: '' }),
    every: 'day',
    at: '09:00',
    on: ['monday'],
    day: '1',
    cron: '0 9 * * 1-5',
    timezone,
    startsAt: '',
    endsAt: '',
    audience: 'none',
    users: '',
    topic: '',
    filter: '{}',
    isConfirmed: false,
    isPerRecipient: false,
    runsOnce: false,
    data: '{}',
  };
}

export function draftOf(schedule: ScheduleDetail): ScheduleDraft {
  const { rule, target } = schedule;
  const audience = target.audience ?? {};
  const empty = newDraft(schedule.timezone);
  return {
    ...empty,
    name: schedule.name,
    key: schedule.key,
    kind: target.kind,
    workflow: target.workflow_key ?? '',
    broadcast: target.broadcast ? pretty(target.broadcast) : empty.broadcast,
    every: rule?.every ?? 'cron',
    at: rule?.at ?? '09:00',
    on: rule?.on ?? ['monday'],
    day: rule?.day ? String(rule.day) : '',
    cron: schedule.cron,
    startsAt: localOf(schedule.starts_at ?? ''),
    endsAt: localOf(schedule.ends_at ?? ''),
    audience: audienceKinds.find((kind) => kind !== 'none' && audience[kind]) ?? 'none',
    users: (audience.users ?? []).join('\n'),
    topic: audience.topic ?? '',
    filter: audience.filter ? pretty(audience.filter) : empty.filter,
    isConfirmed: audience.confirm ?? false,
    isPerRecipient: schedule.per_recipient_timezone,
    runsOnce: schedule.missed_runs === 'run_once',
    data: pretty(target.trigger_data ?? {}),
  };
}

/** The times as the API takes them. A time that was not changed keeps its seconds. */
export function timesOf(draft: ScheduleDraft, former: ScheduleDetail | null) {
  const { every, at, on, day, cron, timezone } = draft;
  const kept = (local: string, stored: string | null | undefined) =>
    stored && localOf(stored) === local ? stored : isoOf(local) || null;
  const common = {
    timezone,
    per_recipient_timezone: draft.isPerRecipient && hasAudience(draft),
    starts_at: kept(draft.startsAt, former?.starts_at),
    ends_at: kept(draft.endsAt, former?.ends_at),
  };
  if (every === 'cron') return { cron, ...common };
  return {
    rule: {
      every,
      at,
      ...(every === 'week' ? { on } : {}),
      ...(every === 'month' && day.trim() !== '' ? { day: Number(day) } : {}),
    },
    ...common,
  };
}

export function hasAudience({ kind, audience }: ScheduleDraft): boolean {
  return kind === 'broadcast' || audience !== 'none';
}

/** Reads a JSON object as it is typed; null when it is none. */
export function objectOf(json: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(json.trim() === '' ? '{}' : json);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

const pretty = (value: object): string => JSON.stringify(value, null, 2);

function audienceOf({ audience, users, topic, filter, isConfirmed }: ScheduleDraft): ScheduleAudience | null {
  const confirm = isConfirmed ? { confirm: true } : {};
  switch (audience) {
    case 'none':
      return null;
    case 'users':
      return { users: users.split(/[\s,]+/).filter((id) => id !== '') };
    case 'topic':
      return { topic };
    case 'filter':
      return { filter: objectOf(filter) ?? {}, ...confirm };
    case 'all':
      return { all: true, ...confirm };
  }
}

function targetOf(draft: ScheduleDraft): ScheduleCreate['target'] {
  if (draft.kind === 'broadcast')
    return {
      kind: 'broadcast',
      // The service checks the definition.
      broadcast: objectOf(draft.broadcast) as ScheduleCreate['target']['broadcast'],
    };
  return {
    kind: 'workflow',
    workflow_key: draft.workflow,
    trigger_data: objectOf(draft.data) ?? {},
    audience: audienceOf(draft),
  };
}

export function requestOf(draft: ScheduleDraft, former: ScheduleDetail | null): ScheduleCreate {
  return {
    key: draft.key,
    name: draft.name.trim(),
    target: targetOf(draft),
    ...timesOf(draft, former),
    missed_runs: draft.runsOnce ? 'run_once' : 'skip',
  };
}
