import { channelSpecs } from '../../../channels/specs.ts';
import {
  type Decision,
  type Definition,
  decide,
  decideBounded,
  type FetchEffect,
  type Input,
  initialState,
  type Json,
  mergeEntries,
  type NotificationSettled,
  type RunInput,
  type RunState,
  type StepEntry,
} from '../../../engine/index.ts';
import { Problem } from '../../../kernel/errors.ts';
import { idTime } from '../../../kernel/ids.ts';
import { storable } from '../../../kernel/json.ts';
import type { TaskRunner } from '../../../threads/task.ts';
import type { Draft, Drafts } from '../../notifications/notifications/index.ts';
import type { WebhookEvent } from '../../webhooks/index.ts';
import { sourceOf } from '../workflows/index.ts';
import type { AdvanceRow, RunUpdate, StepWrite } from './store.ts';
import { originOf } from './waits-store.ts';

/** The input of one advance: the run, its definition, and the state of what the run waits for. */
export interface AdvanceInput extends AdvanceRow {
  workflowKey: string;
  definition: Definition | null;
  /** Set when the run waits for a notification; null when that notification was deleted. */
  notification: { status: string; reason: string | null } | null;
  /** Set when the run waits for its digest. */
  digest: { isOpen: boolean; items: Json[] } | null;
}

/**
 * A run advanced as far as possible without input from outside; no part of it takes effect before it is written. `effect` is
 * where it stopped: something to wait for, something that only the writing transaction can do, or null when the run has ended.
 */
export interface RunAdvance {
  run: AdvanceInput;
  decision: Pick<Decision, 'status' | 'failureReason' | 'state' | 'effect'>;
  entries: StepEntry[];
  sends: Send[];
}

/** A notification to be written with the advance, and the state of the run before it. */
interface Send {
  draft: Draft;
  /** The state to return to when the notification cannot be written. */
  before: { state: RunState; entries: StepEntry[] };
}

/**
 * How a claim can end without an advance. early: nothing has happened yet. close_digest: the window is over, so the digest
 * takes no more items.
 */
type Opening = Input | { kind: 'early'; until: number } | { kind: 'close_digest' };

/** Fairness: a run with more sends in a row continues in another advance, behind other runs. */
const sendsPerAdvance = 20;

export function openingOf(run: AdvanceInput): Opening {
  if (run.status === 'cancelling') return { kind: 'cancel' };
  const pending = run.state?.pending;
  if (!pending) return { kind: 'start' };
  const isDue = 'until' in pending && run.now >= pending.until;
  const timer = (): Opening =>
    isDue || !('until' in pending) ? { kind: 'timer' } : { kind: 'early', until: pending.until };
  switch (pending.kind) {
    case 'event':
      return run.event_id && run.event_name !== null
        ? {
            kind: 'event',
            eventName: run.event_name,
            matchKey: pending.matchKey,
            data: run.event_data ?? {},
          }
        : timer();
    case 'notification':
      return settledOf(pending.notificationId, run.notification) ?? timer();
    case 'digest_open':
      if (!run.digest?.isOpen) return { kind: 'digest_closed', items: run.digest?.items ?? [] };
      return isDue ? { kind: 'close_digest' } : timer();
    case 'throttled':
    case 'sleep':
      return timer();
    default:
      return { kind: 'resume' };
  }
}

const unsettled = new Set(['queued', 'sending']);

function settledOf(notificationId: string, found: AdvanceInput['notification']): Input | null {
  if (!found)
    return {
      kind: 'notification_settled',
      notificationId,
      status: 'failed',
      reason: 'The notification was deleted.',
    };
  if (unsettled.has(found.status)) return null;
  return {
    kind: 'notification_settled',
    notificationId,
    status: found.status as NotificationSettled,
    reason: found.reason,
  };
}

/** Returns the call that the run must make now, or null when the run is not at a fetch step. */
export async function fetchOf(tasks: TaskRunner, run: AdvanceInput): Promise<FetchEffect | null> {
  if (run.status === 'cancelling' || run.state?.pending?.kind !== 'fetch') return null;
  const { effect } = await decideAsync(tasks, run, run.state, { kind: 'resume' });
  return effect?.kind === 'fetch' ? effect : null;
}

/** Continues from an input until the run must wait. Sends are checked here and written with the advance. */
export async function advanceRun(
  { drafts, tasks }: { drafts: Drafts; tasks: TaskRunner },
  run: AdvanceInput,
  input: Input,
): Promise<RunAdvance> {
  let decision = await decideAsync(tasks, run, run.state ?? initialState(), input);
  // An input that no longer ends the wait (a sent notification where delivery is awaited) leaves the run waiting.
  if (decision.ignored) decision = await decideAsync(tasks, run, decision.state, { kind: 'resume' });
  let { entries } = decision;
  const sends: Send[] = [];
  while (decision.effect?.kind === 'send' && sends.length < sendsPerAdvance) {
    const before = { state: decision.state, entries };
    const { request, attemptId } = decision.effect;
    const draft = await drafts.check(senderOf(run), storable(request), originOf(run.id, attemptId));
    const answer: Input =
      draft instanceof Problem
        ? { kind: 'send_refused', reason: refusalOf(draft) }
        : { kind: 'send_accepted', notificationId: draft.id };
    decision = await decideAsync(tasks, run, decision.state, answer);
    entries = mergeEntries(entries, decision.entries);
    if (!(draft instanceof Problem)) sends.push({ draft, before });
  }
  return { run, decision, entries, sends };
}

