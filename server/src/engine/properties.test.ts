import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { randomBody, randomInput, randomTriggerData } from '../../test/harness/random-workflows.ts';
import {
  type Definition,
  type Json,
  type RunInput,
  type RunState,
  type StepEntry,
  stepOutcomes,
} from './contract.ts';
import { decide, initialState } from './decide.ts';
import { mergeEntries } from './decision-draft.ts';
import { engineLimits } from './limits.ts';
import { matchKeyOf } from './match.ts';
import { parseDefinition } from './parse.ts';
import { simulate } from './simulate.ts';

const start = Date.parse('2026-01-10T08:00:00Z');
const matchKeys = [
  matchKeyOf([], {}),
  matchKeyOf(['id'], { id: 'a' }),
  matchKeyOf(['id'], { id: 'b' }),
] as string[];

function parsed(body: Json): Definition {
  const result = parseDefinition(body);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.definition;
}

/** What every timeline promises, whatever happened: which entries break it. Plain comparisons, for timelines are long. */
function faultsOf(timeline: StepEntry[], hasEnded: boolean): StepEntry[] {
  const attempts = new Set(timeline.map(({ attemptId }) => attemptId));
  return timeline.filter((entry, index) => {
    const { seq, status, outcome, startedAt, completedAt } = entry;
    const next = timeline[index + 1];
    const isOpen = completedAt === null;
    const isWhole =
      seq === index + 1 &&
      attempts.size === timeline.length &&
      isOpen === (outcome === null) &&
      isOpen === (status === 'running' || status === 'waiting') &&
      (isOpen ? !next && !hasEnded : completedAt >= startedAt) &&
      (outcome === null || stepOutcomes.includes(outcome)) &&
      (!next || (next.stepId === entry.nextStepId && next.startedAt >= (completedAt ?? next.startedAt + 1)));
    return !isWhole;
  });
}

describe('any workflow, told anything in any order', () => {
  test('always decides, and its timeline is whole', () => {
    const moments = fc.array(fc.tuple(randomInput(matchKeys), fc.integer({ min: 0, max: 7_200_000 })), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(
        randomBody({ hasThrottles: true }),
        randomTriggerData(),
        moments,
        (body, triggerData, told) => {
          const definition = parsed(body);
          const run: RunInput = {
            id: 'r',
            workflowKey: 'w',
            version: 1,
            source: 'Test',
            createdAt: start,
            recipientTimezone: null,
            triggerData,
          };
          let state: RunState = initialState();
          let timeline: StepEntry[] = [];
          let now = start;
          for (const [input, later] of [[{ kind: 'start' } as const, 0] as const, ...told]) {
            now += later;
            const before = JSON.stringify(state);
            const decision = decide(definition, run, state, input, now);
            expect(JSON.stringify(state)).toBe(before);
            if (decision.ignored) {
              expect(decision).toMatchObject({ entries: [], effect: null });
              expect(decision.state).toBe(state);
              continue;
            }
            const hasEnded = decision.effect === null;
            expect(['completed', 'failed', 'cancelled'].includes(decision.status)).toBe(hasEnded);
            expect(decision.state.pending === null).toBe(hasEnded);
            expect(decision.failureReason !== null).toBe(decision.status === 'failed');
            timeline = mergeEntries(timeline, decision.entries);
            expect(timeline).toHaveLength(decision.state.seq);
            expect(faultsOf(timeline, hasEnded)).toEqual([]);
            state = JSON.parse(JSON.stringify(decision.state)) as RunState;
            expect(state).toEqual(decision.state);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test('a crash after any decision changes nothing: the run asks for the same again', () => {
    fc.assert(
      fc.property(
        randomBody({ hasThrottles: true }),
        randomTriggerData(),
        fc.array(randomInput(matchKeys), { maxLength: 20 }),
        (body, triggerData, told) => {
          const definition = parsed(body);
          const run: RunInput = {
            id: 'r',
            workflowKey: 'w',
            version: 1,
            source: 'Test',
            createdAt: start,
            recipientTimezone: null,
            triggerData,
          };
          let state = initialState();
          for (const input of [{ kind: 'start' } as const, ...told]) {
            const decision = decide(definition, run, state, input, start);
            state = decision.state;
            if (decision.effect === null || decision.effect.kind === 'continue') continue;
            const again = decide(parsed(body), run, state, { kind: 'resume' }, start);
            expect(again.effect).toEqual(decision.effect);
            expect(again.state).toEqual(decision.state);
            expect(again.entries).toEqual(decision.entries.slice(-1));
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});

test('any simulation ends, within the limits and with a whole timeline', { timeout: 60_000 }, () => {
  const events = fc.array(
    fc.record({
      event_name: fc.constantFrom('paid', 'shipped'),
      event_data: fc.constantFrom({}, { id: 'a' }, { id: 'b' }),
      at: fc.constantFrom('0s', '5m', '1h', '3d', '30d'),
    }),
    { maxLength: 6 },
  );
  fc.assert(
    fc.property(
      randomBody({ hasThrottles: true }),
      randomTriggerData(),
      events,
      (body, triggerData, script) => {
        const result = simulate(parsed(body), { triggerData, events: script, now: start });
        expect(result.problem).toBeNull();
        expect(['completed', 'failed', 'cancelled']).toContain(result.status);
        expect(result.steps.length).toBeLessThanOrEqual(engineLimits.stepsInRun);
        expect(faultsOf(result.steps, true)).toEqual([]);
      },
    ),
    { numRuns: 150 },
  );
});
