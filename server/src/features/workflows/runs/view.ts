import { channelSpecs } from '../../../channels/specs.ts';
import type { StepEntry } from '../../../engine/index.ts';
import { idTime } from '../../../kernel/ids.ts';
import type { WebhookEvent } from '../../webhooks/index.ts';
import { sourceOf, stepView } from '../workflows/index.ts';
import { chainOf, type RunAdvance } from './advance.ts';
import type { Run, RunSummary } from './schema.ts';
import type { StepWrite } from './steps-store.ts';
import type { RunUpdate, StoredRun } from './store.ts';

const iso = (ms: number): string => new Date(ms).toISOString();

export function summaryOf(run: StoredRun, environmentKind: 'test' | 'live'): RunSummary {
  return {
    id: run.id,
    workflow_key: run.workflow_key,
    version: run.version,
    status: run.status,
    current_step_id: run.current_step_id,
    external_user_id: run.external_user_id,
    trigger_data: run.trigger_data,
    source: sourceOf(environmentKind),
    created_at: iso(idTime(run.id)),
    completed_at: run.completed_at?.toISOString() ?? null,
    failure_reason: run.failure_reason,
  };
}

export function runView(run: StoredRun, environmentKind: 'test' | 'live', steps: StepEntry[]): Run {
  return { ...summaryOf(run, environmentKind), steps: steps.map(stepView) };
}

export function hasEnded({ decision }: RunAdvance): boolean {
  return decision.status !== 'running' && decision.status !== 'waiting';
}

export function updateOf(advance: RunAdvance): RunUpdate {
  const { fact, decision, sends } = advance;
  const ended = hasEnded(advance);
  const named = sends.find(({ draft }) => draft.externalUserId !== null)?.draft.externalUserId;
  return {
    id: fact.id,
    status: decision.status,
    current_step_id: decision.state.stepId,
    state: ended ? null : decision.state,
    external_user_id: fact.external_user_id ?? named ?? null,
    address: fact.address ?? (fact.external_user_id === null ? firstAddressOf(advance) : null),
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

function endOf({ fact, entries }: RunAdvance): number {
  return Math.max(fact.now, ...entries.map(({ completedAt }) => completedAt ?? 0));
}

/** The timeline; the step that waited gets the id of the event that ended its wait. */
export function stepWritesOf({ fact, entries }: RunAdvance): StepWrite[] {
  const waited = fact.event_id === null ? null : fact.state?.seq;
  return entries.map((entry) => ({
    ...entry,
    runId: fact.id,
    eventId: entry.seq === waited && entry.outcome === 'event_received' ? fact.event_id : null,
  }));
}

const announced = { completed: 'workflow.run.completed', failed: 'workflow.run.failed' } as const;

/** The webhook event for a run that has ended. Trigger data is left out: events are stored apart from the person's records. */
export function endedEvent(advance: RunAdvance): WebhookEvent[] {
  const { fact, decision } = advance;
  if (decision.status !== 'completed' && decision.status !== 'failed') return [];
  return [
    {
      environmentId: fact.environment_id,
      type: announced[decision.status],
      chain: chainOf(fact),
      data: {
        id: fact.id,
        workflow_key: fact.workflowKey,
        version: fact.version,
        status: decision.status,
        source: sourceOf(fact.environment_kind),
        created_at: iso(idTime(fact.id)),
        completed_at: iso(endOf(advance)),
        failure_reason: decision.failureReason,
      },
    },
  ];
}
