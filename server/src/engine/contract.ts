/**
 * The contract between the workflow engine and the runtime that makes it durable.
 *
 * The engine only decides: it has no clock, no randomness and no database. The runtime (features/workflows/runs) stores a run's
 * `RunState` as one JSON value beside the run's facts, calls `decide()` with an input, performs the one `Effect` that it
 * returns, and writes state, timeline entries and next jobs in one transaction. The result of the effect is the input of the
 * next call. Several calls may be made before one write: entries of the same `seq` replace earlier ones (`mergeEntries`).
 *
 *   start ──▶ decide ──▶ effect ──▶ the runtime performs it ──▶ input ──▶ decide ──▶ … ──▶ effect null: finished
 *
 * | effect             | the runtime                                                  | answers with                      |
 * |--------------------|--------------------------------------------------------------|-----------------------------------|
 * | continue           | calls again (a new job; the chain of steps was long)         | resume                            |
 * | send               | accepts the notification, keyed by (run, attemptId)          | send_accepted, send_refused       |
 * | await_notification | waits for its status; a timer for `until`                    | notification_settled, timer       |
 * | fetch              | makes the call, with its own retries                         | fetched, fetch_failed             |
 * | join_digest        | joins the open digest of the key, or opens one               | digest_opened, digest_joined      |
 * | await_digest       | a timer for `until`; closes early when it is full            | digest_closed                     |
 * | wait_for_event     | a wait row by (workflow, event, matchKey); a timer `until`;  | event, timer                      |
 * |                    | with `lookback`, first looks for an event since the trigger  |                                   |
 * | take_throttle      | takes a pass in the window of the key, if there is one       | throttle_answered                 |
 * | sleep              | a timer for `until`                                          | timer                             |
 *
 * After a crash, `resume` returns the effect that the stored state waits for. An input that does not fit the state (a late
 * timer, a second event) returns `ignored: true` and changes nothing.
 */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

export const stepKinds = [
  'send',
  'delay',
  'branch',
  'wait_for_event',
  'digest',
  'throttle',
  'fetch',
  'cancel',
  'noop',
] as const;
export type StepKind = (typeof stepKinds)[number];

export const stepStatuses = ['running', 'waiting', 'completed', 'failed', 'cancelled'] as const;
export type StepStatus = (typeof stepStatuses)[number];

export const stepOutcomes = [
  'sent',
  'suppressed',
  'branched',
  'delayed',
  'digested',
  'passed',
  'throttled',
  'event_received',
  'timed_out',
  'fetched',
  'skipped',
  'failed',
  'cancelled',
  'noop',
] as const;
export type StepOutcome = (typeof stepOutcomes)[number];

/** The run statuses of the engine; the runtime adds `pending` and `cancelling`. */
export type DecidedStatus = 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled';

export type WaitFor = 'accepted' | 'sent' | 'delivered';

interface StepBase {
  id: string;
  /** A CEL expression; false skips the step. */
  when: string | null;
  /** The step that follows; null for the next one of the array. */
  next: string | null;
}

export interface SendStep extends StepBase {
  kind: 'send';
  channel: string;
  /** The fields of a notification request (wire names, without channel), with unevaluated templates. */
  content: JsonObject;
  waitFor: WaitFor;
  /** The timeout of `wait_for`. */
  timeout: string | null;
}

export interface DelayStep extends StepBase {
  kind: 'delay';
  duration: string | null;
  until: string | null;
  at: string | null;
  window: DeliveryWindow | null;
  /** `recipient` is the time zone of the user that the run is about. */
  timezone: string | null;
  /** For `recipient`, when that time zone is not known. */
  fallbackTimezone: string | null;
}

/** Hours of the local day, `HH:MM`; they span midnight when the end is before the start. */
export interface DeliveryWindow {
  start: string;
  end: string;
  /** The days on which the window opens, 1 for Monday to 7; null for all. */
  days: number[] | null;
}

export interface BranchStep extends StepBase {
  kind: 'branch';
  branches: { when: string; goto: string }[];
  otherwise: string | null;
}

export interface WaitForEventStep extends StepBase {
  kind: 'wait_for_event';
  event: string | null;
  match: JsonObject;
  timeout: string | null;
  onTimeout: string | null;
  lookback: boolean;
}

export interface DigestStep extends StepBase {
  kind: 'digest';
  key: Json;
  window: string;
  maxItems: number | null;
}

