import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Processes, startProcesses, testKey } from '../../../../test/crash/processes.ts';
import { eventNames, randomBody, randomTriggerData } from '../../../../test/harness/random-workflows.ts';
import { startWebhookSink } from '../../../../test/simulators/webhook-sink.ts';
import {
  type Definition,
  decide,
  type Effect,
  type Input,
  initialState,
  type Json,
  type JsonObject,
  matchKeyOf,
  mergeEntries,
  parseDefinition,
  type RunInput,
  type StepEntry,
  validateDefinition,
} from '../../../engine/index.ts';

/** A run as the API shows it. */
interface ShownRun {
  id: string;
  workflow_key: string;
  version: number;
  status: string;
  source: 'Production' | 'Test';
  created_at: string;
  failure_reason: string | null;
  trigger_data: JsonObject;
  steps: ShownStep[];
}
interface ShownStep {
  step_id: string;
  kind: string;
  attempt_id: string;
  status: string;
  outcome: string | null;
  notification_id: string | null;
  output_json: string | null;
  next_step_id: string | null;
  next_scheduled_at: string | null;
  started_at: string;
  completed_at: string | null;
}

const workflowCount = 24;
const runsOfEach = 4;
/** `KILLS=20 npx vitest run server/src/features/workflows/runs/model` for a longer storm. */
const kills = Number(process.env.KILLS ?? 3);
/** The same workflows each time, so that a failure can be looked into; what differs is when the workers die. */
const seed = 1815;
const world = {
  templates: new Map(),
  categories: new Set<string>(),
  channels: new Set(['email']),
  templatedChannels: new Set<string>(),
};

test('random workflows under random events and kill -9 of the workers: every timeline is the one of the pure engine, and no effect happens twice', {
  timeout: 300_000,
}, async () => {
  const sink = await startWebhookSink();
  sink.reply = ({ path }) => (path.endsWith('a') ? { status: 200, body: '{"ok":true}' } : 404);
  const processes = await startProcesses();
  try {
    const call = callerOf(processes);
    const definitions = await defineWorkflows(call, sink.url('/'));
    const ids = await triggerRuns(call, [...definitions.keys()]);
    const cancel = cancellerOf(processes, call);
    const awoken = await postEventsWhile(call, cancel, [...definitions.keys()], ids, killWorkers(processes));
    const runs = await endAll(call, cancel, ids);

    const wanted = new Set<string>();
    for (const run of runs) {
      const definition = definitions.get(run.workflow_key);
      if (!definition) throw new Error(run.workflow_key);
      const { effects, ...expected } = replay(definition, run);
      expect(shown(run), JSON.stringify(definition.steps)).toEqual(expected);
      for (const effect of effects) {
        if (effect.kind === 'fetch') wanted.add(`${run.id}:${effect.attemptId}`);
      }
    }

    const steps = runs.flatMap((run) => run.steps.map((step) => ({ ...step, run: run.id })));
    const having = (outcome: string) => steps.filter((step) => step.outcome === outcome);
    expect(having('event_received')).toHaveLength(awoken);
    expect(steps.length).toBeGreaterThan(100);
    expect(having('sent').length).toBeGreaterThan(20);
    expect(having('event_received').length).toBeGreaterThan(5);
    expect(having('timed_out').length).toBeGreaterThan(5);

    const made = await processes.ask<{ id: string; key: string }>(
      `select id, idempotency_key as key from notifications order by idempotency_key`,
    );
    const sent = having('sent').map(({ notification_id: id, run, attempt_id }) => ({
      id,
      key: `run:${run}:${attempt_id}`,
    }));
    expect(made).toEqual(sent.sort((a, b) => (a.key < b.key ? -1 : 1)));

    const called = new Set(sink.received.map(({ headers }) => headers['idempotency-key']));
    expect([...called].filter((key) => !wanted.has(key ?? ''))).toEqual([]);
    const answered = steps.filter(({ outcome }) => outcome === 'fetched' || outcome === 'failed');
    const keys = answered.map(({ run, attempt_id }) => `${run}:${attempt_id}`);
    expect(keys.filter((key) => wanted.has(key) && !called.has(key))).toEqual([]);

    expect(digestsOf(runs)).toEqual([]);
    expect(processes.unexpectedEnds()).toEqual([]);
  } finally {
    await processes.stop();
    await sink.stop();
  }
});

type Call = <Body = Record<string, unknown>>(method: string, path: string, body?: unknown) => Promise<Body>;

