import { expect, test } from 'vitest';
import { inPlace, type TaskRunner, TaskStopped } from '../threads/task.ts';
import type { Definition, Json, JsonObject, RunInput, ValidationContext } from './contract.ts';
import { decide, initialState } from './decide.ts';
import { matchKeyOf } from './match.ts';
import { parseDefinition } from './parse.ts';
import { decideBounded, matchTask, validateBounded, validationTask } from './tasks.ts';
import { validateDefinition } from './validate.ts';

function parsed(steps: Json[]): Definition {
  const result = parseDefinition({ steps });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.definition;
}

/** A thread, as far as the engine can tell: inputs and outputs are copies. */
function recorded(): { tasks: TaskRunner; ran: string[] } {
  const ran: string[] = [];
  const run: TaskRunner['run'] = async (task, owner, input) => {
    ran.push(task.name);
    return structuredClone(await inPlace.run(task, owner, structuredClone(input)));
  };
  return { tasks: { run }, ran };
}

const stopping: TaskRunner = {
  run: () => Promise.reject(new TaskStopped('it took too long')),
};

const runInput = (triggerData: JsonObject): RunInput => ({
  id: '01890000-0000-7000-8000-000000000000',
  workflowKey: 'w',
  version: 1,
  source: 'Test',
  createdAt: 0,
  recipientTimezone: null,
  triggerData,
});
const numbers = (length: number) => Array.from({ length }, (_, n) => n);
const all = (name: string) => `trigger.${name}.all(x, trigger.${name}.all(y, x <= y || true))`;
const mail = (text: string) => ({
  ...{ id: 'mail', kind: 'send', channel: 'email', recipient: { address: 'a@example.com' } },
  ...{ subject: 'x', text_body: text },
});

const given = (definition: Definition, data: JsonObject) => ({
  ...{ definition, run: runInput(data), state: initialState(), input: { kind: 'start' as const }, now: 0 },
});

test.each<[string, Json[], JsonObject, JsonObject]>([
  ['an expression', [{ id: 'a', kind: 'noop', when: all('l') }], { l: numbers(10) }, { l: numbers(200) }],
  [
    'a template',
    [mail('{% for i in trigger.l %}{{ i | times: 2 }},{% endfor %}')],
    { l: numbers(10) },
    { l: numbers(9_000) },
  ],
  ['a large value', [mail('{{ trigger.s }}')], { s: 'x' }, { s: 'x'.repeat(260_000) }],
])(
  '%s that is much work is decided in a thread, and just as it would be in place',
  async (_name, steps, light, heavy) => {
    const definition = parsed(steps);
    for (const [data, expected] of [
      [light, []],
      [heavy, ['decide']],
    ] as const) {
      const { tasks, ran } = recorded();
      const decision = await decideBounded(tasks, 'env', given(definition, data));
      expect(ran).toEqual(expected);
      const { run, state, input, now } = given(definition, data);
      expect(decision).toEqual(decide(definition, run, state, input, now));
      expect(decision.status).not.toBe('failed');
    }
  },
);

test('a decision that takes too long fails the run', async () => {
  const definition = parsed([{ id: 'a', kind: 'noop', when: all('l') }]);
  const decision = await decideBounded(stopping, 'env', given(definition, { l: numbers(400) }));
  expect(decision).toMatchObject({ status: 'failed', failureReason: 'it took too long.' });
});

test('many expressions of one step are read in a thread the first time', async () => {
  const branches = Array.from({ length: 40 }, (_, n) => ({
    when: `${n} > 99 ${'|| false '.repeat(90)}`,
    goto: 'end',
  }));
  const definition = parsed([{ id: 'a', kind: 'branch', branches }]);
  const { tasks, ran } = recorded();
  for (let times = 0; times < 8; times += 1) await decideBounded(tasks, 'env', given(definition, {}));
  expect(ran.length).toBeGreaterThan(0);
  expect(ran.length).toBeLessThan(8); // what was read so far is kept
});

const world: ValidationContext = {
  templates: new Map(),
  categories: new Set(),
  channels: new Set(['email']),
  templatedChannels: new Set(),
};

test('a definition with many expressions is checked in a thread, with the same result', async () => {
  const steps = Array.from({ length: 400 }, (_, n) => ({
    id: `s${n}`,
    kind: 'noop',
    when: `trigger.n > ${n} + "x"`,
  }));
  const [small, large] = [parsed(steps.slice(0, 10)), parsed(steps)];
  expect(validationTask.isLight({ definition: small, world })).toBe(true);
  expect(validationTask.isLight({ definition: large, world })).toBe(false);
  const { tasks, ran } = recorded();
  expect(await validateBounded(tasks, 'env', large, world)).toEqual(validateDefinition(large, world));
  expect(ran).toEqual(['validate_definition']);
  expect(await validateBounded(stopping, 'env', large, world)).toMatchObject([{ code: 'too_large' }]);
});

test('a pattern that cannot be checked in linear time is refused', () => {
  const problems = validateDefinition(
    parsed([{ id: 'a', kind: 'noop', when: 'trigger.s.matches("^(?=a).*$")' }]),
    world,
  );
  expect(problems).toMatchObject([{ code: 'invalid_expression', pointer: '/steps/0/when' }]);
  expect(problems[0]?.message).toContain('look-ahead');
});

test('an event is compared in a thread when it is large or when runs wait for many things', () => {
  const data = { a: numbers(1_000), b: { c: 1 } };
  const patterns = [['a'], ['b.c'], ['missing'], ['a', 'b']];
  expect(matchTask.work({ patterns, data })).toEqual(patterns.map((paths) => matchKeyOf(paths, data)));
  expect(matchTask.isLight({ patterns, data })).toBe(true);
  expect(matchTask.isLight({ patterns: Array.from({ length: 100 }, () => ['a']), data })).toBe(false);
  expect(matchTask.isLight({ patterns, data: { a: numbers(15_000) } })).toBe(false);
});