export interface ThrottleStep extends StepBase {
  kind: 'throttle';
  key: Json;
  limit: number;
  window: string;
  /** What a run does when the limit is reached. */
  mode: 'skip' | 'wait';
  /** The step that follows for runs that skip; null for the end of the run. */
  onLimit: string | null;
}

export interface FetchStep extends StepBase {
  kind: 'fetch';
  url: string;
  method: string;
  headers: JsonObject;
  body: Json;
  /** The step that follows when the call failed for good; null when the run then fails. */
  onError: string | null;
}

export interface PlainStep extends StepBase {
  kind: 'cancel' | 'noop';
}

/** A kind this version does not know: it can be saved in a draft, never activated. */
export interface UnknownStep extends StepBase {
  kind: 'unknown';
  named: string;
}

export type Step =
  | SendStep
  | DelayStep
  | BranchStep
  | WaitForEventStep
  | DigestStep
  | ThrottleStep
  | FetchStep
  | PlainStep
  | UnknownStep;

/**
 * A parsed body. Compiled expressions and templates are cached by object identity: keep one Definition for each version (a
 * bounded cache) instead of parsing for each run.
 */
export interface Definition {
  triggerDataSchema: JsonObject | boolean | null;
  steps: readonly Step[];
}

/** A problem of a definition. Structural problems have the codes listed in parse.ts. */
export interface DefinitionProblem {
  code: string;
  message: string;
  /** JSON Pointer into the body; `''` is the whole body. */
  pointer: string;
}

export type ParsedDefinition =
  | { ok: true; definition: Definition }
  | { ok: false; problems: DefinitionProblem[] };

/** The environment that a definition is validated against. */
export interface ValidationContext {
  /** Template key → channels it has a body for; only the keys of `references()` are needed. */
  templates: ReadonlyMap<string, ReadonlySet<string>>;
  /** Keys of the categories that are not archived. */
  categories: ReadonlySet<string>;
  channels: ReadonlySet<string>;
  /** The channels that send only the output of a template. */
  templatedChannels: ReadonlySet<string>;
}

/** The resources that a definition names literally (a templated key is known only in a run). */
export interface References {
  templateKeys: string[];
  categories: string[];
}

/** The pattern of a wait_for_event step: known statically, so that an event's match keys can be computed from its data. */
export interface EventPattern {
  eventName: string;
  /** The sorted paths of `match`. */
  paths: string[];
  lookback: boolean;
}

export interface RunInput {
  id: string;
  workflowKey: string;
  version: number;
  source: 'Production' | 'Test';
  createdAt: number;
  triggerData: JsonObject;
  /** The time zone of the user that the run is about; null when it is not known. */
  recipientTimezone: string | null;
}

/** The result of a step for later ones: `steps.<id>.outcome` and `steps.<id>.output`. */
export interface StepResult {
  outcome: StepOutcome;
  output: Json;
}

/** The input that the current step waits for. */
export type Pending =
  | { kind: 'begin' }
  | { kind: 'send' }
  | { kind: 'notification'; notificationId: string; until: number }
  | { kind: 'fetch' }
  | { kind: 'digest'; key: string }
  | { kind: 'digest_open'; key: string; until: number }
  | { kind: 'throttle'; key: string }
  /** The answer of the throttle; at `until` the run passes, or skips. */
  | { kind: 'throttled'; passes: boolean; until: number }
  | { kind: 'event'; matchKey: string; until: number }
  | { kind: 'sleep'; until: number };

/** The whole state of a run, small and plain JSON. The trigger data is not part of it: it is one of the run's facts. */
export interface RunState {
  /** The number of steps begun: the `seq` of the last timeline entry. */
  seq: number;
  /** The current step; null before the first and after the last one. */
  stepId: string | null;
  startedAt: number;
  /** Null when the run has ended. */
  pending: Pending | null;
  results: Record<string, StepResult>;
  /** Characters of JSON in `results`. */
  resultsSize: number;
  /** The wait_for_event step whose output is `event`; null when the last wait timed out, or there was none. */
  eventStep: string | null;
  /** The value of `digest`: the items that the run collected as the surviving one. */
  digest: { key: string; count: number; items: Json[] } | null;
}

export type NotificationSettled = 'sent' | 'delivered' | 'suppressed' | 'failed' | 'bounced' | 'complained';

