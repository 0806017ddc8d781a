import { describe, expect, test } from 'vitest';
import { order } from '../test-harness.ts';
import { addStep, changeKind, moveStep, removeStep, renameStep, setField } from './edit.ts';

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

  test('of a kind leaves no fields of the former kind', () => {
    const wait = { id: 'a', kind: 'delay', when: 'true', next: 'end', until: 'trigger.at', timezone: 'UTC' };
    expect(changeKind({ steps: [wait] }, 0, 'digest').steps).toEqual([
      {
        ...{ id: 'a', kind: 'digest', when: 'true', next: 'end' },
        ...{ key: '{{ trigger.external_user_id }}', window: '1h' },
      },
    ]);
    expect(changeKind(order, 1, 'send')).toBe(order);
  });

  test('that empties a field leaves it out', () => {
    expect(setField({ id: 'a', kind: 'delay', duration: '1d' }, 'duration', '')).toEqual({
      id: 'a',
      kind: 'delay',
    });
  });
});
