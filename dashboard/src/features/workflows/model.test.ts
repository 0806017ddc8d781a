import { describe, expect, test } from 'vitest';
import { workflows } from '../../strings/workflows.ts';
import { type Body, readBody } from './definition.ts';
import { addStep, moveStep, removeStep, renameStep, setField } from './edit.ts';
import { parseText, placeOf, rangeOf, stepAt } from './json-text.ts';
import { missingTargets, roadsOf, unreachedSteps } from './roads.ts';
import { sampleData, sampleEvent } from './sample.ts';
import { iconOf, summaryOf } from './summary.ts';

const order: Body = {
  steps: [
    { id: 'paid', kind: 'wait_for_event', event: 'paid', timeout: '1d', on_timeout: 'remind', next: 'thank' },
    { id: 'remind', kind: 'send', when: 'steps.paid.outcome == "timed_out"' },
    { id: 'again', kind: 'branch', branches: [{ when: 'trigger.n < 3', goto: 'paid' }], else: 'end' },
    { id: 'thank', kind: 'send', text_body: '{{ steps.paid.output.amount }} {{ steps["paid"].outcome }}' },
  ],
};

describe('the text of a body', () => {
  test('is read as JSON.parse reads it, with the place of every part', () => {
    const text = '{ "a": [1, -2.5e3, true, null, "x\\n\\u00e9"],\n  "b/c": {"~": {}} , "": [] }';
    const parsed = parseText(text);
    if (!parsed.ok) throw new Error('not read');
    expect(parsed.value).toEqual(JSON.parse(text));
    const { from, to } = rangeOf(parsed.ranges, '/b~1c/~0');
    expect(text.slice(from, to)).toBe('{}');
    expect(placeOf(text, from)).toEqual({ line: 2, column: 16 });
  });

  test.each([
    ['', 0],
    ['{', 1],
    ['{"a":}', 5],
    ['{"a":1,}', 7],
    ['[1 2]', 3],
    ['{"a":"b\n"}', 5],
    ['{"a":01}', 6],
    ['{} x', 3],
    ["{'a':1}", 1],
  ])('that is not JSON says where: %j', (text, at) => {
    expect(parseText(text)).toMatchObject({ ok: false, at });
  });

  test('nested a thousand deep is refused and not a crash', () => {
    expect(parseText('['.repeat(1000) + ']'.repeat(1000)).ok).toBe(false);
  });

  test('leads from a place to the step around it', () => {
    const text = JSON.stringify(order, null, 2);
    const parsed = parseText(text);
    if (!parsed.ok) throw new Error('not read');
    expect(stepAt(parsed.ranges, text.indexOf('"again"'))).toBe(2);
    expect(stepAt(parsed.ranges, 0)).toBeNull();
    // What is missing is shown at what it is missing from.
    expect(rangeOf(parsed.ranges, '/steps/1/channel')).toEqual(parsed.ranges.get('/steps/1'));
  });

  test('that is half a body is drawn as far as it goes', () => {
    expect(readBody({ steps: [{ id: 5 }, null, 'x'] })?.steps).toEqual([
      { id: '', kind: '' },
      { id: '', kind: '' },
      { id: '', kind: '' },
    ]);
    for (const value of [null, [], 'x', {}, { steps: {} }]) expect(readBody(value)).toBeNull();
  });
});

describe('roads', () => {
  test('go to the next step, to what is named, and to the end', () => {
    expect(
      roadsOf(order.steps).map(({ from, to, reasons }) => [from, to, reasons.map(({ kind }) => kind)]),
    ).toEqual([
      [0, 3, ['event']],
      [0, 1, ['timeout']],
      [1, 2, ['always']],
      [2, 0, ['when']],
      [2, null, ['otherwise']],
      [3, null, ['always']],
    ]);
  });

  test('that lead nowhere, and steps that none leads to, are found', () => {
    const steps = [
      { id: 'a', kind: 'noop', next: 'end' },
      { id: 'b', kind: 'noop', next: 'nowhere' },
    ];
    expect(unreachedSteps(steps)).toEqual([1]);
    expect(missingTargets(steps)).toEqual([{ pointer: '/steps/1/next', target: 'nowhere' }]);
  });
});