function callerOf(processes: Processes): Call {
  return async <Body>(method: string, path: string, body?: unknown) => {
    const response = await fetch(processes.api.url + path, {
      method,
      headers: {
        authorization: `Bearer ${testKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as Body;
    if (!response.ok && response.status !== 409)
      throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  };
}

type Cancel = (id: string) => Promise<void>;

/** A run that was woken and is cancelled before it could go on shows no event; so it is let go on first. */
function cancellerOf(processes: Processes, call: Call): Cancel {
  return async (id) => {
    const isWoken = async () =>
      (await processes.ask('select from run_waits where run_id = $1 and event_id is not null', [id])).length >
      0;
    for (const deadline = Date.now() + 60_000; await isWoken(); await delay(50)) {
      if (Date.now() > deadline) throw new Error(`the run ${id} was woken and does not go on`);
    }
    await call('POST', `/v1/workflows/runs/${id}/cancel`);
  };
}

/** Those of the random bodies that can be activated. */
async function defineWorkflows(call: Call, fetchUrl: string): Promise<Map<string, Definition>> {
  const definitions = new Map<string, Definition>();
  const options = { durations: ['1s', '2s', '4s'], fetchUrl, maxSteps: 7 };
  for (let draw = 0; definitions.size < workflowCount; draw += 1) {
    for (const body of fc.sample(randomBody(options), { numRuns: 200, seed: seed + draw })) {
      const parsed = parseDefinition(body);
      const kinds = new Set(body.steps.map(({ kind }) => kind));
      const isTelling = kinds.has('send') && kinds.has('wait_for_event') && kinds.size > 3;
      if (!parsed.ok || !isTelling || definitions.size === workflowCount) continue;
      if (validateDefinition(parsed.definition, world).length > 0) continue;
      const key = `random_${definitions.size}`;
      await call('POST', '/v1/workflows', { key, name: key });
      await call('POST', `/v1/workflows/${key}/versions`, { body });
      expect(await call('POST', `/v1/workflows/${key}/versions/1/activate`)).toMatchObject({ valid: true });
      definitions.set(key, parsed.definition);
    }
  }
  return definitions;
}

async function triggerRuns(call: Call, keys: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const [draw, key] of keys.entries()) {
    for (const trigger_data of fc.sample(randomTriggerData(), { numRuns: runsOfEach, seed: seed + draw })) {
      const { run_id } = await call('POST', `/v1/workflows/${key}/trigger`, { trigger_data });
      ids.push(run_id as string);
    }
  }
  return ids;
}

async function killWorkers(processes: Processes): Promise<void> {
  for (let turn = 0; turn < kills; turn += 1) {
    await delay(500 + Math.random() * 1_000);
    const worker = processes.workers[turn % 2 === 0 ? 0 : 1];
    await worker.kill();
    await worker.start();
  }
}

/** How many runs the events woke, as their senders were told. Now and then a run is cancelled. */
async function postEventsWhile(
  call: Call,
  cancel: Cancel,
  keys: string[],
  ids: string[],
  storm: Promise<void>,
): Promise<number> {
  const any = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T;
  let awoken = 0;
  let isOver = false;
  const over = storm.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await delay(20);
    const event = { event_name: any(eventNames), event_data: { id: any(['a', 'b', 'c']) } };
    const path = Math.random() < 0.5 ? `/v1/workflows/${any(keys)}` : `/v1/workflows/runs/${any(ids)}`;
    awoken += (await call('POST', `${path}/events`, event)).awoken_run_count as number;
    if (Math.random() < 0.02) await cancel(any(ids));
  }
  await over;
  return awoken;
}

/** Some loop for ever: what has not ended by itself is cancelled. */
async function endAll(call: Call, cancel: Cancel, ids: string[]): Promise<ShownRun[]> {
  for (const id of ids) await cancel(id);
  for (const deadline = Date.now() + 60_000; ; await delay(200)) {
    const runs: ShownRun[] = [];
    for (const id of ids) runs.push(await call<ShownRun>('GET', `/v1/workflows/runs/${id}`));
    const open = runs.filter(({ status }) => !['completed', 'failed', 'cancelled'].includes(status));
    if (open.length === 0) return runs;
    if (Date.now() > deadline) throw new Error(`still open: ${JSON.stringify(open[0])}`);
  }
}

/** Without moments, which the model cannot know; how long a step was to wait, it can. */
function shown({ status, failure_reason, steps }: ShownRun) {
  return {
    status,
    failureReason: failure_reason,
    steps: steps.map(({ started_at, completed_at, next_scheduled_at, output_json, ...step }) => ({
      ...step,
      output: output_json === null ? null : JSON.parse(output_json),
      waits: next_scheduled_at === null ? null : Date.parse(next_scheduled_at) - Date.parse(started_at),
    })),
  };
}

/**
 * The run once more by the engine alone, told what the world said to each step and nothing else; and what it asked of the world.
 */
function replay(definition: Definition, run: ShownRun): { effects: Effect[] } & ReturnType<typeof shown> {
  const runInput: RunInput = {
    id: run.id,
    workflowKey: run.workflow_key,
    version: run.version,
    source: run.source,
    createdAt: Date.parse(run.created_at),
    recipientTimezone: null,
    triggerData: run.trigger_data,
  };
  const effects: Effect[] = [];
  let timeline: StepEntry[] = [];
  let now = Date.parse(run.steps[0]?.started_at ?? run.created_at);
  const first: Input = { kind: run.steps.length === 0 && run.status === 'cancelled' ? 'cancel' : 'start' };
  let decision = decide(definition, runInput, initialState(), first, now);
  for (;;) {
    timeline = mergeEntries(timeline, decision.entries);
    const { effect, state } = decision;
    if (effect === null) break;
    effects.push(effect);
    const step = run.steps[state.seq - 1];
    now = Date.parse(step?.completed_at ?? run.created_at);
    const input = step ? said(definition, effect, step, run) : ({ kind: 'cancel' } as const);
    const before = JSON.stringify(state);
    decision = decide(definition, runInput, state, input, now);
    const hasMoved = !decision.ignored && JSON.stringify(decision.state) !== before;
    if (!hasMoved)
      throw new Error(`${run.id}: ${JSON.stringify(input)} does not end ${JSON.stringify(step)}`);
  }
  return {
    effects,
    status: decision.status,
    failureReason: decision.failureReason,
    steps: timeline.map(({ nextScheduledAt, startedAt, ...entry }) => ({
      step_id: entry.stepId,
      kind: entry.kind,
      attempt_id: entry.attemptId,
      status: entry.status,
      outcome: entry.outcome,
      notification_id: entry.notificationId,
      output: entry.output,
      next_step_id: entry.nextStepId,
      waits: nextScheduledAt === null ? null : nextScheduledAt - startedAt,
    })),
  };
}

/** What the world must have said, by what the step shows. */
function said(definition: Definition, effect: Effect, step: ShownStep, run: ShownRun): Input {
  const output = (step.output_json === null ? null : JSON.parse(step.output_json)) as Json;
  const field = (name: string): Json =>
    (typeof output === 'object' && output !== null && !Array.isArray(output) ? output[name] : null) ?? null;
  if (effect.kind === 'continue') return { kind: 'resume' };
  // A digest that was opened has an end, also when the run was cancelled then.
  if (effect.kind === 'join_digest' && step.next_scheduled_at !== null)
    return { kind: 'digest_opened', until: Date.parse(step.next_scheduled_at) };
  if (step.outcome === 'cancelled') return { kind: 'cancel' };
  switch (effect.kind) {
    case 'send':
      return step.outcome === 'sent'
        ? { kind: 'send_accepted', notificationId: step.notification_id }
        : { kind: 'send_refused', reason: String(field('error')) };
    case 'fetch':
      return step.outcome === 'fetched'
        ? { kind: 'fetched', body: output }
        : { kind: 'fetch_failed', reason: String(field('error')) };
    case 'join_digest':
      return { kind: 'digest_joined', survivingRunId: String(field('surviving_run_id')) };
    case 'await_digest':
      return {
        kind: 'digest_closed',
        items: Array.from({ length: Number(field('count')) }, () => run.trigger_data),
      };
    case 'wait_for_event': {
      if (step.outcome !== 'event_received') return { kind: 'timer' };
      const waiting = definition.steps.find(({ id }) => id === effect.stepId);
      const paths = waiting?.kind === 'wait_for_event' ? Object.keys(waiting.match) : [];
      const data = output as JsonObject;
      return { kind: 'event', eventName: effect.eventName, matchKey: matchKeyOf(paths, data) ?? '', data };
    }
    default:
      return { kind: 'timer' };
  }
}

/** Runs whose digests collected other than themselves and those that name them. Of a digest that was cancelled nobody says. */
function digestsOf(runs: ShownRun[]): object[] {
  const absorbed = new Map<string, number>();
  const collected = new Map<string, number>();
  const cancelled = new Set<string>();
  for (const run of runs) {
    for (const { kind, outcome, output_json } of run.steps) {
      if (kind !== 'digest' || outcome === 'skipped') continue;
      const output = JSON.parse(output_json ?? '{}') as { surviving_run_id?: string; count?: number };
      const survivor = output.surviving_run_id;
      if (survivor) absorbed.set(survivor, (absorbed.get(survivor) ?? 0) + 1);
      else if (outcome === 'digested')
        collected.set(run.id, (collected.get(run.id) ?? 0) + (output.count ?? 0) - 1);
      else cancelled.add(run.id);
    }
  }
  return [...new Set([...absorbed.keys(), ...collected.keys()])]
    .filter((id) => !cancelled.has(id) && (absorbed.get(id) ?? 0) !== (collected.get(id) ?? 0))
    .map((id) => ({ id, absorbed: absorbed.get(id), collected: collected.get(id) }));
}
