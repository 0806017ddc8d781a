import { untilDatabaseAnswers } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import type { Claim, Job } from '../../../queue/index.ts';
import { createTemplateRenderer } from '../../content/templates/index.ts';
import type { SpendRecorder } from '../../control/spend/index.ts';
import { eventEntry, type StoredTraceEntry } from '../../notifications/notifications/index.ts';
import { type AttemptDeps, attemptDelivery } from './attempt/deliver.ts';
import {
  brakeRequest,
  type LeaseNote,
  leaseNoteAt,
  passedNote,
  readLeaseNote,
  releaseDetail,
  releasedEntry,
} from './attempt/lease-note.ts';
import { repeatedAttempt, repeatOf, resolveOpenAttempt } from './attempt/open-attempt.ts';
import { addConsent } from './load/consent.ts';
import { channelPlanners, type PlannerDeps, preparePlans } from './plan/channel-planners.ts';
import { type ComposeDeps, composeWithinLimit, type DispatchInput, findTemplates } from './plan/compose.ts';
import { type GateInput, judge, withBrake } from './plan/gates.ts';
import {
  keptSettlement,
  type RoundSettlement,
  statusOf,
  type UnsettledRound,
  unsettled,
} from './settle/round-settlement.ts';
import { deferred, held, retryContextOf, suppressed } from './settle/settlement.ts';
import { createDispatchWriter } from './settle/writer.ts';
import { type DispatchRow, listBroadcastStatuses, listDispatchRows, markFaulty } from './store.ts';

type DispatchDeps = Pick<Deps, 'queue' | 'activity' | 'doorbell' | 'log'> &
  Omit<PlannerDeps, 'tasks'> &
  Omit<ComposeDeps, 'renderer' | 'concurrency'> &
  Omit<AttemptDeps, 'writer' | 'concurrency'> & { spend: SpendRecorder };

/** What the steps of the job share. */
interface DispatchContext extends DispatchDeps, ComposeDeps, AttemptDeps {
  plannerOf: ReturnType<typeof channelPlanners>;
}

const capacity = 800;

/** The job that sends notifications: load a batch, pass the gates, go through the provider chain, write the outcome. */
export function createDispatchJob(deps: DispatchDeps): Job<DispatchInput> {
  const { pool, clock, throttles, providerHealth, brake } = deps;
  throttles.listen();
  brake.listen();
  const context: DispatchContext = {
    ...deps,
    writer: createDispatchWriter(deps, providerHealth),
    // Claims are few enough to wait for a thread; only requests are refused.
    plannerOf: channelPlanners({ ...deps, tasks: deps.tasks.unlimited }),
    concurrency: deps.queue.concurrencyLimits('notification', {
      total: capacity / 2,
      maxConcurrent: 50,
      maxConcurrentWhenFailing: 10,
    }),
    renderer: createTemplateRenderer(pool, deps.tasks.unlimited),
  };
  return {
    batch: 100,
    capacity,
    async load(claims) {
      const inputs = await untilDatabaseAnswers(() => loadInputs(context, claims));
      await addBrake(context, claims, inputs);
      return inputs;
    },
    run: (claim, input) => runClaim(context, claim, input),
    onFailed: (ids) => markFaulty(pool, ids, clock()),
    tick: () => providerHealth.tick(),
  };
}

async function loadInputs(deps: DispatchContext, claims: Claim[]): Promise<Map<string, DispatchInput>> {
  const { pool, unsubscribeLinks: links, renderer, plannerOf, throttles, providerHealth, brake } = deps;
  const rows = await listDispatchRows(
    pool,
    claims.map((claim) => claim.id),
  );
  const live = [
    ...new Set(rows.flatMap((row) => (row.environment_kind === 'live' ? row.environment_id : []))),
  ];
  const [withConsent, broadcasts, templateOf, planFor] = await Promise.all([
    addConsent(pool, links, rows),
    listBroadcastStatuses(pool, rows),
    findTemplates(renderer, rows),
    preparePlans(plannerOf, rows),
    throttles.load(live),
    providerHealth.load(live),
    brake.load(new Map(rows.map((row) => [row.environment_id, row.environment_kind]))),
  ]);
  return new Map(
    withConsent.map((row) => {
      const broadcast = broadcastOf(row, broadcasts);
      return [row.id, Object.assign(row, { broadcast, template: templateOf(row), planFor })];
    }),
  );
}

