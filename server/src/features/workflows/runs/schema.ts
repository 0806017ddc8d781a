import { type Static, Type } from 'typebox';
import { DateTime, Nullable, OneOf, pageQuery, sameAs, Uuid } from '../../../http/schema.ts';
import { DataObject, SimulatedStep, WorkflowKey } from '../workflows/index.ts';

export const runLimits = {
  /** Characters of JSON. */
  triggerData: 262_144,
  eventData: 65_536,
  eventName: 200,
} as const;

const statuses = ['pending', 'running', 'waiting', 'completed', 'failed', 'cancelling', 'cancelled'] as const;
export type RunStatus = (typeof statuses)[number];

/** The final statuses. */
export const endedStatuses: ReadonlySet<RunStatus> = new Set(['completed', 'failed', 'cancelled']);

export const TriggerRequest = Type.Object(
  {
    trigger_data: DataObject,
    chain: Type.Optional(
      Type.String({ maxLength: 100, description: 'The `chain` of the event that led to this trigger.' }),
    ),
  },
  { title: 'WorkflowTrigger', examples: [{ trigger_data: { user: 'user-1815', invoice: 'A-1' } }] },
);

export const TriggeredRun = Type.Object(
  { run_id: Uuid, status: OneOf(statuses) },
  { title: 'TriggeredRun', description: 'status is `pending` after creation.' },
);

export const EventRequest = Type.Object(
  {
    event_name: Type.String({ minLength: 1, maxLength: runLimits.eventName }),
    event_data: DataObject,
  },
  { title: 'WorkflowEvent', examples: [{ event_name: 'invoice_paid', event_data: { invoice: 'A-1' } }] },
);
export type EventRequest = Static<typeof EventRequest>;

export const WokenRuns = Type.Object({ awoken_run_count: Type.Integer() }, { title: 'AwokenRuns' });

export const KeyParams = Type.Object({ key: WorkflowKey });
export const RunParams = Type.Object({ runId: Uuid });

const runFields = {
  id: Uuid,
  workflow_key: Type.String(),
  version: Type.Integer({ description: 'The version of the run; it never changes.' }),
  status: OneOf(statuses),
  current_step_id: Nullable(Type.String()),
  external_user_id: Nullable(
    Type.String({
      description:
        'From trigger_data (`external_user_id`, or that of `recipient` or `user`), or else from the first send that has one.',
    }),
  ),
  trigger_data: DataObject,
  source: OneOf(['Production', 'Test'] as const),
  created_at: DateTime,
  completed_at: Nullable(DateTime),
  failure_reason: Nullable(Type.String()),
};

export const RunSummary = Type.Object(runFields, { title: 'WorkflowRunSummary' });
export type RunSummary = Static<typeof RunSummary>;

export const Run = Type.Object({ ...runFields, steps: Type.Array(SimulatedStep) }, { title: 'WorkflowRun' });
export type Run = Static<typeof Run>;

export const RunPage = Type.Object({
  items: Type.Array(RunSummary),
  next_page_token: Nullable(Type.String()),
});

export const RunQuery = Type.Object({
  status: Type.Optional(OneOf(statuses)),
  external_user_id: Type.Optional(Type.String({ maxLength: 255 })),
  limit: pageQuery.limit,
  page_token: pageQuery.cursor,
  cursor: sameAs('page_token'),
});
export type RunQuery = Static<typeof RunQuery>;

export const Cancellation = Type.Object(
  { status: OneOf(['cancelling', 'cancelled'] as const) },
  { title: 'RunCancellation' },
);
export type Cancellation = Static<typeof Cancellation>;
