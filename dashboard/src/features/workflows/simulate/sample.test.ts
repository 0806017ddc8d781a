import { describe, expect, test } from 'vitest';
import { sampleData, sampleEvent } from './sample.ts';

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