/** Asks the brake about everything that the other gates let pass: what is not sent must not be counted. */
async function addBrake(
  { clock, brake }: DispatchContext,
  claims: Claim[],
  inputs: Map<string, DispatchInput>,
): Promise<void> {
  const requests = claims.flatMap((claim) => {
    const input = inputs.get(claim.id);
    if (!input) return [];
    const note = readLeaseNote(claim.note);
    input.held = note.held;
    input.decided = note.decided;
    // A provider may already have the message: the attempt is completed before it forgets.
    if (note.open || note.repeat || keptSettlement(claim)) return [];
    input.judged = judge(input, nowFor(clock, claim));
    return input.judged.verdict.kind === 'pass' ? [brakeRequest(claim, input, note)] : [];
  });
  for (const [id, verdict] of await brake.judge(requests)) {
    const input = inputs.get(id);
    if (input) input.brake = verdict;
  }
}

/**
 * Jobs are due by the clock of the database. With a slow local clock alone, the same job would be claimed too early repeatedly.
 */
function nowFor(clock: () => number, claim: Claim): number {
  return Math.max(clock(), claim.leasedAt.getTime());
}

async function runClaim(
  deps: DispatchContext,
  claim: Claim,
  input: DispatchInput | undefined,
): Promise<void> {
  const settled = input ? (keptSettlement(claim) ?? (await send(deps, claim, input))) : null;
  if (settled === 'lost') return;
  if (!input || !settled) return deps.writer.end({ claim, settled: null });
  const status = statusOf(settled);
  if (status !== 'queued') deps.metrics.settled.inc({ channel: input.channel, status });
  await deps.writer.end({ claim, row: input, settled });
}

async function send(
  deps: DispatchContext,
  claim: Claim,
  input: DispatchInput,
): Promise<RoundSettlement | 'lost' | null> {
  const now = deps.clock();
  const { open, ...rest } = leaseNoteAt(readLeaseNote(claim.note), claim.leasedAt.getTime());
  if (open && !open.idempotent) return resolveOpenAttempt(input, open, rest, retryContextOf(deps));
  const note: LeaseNote = {
    ...rest,
    ...(open && { repeat: rest.repeat ?? repeatOf(open) }),
    ...((input.brake?.kind === 'pass' || claim.unparkedFrom !== null) && { braked: true }),
  };

  const others = input.judged ?? judge(input, nowFor(deps.clock, claim));
  const { verdict, trace: judged } = withBrake(others, input.brake);
  const released = releaseDetail(note, verdict.kind === 'pass');
  const base: UnsettledRound = {
    ...unsettled(input),
    note: released && note.held ? { ...note, held: { ...note.held, released: true } } : note,
    attempts: open ? 1 : 0,
    events: released ? [eventEntry('Released', now, released)] : [],
    trace: [
      ...(released ? [releasedEntry(released, now)] : []),
      ...wokenEntry(note, now),
      ...(open ? repeatedAttempt(open, now) : []),
      ...judged,
    ],
  };
  switch (verdict.kind) {
    case 'drop':
      return null;
    case 'defer':
      return deferred(base, verdict.until, verdict.waitsFor);
    case 'suppress':
      return suppressed(base, now, verdict.reason, verdict.detail);
    case 'hold':
      return held(base, now, verdict);
    case 'pass':
      break;
  }

  const passed = { ...base, note: passedNote(base.note) };
  const composed = await composeWithinLimit(deps, claim, input, passed, now);
  if (composed === 'lost') return 'lost';
  if (!composed.plan) return composed.settled;
  return attemptDelivery(deps, { claim, row: input, plan: composed.plan, base: composed.round });
}

function broadcastOf(
  { broadcast_id: id }: DispatchRow,
  statuses: ReadonlyMap<string, string>,
): GateInput['broadcast'] {
  const status = id === null ? undefined : statuses.get(id);
  return id === null || status === undefined ? null : { id, status };
}

function wokenEntry({ due }: LeaseNote, now: number): StoredTraceEntry[] {
  if (due === undefined) return [];
  const detail = `Retried before the next round at ${new Date(due).toISOString()}: the connection or the notification was changed.`;
  return [
    { at: new Date(now).toISOString(), kind: 'decision', name: 'connection', verdict: 'woken', detail },
  ];
}
