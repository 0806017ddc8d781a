import { type Sql, statement } from '../../../db/sql.ts';
import type { Json, StepEntry, StepOutcome, StepStatus } from '../../../engine/index.ts';
import { storableJson } from '../../../kernel/storable.ts';

/** The timeline. A step that takes time is written when it begins and again when it ends. */

export interface StepWrite extends StepEntry {
  runId: string;
  /** The event that ended the wait of the step. */
  eventId: string | null;
}

const upsertRows = statement(
  'runs_upsert_steps',
  `insert into run_steps (run_id, seq, step_id, kind, attempt_id, status, outcome, notification_id, event_id, output,
     next_step_id, next_scheduled_at, started_at, completed_at)
   select "runId", seq, "stepId", kind, "attemptId", status, outcome, "notificationId", "eventId", output, "nextStepId",
     to_timestamp("nextScheduledAt" / 1000.0), to_timestamp("startedAt" / 1000.0), to_timestamp("completedAt" / 1000.0)
   from json_to_recordset($1::json) as ("runId" uuid, seq int, "stepId" text, kind text, "attemptId" text, status text,
     outcome text, "notificationId" uuid, "eventId" uuid, output json, "nextStepId" text, "nextScheduledAt" float8,
     "startedAt" float8, "completedAt" float8)
   on conflict (run_id, seq) do update set status = excluded.status, outcome = excluded.outcome,
     notification_id = excluded.notification_id, event_id = excluded.event_id, output = excluded.output,
     next_step_id = excluded.next_step_id, next_scheduled_at = excluded.next_scheduled_at,
     completed_at = excluded.completed_at`,
);

export async function upsertSteps(sql: Sql, steps: StepWrite[]): Promise<void> {
  if (steps.length > 0) await upsertRows(sql, [storableJson(steps)]);
}

interface StepRow {
  seq: number;
  step_id: string;
  kind: string;
  attempt_id: string;
  status: StepStatus;
  outcome: StepOutcome | null;
  notification_id: string | null;
  output: Json;
  next_step_id: string | null;
  next_scheduled_at: Date | null;
  started_at: Date;
  completed_at: Date | null;
}

const listRows = statement<StepRow>(
  'runs_list_steps',
  `select seq, step_id, kind, attempt_id, status, outcome, notification_id, output, next_step_id, next_scheduled_at,
     started_at, completed_at
   from run_steps where run_id = $1 order by seq`,
);

export async function listSteps(sql: Sql, runId: string): Promise<StepEntry[]> {
  return (await listRows(sql, [runId])).map((row) => ({
    seq: row.seq,
    stepId: row.step_id,
    kind: row.kind,
    attemptId: row.attempt_id,
    status: row.status,
    outcome: row.outcome,
    notificationId: row.notification_id,
    output: row.output,
    nextStepId: row.next_step_id,
    nextScheduledAt: row.next_scheduled_at?.getTime() ?? null,
    startedAt: row.started_at.getTime(),
    completedAt: row.completed_at?.getTime() ?? null,
  }));
}
