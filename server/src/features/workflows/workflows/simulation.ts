import { type Static, Type } from 'typebox';
import type { Deps } from '../../../deps.ts';
import {
  type Definition,
  type JsonObject as EngineObject,
  engineLimits,
  type Json,
  type Simulation,
  type SimulationInput,
  type StepEntry,
  simulation,
  simulationLimitMs,
  simulationTask,
  stepKinds,
  stepOutcomes,
  stepStatuses,
  validateTriggerData,
} from '../../../engine/index.ts';
import { DateTime, Nullable, OneOf, Uuid } from '../../../http/schema.ts';
import { invalidParameter } from '../../../kernel/errors.ts';
import { shouldYield, yieldToEventLoop } from '../../../kernel/event-loop.ts';
import { isTimeZone } from '../../../kernel/time-zone.ts';
import { HeavyWork } from '../../../threads/effort.ts';
import { type TaskRunner, TaskStopped } from '../../../threads/task.ts';
import { triggerDataProblem } from './body.ts';

/** A JSON object in the type of the engine. */
export const DataObject = Type.Unsafe<EngineObject>({ type: 'object' });

export const SimulatedStep = Type.Object(
  {
    step_id: Type.String(),
    kind: OneOf(stepKinds),
    attempt_id: Type.String({ description: 'Distinguishes repetitions of a step in a loop.' }),
    status: OneOf(stepStatuses),
    outcome: Nullable(OneOf(stepOutcomes)),
    notification_id: Nullable(Uuid),
    output_json: Nullable(
      Type.String({ description: 'The output of the step for later steps, as JSON text.' }),
    ),
    next_step_id: Nullable(Type.String()),
    next_scheduled_at: Nullable(DateTime),
    started_at: DateTime,
    completed_at: Nullable(DateTime),
  },
  { title: 'WorkflowStep' },
);
export type SimulatedStep = Static<typeof SimulatedStep>;

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

export function stepView(entry: StepEntry): SimulatedStep {
  return {
    step_id: entry.stepId,
    kind: entry.kind as SimulatedStep['kind'],
    attempt_id: entry.attemptId,
    status: entry.status,
    outcome: entry.outcome,
    notification_id: entry.notificationId,
    output_json: entry.output === null ? null : JSON.stringify(entry.output),
    next_step_id: entry.nextStepId,
    next_scheduled_at: iso(entry.nextScheduledAt),
    started_at: new Date(entry.startedAt).toISOString(),
    completed_at: iso(entry.completedAt),
  };
}

export const SimulateRequest = Type.Object(
  {
    trigger_data: DataObject,
    events: Type.Optional(
      Nullable(
        Type.Array(
          Type.Object({
            event_name: Type.String({ minLength: 1, maxLength: 200 }),
            event_data: DataObject,
            at: Type.Optional(
              Type.String({
                maxLength: 64,
                description:
                  'A timestamp, or a duration after the start. By default, as soon as the run waits for the event.',
              }),
            ),
          }),
          { maxItems: engineLimits.simulatedEvents },
        ),
      ),
    ),
    responses: Type.Optional(
      Nullable(
        Type.Unsafe<Record<string, Json>>({
          type: 'object',
          description: 'The JSON responses of fetch steps, by step id; a step without one gets null.',
        }),
      ),
    ),
    now: Type.Optional(Nullable(DateTime)),
    recipient_timezone: Type.Optional(
      Nullable(
        Type.String({ maxLength: 64, description: 'The time zone of the user that the run is about.' }),
      ),
    ),
  },
  { title: 'WorkflowSimulate', examples: [{ trigger_data: { user: 'user-1815' } }] },
);
export type SimulateRequest = Static<typeof SimulateRequest>;

export const SimulatedRun = Type.Object(
  { status: Type.String(), failure_reason: Nullable(Type.String()), steps: Type.Array(SimulatedStep) },
  { title: 'SimulatedRun' },
);

export function simulationView({ status, failureReason, steps }: Simulation): Static<typeof SimulatedRun> {
  return { status, failure_reason: failureReason, steps: steps.map(stepView) };
}

/** Simulates in the main thread, decision by decision, while each is light; otherwise the whole simulation runs in a thread. */
async function simulateBounded(
  tasks: TaskRunner,
  owner: string,
  definition: Definition,
  input: SimulationInput,
): Promise<Simulation> {
  try {
    const simulated = await finish(simulation(definition, input, 'light'));
    return simulated ?? (await tasks.run(simulationTask, owner, { definition, input }));
  } catch (error) {
    if (!(error instanceof TaskStopped)) throw error;
    throw tooLong();
  }
}

/** Returns null when the work is too heavy for the main thread. */
async function finish(running: ReturnType<typeof simulation>): Promise<Simulation | null> {
  try {
    for (let spent = 0; spent < simulationLimitMs; ) {
      while (shouldYield()) await yieldToEventLoop();
      const began = performance.now();
      const { done, value } = running.next();
      if (done) return value;
      spent += performance.now() - began;
    }
  } catch (error) {
    if (error instanceof HeavyWork) return null;
    throw error;
  }
  throw tooLong();
}

const tooLong = () =>
  invalidParameter(
    'trigger_data',
    `With this data the simulation takes more than ${simulationLimitMs / 1_000} seconds of work.`,
  );

/** Checked before the workflow is looked up. */
export function checkRecipientZone({ recipient_timezone: zone = null }: SimulateRequest): void {
  if (zone !== null && !isTimeZone(zone))
    throw invalidParameter(
      'recipient_timezone',
      'recipient_timezone must be an IANA time zone name, such as Europe/Rome.',
    );
}

/** Throws a Problem that names the field when the request does not fit the definition. */
export async function simulateVersion(
  { tasks, clock }: Pick<Deps, 'tasks' | 'clock'>,
  environmentId: string,
  definition: Definition,
  about: NonNullable<SimulationInput['about']>,
  request: SimulateRequest,
): Promise<Simulation> {
  const violations = await validateTriggerData(tasks, environmentId, definition, request.trigger_data);
  if (violations.length > 0) throw triggerDataProblem(violations);
  const simulated = await simulateBounded(tasks, environmentId, definition, {
    about,
    triggerData: request.trigger_data,
    recipientTimezone: request.recipient_timezone ?? null,
    events: request.events ?? [],
    responses: request.responses ?? {},
    now: request.now ? Date.parse(request.now) : clock(),
  });
  const { problem } = simulated;
  if (problem) throw invalidParameter(dotted(problem.pointer), problem.message);
  return simulated;
}

/** Converts a pointer into the request to the form of `param`: `events[0].at`. */
function dotted(pointer: string): string {
  return pointer
    .slice(1)
    .replace(/\/(\d+)(?=\/|$)/g, '[$1]')
    .replaceAll('/', '.');
}
