import type { Effort } from '../threads/effort.ts';
import type {
  Decision,
  Definition,
  DefinitionProblem,
  Effect,
  Input,
  JsonObject,
  RunInput,
  Simulation,
  SimulationInput,
  StepEntry,
  WaitForEventEffect,
} from './contract.ts';
import { decide, initialState, takePass } from './decide.ts';
import { engineLimits } from './limits.ts';
import { matchKeyOf } from './match.ts';
import { parseDuration, parseTimestamp } from './time.ts';

/** An event of the script; `at` is null for one that arrives as soon as the run waits for it. */
interface Scripted {
  name: string;
  data: JsonObject;
  at: number | null;
}

/**
 * Runs a definition on a simulated clock. Every decision is made by `decide()`, as in a real run; only the effects are
 * simulated: sends are accepted and delivered without a notification, fetches return the responses of the script, and the run
 * is alone in its digests and throttles. Yields after each decision: a run may take thousands, and the caller has other work. With a light
 * effort, throws HeavyWork when the work exceeds that effort.
 */
export function* simulation(
  definition: Definition,
  input: SimulationInput,
  effort: Effort = 'full',
): Generator<undefined, Simulation, undefined> {
  const script = readScript(input);
  if ('problem' in script)
    return { status: 'failed', failureReason: null, steps: [], problem: script.problem };
  const run: RunInput = {
    id: '00000000-0000-0000-0000-000000000000',
    ...(input.about ?? { workflowKey: 'simulation', version: 0, source: 'Test' }),
    createdAt: input.now,
    triggerData: input.triggerData,
    recipientTimezone: input.recipientTimezone ?? null,
  };
  // The key of a wait consists of its paths and their values, so an event is matched with the paths of the waiting step.
  const pathsOf = new Map(
    definition.steps.flatMap((step) =>
      step.kind === 'wait_for_event' ? [[step.id, Object.keys(step.match).sort()] as const] : [],
    ),
  );
  const waiting = [...script.events];
  /** The passes of each throttle: a run in a loop meets its own. */
  const passesOf = new Map<string, number[]>();
  let now = input.now;
  const steps = new Map<number, StepEntry>();
  let decision: Decision = decide(definition, run, initialState(), { kind: 'start' }, now, effort);
  for (;;) {
    for (const entry of decision.entries) steps.set(entry.seq, entry);
    const { effect } = decision;
    if (effect === null) {
      const { status, failureReason } = decision;
      return { status, failureReason, steps: [...steps.values()], problem: null };
    }
    yield;
    const happened = happens(effect, now);
    now = happened.at;
    decision = decide(definition, run, decision.state, happened.input, now, effort);
  }

  /** Returns the next input and its time. */
  function happens(effect: Effect, from: number): { input: Input; at: number } {
    switch (effect.kind) {
      case 'continue':
        return { input: { kind: 'resume' }, at: from };
      case 'send':
        return effect.waitFor === 'accepted'
          ? { input: { kind: 'send_accepted', notificationId: null }, at: from }
          : {
              input: {
                kind: 'notification_settled',
                notificationId: null,
                status: effect.waitFor,
                reason: null,
              },
              at: from,
            };
      case 'fetch': {
        const { responses = {} } = input;
        const body = Object.hasOwn(responses, effect.stepId) ? (responses[effect.stepId] ?? null) : null;
        return { input: { kind: 'fetched', body }, at: from };
      }
      case 'join_digest':
        return effect.maxItems === 1
          ? { input: { kind: 'digest_closed', items: [input.triggerData] }, at: from }
          : { input: { kind: 'digest_opened', until: from + effect.windowMs }, at: from };
      case 'await_digest':
        return { input: { kind: 'digest_closed', items: [input.triggerData] }, at: effect.until };
      case 'take_throttle': {
        const throttle = JSON.stringify([effect.stepId, effect.key]);
        const { at, passes } = takePass(passesOf.get(throttle) ?? [], from, effect);
        passesOf.set(throttle, passes);
        return { input: { kind: 'throttle_answered', at }, at: from };
      }
      case 'wait_for_event':
        return nextEvent(effect, from) ?? { input: { kind: 'timer' }, at: effect.until };
      case 'sleep':
      case 'await_notification':
        return { input: { kind: 'timer' }, at: effect.until };
    }
  }

  /**
   * Takes the first event that would wake the run. At the exact end of the wait the event wins, as in a real run when it is
   * first.
   */
  function nextEvent(effect: WaitForEventEffect, from: number): { input: Input; at: number } | null {
    const paths = pathsOf.get(effect.stepId) ?? [];
    let found: { scripted: Scripted; at: number; matchKey: string } | null = null;
    for (const scripted of waiting) {
      const at = scripted.at === null ? from : Math.max(scripted.at, from);
      const isPast = scripted.at !== null && scripted.at < from;
      if (scripted.name !== effect.eventName || at > effect.until || (isPast && !effect.lookback)) continue;
      if (found && found.at <= at) continue;
      if (matchKeyOf(paths, scripted.data) === effect.matchKey)
        found = { scripted, at, matchKey: effect.matchKey };
    }
    if (!found) return null;
    waiting.splice(waiting.indexOf(found.scripted), 1);
    const { name, data } = found.scripted;
    return { input: { kind: 'event', eventName: name, matchKey: found.matchKey, data }, at: found.at };
  }
}

/** Runs the whole simulation at once. */
export function simulate(definition: Definition, input: SimulationInput): Simulation {
  const running = simulation(definition, input);
  for (;;) {
    const { done, value } = running.next();
    if (done) return value;
  }
}

function readScript({
  events = [],
  now,
}: SimulationInput): { events: Scripted[] } | { problem: DefinitionProblem } {
  if (events.length > engineLimits.simulatedEvents)
    return {
      problem: {
        code: 'parameter_invalid',
        message: `At most ${engineLimits.simulatedEvents} events.`,
        pointer: '/events',
      },
    };
  const read: Scripted[] = [];
  for (const [index, { event_name: name, event_data: data, at }] of events.entries()) {
    const after = at === undefined ? null : parseDuration(at);
    const moment = at === undefined ? null : after === null ? parseTimestamp(at) : now + after;
    if (at !== undefined && moment === null) {
      const message = 'The value is neither a timestamp nor a duration after the start.';
      return { problem: { code: 'parameter_invalid', message, pointer: `/events/${index}/at` } };
    }
    if (moment !== null && moment < now) {
      const message = 'The time is before the start of the simulation.';
      return { problem: { code: 'parameter_invalid', message, pointer: `/events/${index}/at` } };
    }
    read.push({ name, data, at: moment });
  }
  return { events: read };
}