/** Returns the advance extended by an input that became known while it was written. */
export function continued(advance: RunAdvance, input: Input): RunAdvance {
  const decision = decideFor(advance.run, advance.decision.state, input);
  return { ...advance, decision, entries: mergeEntries(advance.entries, decision.entries) };
}

/** Returns the advance with one of its sends refused during the write; everything after that send is discarded. */
export function refusedAt(advance: RunAdvance, index: number, problem: Problem): RunAdvance {
  const send = advance.sends[index];
  if (!send) return advance;
  const { state, entries } = send.before;
  const decision = decideFor(advance.run, state, { kind: 'send_refused', reason: refusalOf(problem) });
  return {
    run: advance.run,
    decision,
    entries: mergeEntries(entries, decision.entries),
    sends: advance.sends.slice(0, index),
  };
}

/** Returns an advance that only cancels the run; nothing else of the original advance is written. */
export function cancelled({ run }: { run: AdvanceInput }): RunAdvance {
  const decision = decideFor(run, run.state ?? initialState(), { kind: 'cancel' });
  return { run, decision, entries: decision.entries, sends: [] };
}

/** For inputs after which the run may continue, which can be expensive. */
async function decideAsync(
  tasks: TaskRunner,
  run: AdvanceInput,
  state: RunState,
  input: Input,
): Promise<Decision> {
  const { definition, now } = run;
  if (!definition) return unreadable(run, state, input);
  return decideBounded(tasks, run.environment_id, { definition, run: runInputOf(run), state, input, now });
}

/** For inputs after which the run only ends or waits, so that no expression is evaluated. */
function decideFor(run: AdvanceInput, state: RunState, input: Input): Decision {
  if (run.definition) return decide(run.definition, runInputOf(run), state, input, run.now);
  return unreadable(run, state, input);
}

function unreadable(run: AdvanceInput, state: RunState, input: Input): Decision {
  return {
    ignored: false,
    status: input.kind === 'cancel' ? 'cancelled' : 'failed',
    failureReason: `Version ${run.version} of the workflow can no longer be read.`,
    state: { ...state, stepId: null, pending: null },
    entries: [],
    effect: null,
  };
}

function runInputOf(run: AdvanceInput): RunInput {
  return {
    id: run.id,
    workflowKey: run.workflowKey,
    version: run.version,
    source: sourceOf(run.environment_kind),
    createdAt: idTime(run.id),
    triggerData: run.trigger_data,
    recipientTimezone: run.recipient_timezone,
  };
}

/** A run that was not triggered by another one begins a chain of its own. */
export function chainOf({ id, chain }: Pick<AdvanceInput, 'id' | 'chain'>): string {
  return chain ?? `${id};0`;
}

function senderOf(run: AdvanceInput) {
  return {
    environmentId: run.environment_id,
    environmentKind: run.environment_kind,
    organizationId: run.organization_id,
    plan: run.plan,
    kind: 'workflow' as const,
    id: run.workflow_id,
    chain: chainOf(run),
  };
}

function refusalOf({ code, message }: Problem): string {
  return `${message} (${code})`;
}

const iso = (ms: number): string => new Date(ms).toISOString();

export function hasEnded({ decision }: RunAdvance): boolean {
  return decision.status !== 'running' && decision.status !== 'waiting';
}

export function updateOf(advance: RunAdvance): RunUpdate {
  const { run, decision, sends } = advance;
  const ended = hasEnded(advance);
  const named = sends.find(({ draft }) => draft.externalUserId !== null)?.draft.externalUserId;
  return {
    id: run.id,
    status: decision.status,
    current_step_id: decision.state.stepId,
    state: ended ? null : decision.state,
    external_user_id: run.external_user_id ?? named ?? null,
    address: run.address ?? (run.external_user_id === null ? firstAddressOf(advance) : null),
    failure_reason: decision.failureReason,
    completed_at: ended ? iso(endOf(advance)) : null,
  };
}

function firstAddressOf({ sends }: RunAdvance): string | null {
  const rows = sends.map(({ draft }) => draft.acceptance.row);
  return (
    rows.find(({ channel, address }) => address && channelSpecs[channel].recipient.addressesPerson)
      ?.address ?? null
  );
}

function endOf({ run, entries }: RunAdvance): number {
  return Math.max(run.now, ...entries.map(({ completedAt }) => completedAt ?? 0));
}

/** The timeline; the step that waited gets the id of the event that ended its wait. */
export function stepWritesOf({ run, entries }: RunAdvance): StepWrite[] {
  const waited = run.event_id === null ? null : run.state?.seq;
  return entries.map((entry) => ({
    ...entry,
    runId: run.id,
    eventId: entry.seq === waited && entry.outcome === 'event_received' ? run.event_id : null,
  }));
}

const announced = { completed: 'workflow.run.completed', failed: 'workflow.run.failed' } as const;

/** The webhook event for a run that has ended. Trigger data is left out: events are stored apart from the person's records. */
export function endedEvent(advance: RunAdvance): WebhookEvent[] {
  const { run, decision } = advance;
  if (decision.status !== 'completed' && decision.status !== 'failed') return [];
  return [
    {
      environmentId: run.environment_id,
      type: announced[decision.status],
      chain: chainOf(run),
      data: {
        id: run.id,
        workflow_key: run.workflowKey,
        version: run.version,
        status: decision.status,
        source: sourceOf(run.environment_kind),
        created_at: iso(idTime(run.id)),
        completed_at: iso(endOf(advance)),
        failure_reason: decision.failureReason,
      },
    },
  ];
}