describe('an edit', () => {
  test('of an id takes everything along that names the step', () => {
    const { steps } = renameStep(order, 0, 'pay-ment');
    expect(steps[0]?.id).toBe('pay-ment');
    expect(steps[1]?.when).toBe('steps["pay-ment"].outcome == "timed_out"');
    expect(steps[2]?.branches).toEqual([{ when: 'trigger.n < 3', goto: 'pay-ment' }]);
    expect(steps[3]?.text_body).toBe('{{ steps["pay-ment"].output.amount }} {{ steps["pay-ment"].outcome }}');
    expect(renameStep(renameStep(order, 0, 'pay-ment'), 0, 'paid').steps[1]).toEqual(order.steps[1]);
  });

  test('of an id leaves alone what only looks like it', () => {
    const body = { steps: [{ id: 'a', kind: 'noop', when: 'steps.ab.outcome == steps.a.outcome' }] };
    expect(renameStep(body, 0, 'z').steps[0]?.when).toBe('steps.ab.outcome == steps.z.outcome');
    const odd = { steps: [{ id: 'a(b', kind: 'noop', when: 'steps["a(b"].outcome == steps.a' }] };
    expect(renameStep(odd, 0, 'z').steps[0]?.when).toBe('steps.z.outcome == steps.a');
  });

  test('of a kind that there is not is drawn as unknown, also when every object has something of that name', () => {
    const step = { id: 'a', kind: 'constructor' };
    expect([iconOf(step), summaryOf(step), workflows.kind(step.kind)]).toEqual([
      'info',
      'Unknown kind constructor',
      'constructor',
    ]);
  });

  test('that removes a step lets those who went there go on', () => {
    const { steps } = removeStep(order, 1);
    expect(steps.map(({ id }) => id)).toEqual(['paid', 'again', 'thank']);
    expect(steps[0]?.on_timeout).toBe('again');
    expect(removeStep(order, 3).steps[0]?.next).toBe('end');
  });

  test('adds a step with an id of its own, and moves one within its limits', () => {
    const added = addStep(addStep(order, 1, 'delay').body, 1, 'delay');
    expect(added.body.steps.map(({ id }) => id)).toEqual([
      'paid',
      'remind',
      'delay_2',
      'delay',
      'again',
      'thank',
    ]);
    expect(moveStep(order, 0, -1)).toBe(order);
    expect(moveStep(order, 0, 1).steps.map(({ id }) => id)).toEqual(['remind', 'paid', 'again', 'thank']);
  });

  test('that empties a field leaves it out', () => {
    expect(setField({ id: 'a', kind: 'delay', duration: '1d' }, 'duration', '')).toEqual({
      id: 'a',
      kind: 'delay',
    });
  });
});

describe('sample data', () => {
  test('fits the schema, and has what the steps ask for', () => {
    const data = sampleData({
      trigger_data_schema: {
        type: 'object',
        properties: {
          email: { type: 'string', format: 'email' },
          plan: { enum: ['pro', 'team'] },
          seats: { type: 'integer', minimum: 3 },
          lines: { type: 'array', items: { type: 'object', properties: { sku: { type: 'string' } } } },
        },
      },
      steps: [{ id: 'a', kind: 'noop', when: 'trigger.?region == "eu"' }],
    });
    expect(data).toEqual({
      email: 'delivered@sandbox.test',
      plan: 'pro',
      seats: 3,
      lines: [{ sku: 'sku' }],
      region: 'region',
    });
  });

  test('of an event matches what the step waits for', () => {
    const step = {
      id: 'w',
      kind: 'wait_for_event',
      event: 'paid',
      match: { 'order.id': '{{ trigger.order.id }}', n: 5 },
    };
    expect(sampleEvent(step, { order: { id: 'A1' } })).toEqual({
      event_name: 'paid',
      event_data: { order: { id: 'A1' }, n: 5 },
      at: '',
    });
  });

  test('of a hostile schema ends', () => {
    const schema: Record<string, unknown> = { type: 'object' };
    schema.properties = { self: schema, __proto__: { type: 'string' } };
    expect(() => sampleData({ trigger_data_schema: schema, steps: [] })).not.toThrow();
  });
});
