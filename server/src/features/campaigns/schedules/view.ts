import { idTime } from '../../../kernel/ids.ts';
import type { Schedule, ScheduleDetail, ScheduleRun } from './schema.ts';
import type { ScheduleFields, ScheduleRow, ScheduleRunRow } from './store.ts';
import type { StartTarget } from './target.ts';
import { momentIn, nextRunViews, type ScheduleTiming } from './timing.ts';

export function timingIn(
  row: Pick<ScheduleFields, 'cron' | 'timezone' | 'per_recipient_timezone' | 'starts_at' | 'ends_at'>,
): ScheduleTiming {
  return {
    cron: row.cron,
    timezone: row.timezone,
    perRecipient: row.per_recipient_timezone,
    startsAt: row.starts_at?.getTime() ?? null,
    endsAt: row.ends_at?.getTime() ?? null,
  };
}

const iso = (date: Date | null): string | null => date?.toISOString() ?? null;

/** The definition in wire form. */
function definitionView(row: ScheduleRow) {
  return {
    name: row.name,
    target: row.target,
    cron: row.cron,
    rule: row.rule,
    timezone: row.timezone,
    per_recipient_timezone: row.per_recipient_timezone,
    starts_at: iso(row.starts_at),
    ends_at: iso(row.ends_at),
    missed_runs: row.missed_runs,
  };
}

export function auditView(row: ScheduleRow) {
  return { key: row.key, ...definitionView(row), target: auditTarget(row.target) };
}

/** Without the ids of users and the data: entries of the audit log stay when a person is erased. */
function auditTarget(target: StartTarget) {
  if (target.kind === 'broadcast') {
    const { name, channels, audience, template_key } = target.broadcast;
    return { kind: target.kind, broadcast: { name, channels, audience, template_key } };
  }
  const { kind, workflow_key, audience } = target;
  return { kind, workflow_key, audience: audience?.users ? `${audience.users.length} users` : audience };
}

/** Nothing is computed from the cron expression: a list has up to a hundred schedules. */
export function scheduleView(row: ScheduleRow, lastRun: ScheduleRunRow | null): Schedule {
  return {
    id: row.id,
    key: row.key,
    status: row.status,
    ...definitionView(row),
    next_run_at: row.status === 'active' ? iso(row.next_run_at ?? row.next_slot) : null,
    last_run: lastRun && runView(lastRun, timingIn(row)),
    created_at: new Date(idTime(row.id)).toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

export function scheduleDetail(
  row: ScheduleRow,
  lastRun: ScheduleRunRow | null,
  now: number,
): ScheduleDetail {
  return {
    ...scheduleView(row, lastRun),
    next_runs: row.status === 'active' ? nextRunViews(timingIn(row), now) : [],
  };
}

/** The slot is shown in the zone of the schedule. */
export function runView(row: ScheduleRunRow, timing: ScheduleTiming): ScheduleRun {
  const slot = row.is_manual ? row.slot.getTime() : momentIn(timing, row.slot.getTime(), timing.timezone);
  return {
    id: row.id,
    slot: new Date(slot).toISOString(),
    is_manual: row.is_manual,
    status: row.status,
    run_id: row.run_id,
    broadcast_id: row.broadcast_id,
    started_count: row.started_count,
    skipped_count: row.skipped_count,
    missed_count: row.missed_count,
    failure_reason: row.failure_reason,
    started_at: new Date(idTime(row.id)).toISOString(),
    completed_at: iso(row.completed_at),
  };
}