export type Input =
  | { kind: 'start' }
  | { kind: 'resume' }
  | { kind: 'send_accepted'; notificationId: string | null }
  | { kind: 'send_refused'; reason: string }
  /** `suppressed` may also answer `send` at once, when the runtime already knows it. */
  | {
      kind: 'notification_settled';
      notificationId: string | null;
      status: NotificationSettled;
      reason: string | null;
    }
  | { kind: 'fetched'; body: Json }
  | { kind: 'fetch_failed'; reason: string }
  | { kind: 'digest_opened'; until: number }
  | { kind: 'digest_joined'; survivingRunId: string }
  | { kind: 'digest_closed'; items: Json[] }
  /** `at` is when the run passes; null when it skips. */
  | { kind: 'throttle_answered'; at: number | null }
  | { kind: 'event'; eventName: string; matchKey: string; data: JsonObject }
  | { kind: 'timer' }
  | { kind: 'cancel' };

export interface SendEffect {
  kind: 'send';
  stepId: string;
  attemptId: string;
  /** A body for POST /v1/notifications with every value evaluated. The runtime checks it as the API does. */
  request: JsonObject;
  waitFor: WaitFor;
}

export interface FetchEffect {
  kind: 'fetch';
  stepId: string;
  attemptId: string;
  request: { url: string; method: string; headers: Record<string, string>; body: string | null };
}

export interface JoinDigestEffect {
  kind: 'join_digest';
  stepId: string;
  /** Canonical text of the evaluated key, at most 512 characters. */
  key: string;
  windowMs: number;
  maxItems: number;
  /** The item that this run adds to `digest.items`: its trigger data. */
  item: JsonObject;
}

export interface TakeThrottleEffect {
  kind: 'take_throttle';
  stepId: string;
  /** Canonical text of the evaluated key, at most 512 characters. */
  key: string;
  limit: number;
  windowMs: number;
  /** Whether the run waits for a pass; otherwise it skips. */
  waits: boolean;
}

export interface WaitForEventEffect {
  kind: 'wait_for_event';
  stepId: string;
  eventName: string;
  matchKey: string;
  until: number;
  lookback: boolean;
}

export type Effect =
  | { kind: 'continue' }
  | SendEffect
  | { kind: 'await_notification'; notificationId: string; waitFor: WaitFor; until: number }
  | FetchEffect
  | JoinDigestEffect
  | { kind: 'await_digest'; until: number }
  | TakeThrottleEffect
  | WaitForEventEffect
  | { kind: 'sleep'; until: number };

/** One line of the timeline. Times are Unix milliseconds. */
export interface StepEntry {
  seq: number;
  stepId: string;
  kind: string;
  /** Unique in the run: distinguishes the repetitions of a step in a loop. */
  attemptId: string;
  status: StepStatus;
  outcome: StepOutcome | null;
  notificationId: string | null;
  output: Json;
  nextStepId: string | null;
  /** The time at which the step continues without further input: the end of a delay, a timeout, the close of a digest. */
  nextScheduledAt: number | null;
  startedAt: number;
  completedAt: number | null;
}

export interface Decision {
  /** True when the input did not fit: nothing happened, and only `state` (unchanged) is meaningful. */
  ignored: boolean;
  status: DecidedStatus;
  failureReason: string | null;
  state: RunState;
  /** New or changed timeline entries, keyed by seq. */
  entries: StepEntry[];
  /** Null when the run has ended (or the input was ignored). */
  effect: Effect | null;
}

export interface SimulatedEvent {
  event_name: string;
  event_data: JsonObject;
  /** An ISO 8601 timestamp, or a duration after the start; absent when the event arrives as soon as the run waits for it. */
  at?: string;
}

export interface SimulationInput {
  /** The values of `run` in expressions and templates. */
  about?: Pick<RunInput, 'workflowKey' | 'version' | 'source'>;
  recipientTimezone?: string | null;
  triggerData: JsonObject;
  events?: SimulatedEvent[];
  /** JSON responses of fetch steps by step id; a step without one has the output null. */
  responses?: Record<string, Json>;
  now: number;
}

export interface Simulation {
  status: DecidedStatus;
  failureReason: string | null;
  steps: StepEntry[];
  /** An invalid script (a bad `at`, too many events): nothing was run. */
  problem: DefinitionProblem | null;
}

export interface DataViolation {
  /** JSON Pointer into trigger_data. */
  pointer: string;
  message: string;
}
