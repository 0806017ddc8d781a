import { describe, expect, test } from 'vitest';
import type { Json, JsonObject, SimulationInput } from './contract.ts';
import { parseDefinition } from './parse.ts';
import { simulate } from './simulate.ts';

const now = Date.parse('2026-01-10T08:00:00Z');
const hour = 3_600_000;

function run(steps: Json[], input: Partial<SimulationInput> = {}) {
  const result = parseDefinition({ steps });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return simulate(result.definition, { triggerData: {}, now, ...input });
}
const lines = ({ steps }: ReturnType<typeof run>) =>
  steps.map(
    ({ stepId, outcome, completedAt }) => `${((completedAt ?? 0) - now) / hour}h ${stepId} ${outcome}`,
  );

const mail = (id: string, more: JsonObject = {}) => ({
  id,
  kind: 'send',
  channel: 'email',
  recipient: { address: 'a@b.test' },
  text_body: id,
  ...more,
});
const orderFlow = [
  mail('confirm'),
  {
    id: 'paid',
    kind: 'wait_for_event',
    event: 'order.paid',
    match: { order_id: '{{ trigger.order_id }}' },
    timeout: '1d',
    on_timeout: 'remind',
    next: 'thanks',
  },
  mail('remind', { wait_for: 'delivered' }),
  {
    id: 'again',
    kind: 'branch',
    branches: [{ when: 'timestamp(run.now) - timestamp(run.created_at) < duration("72h")', goto: 'paid' }],
    else: 'give_up',
  },
  { id: 'give_up', kind: 'cancel' },
  mail('thanks'),
];

describe('a three-day flow', () => {
  test('reminds every day and gives up', () => {
    const result = run(orderFlow, { triggerData: { order_id: 7 } });
    expect(result.status).toBe('cancelled');
    expect(lines(result)).toEqual([
      '0h confirm sent',
      '24h paid timed_out',
      '24h remind sent',
      '24h again branched',
      '48h paid timed_out',
      '48h remind sent',
      '48h again branched',
      '72h paid timed_out',
      '72h remind sent',
      '72h again branched',
      '72h give_up cancelled',
    ]);
    expect(result.steps.every(({ notificationId }) => notificationId === null)).toBe(true);
  });

  test('ends when the event comes; others do not wake it', () => {
    const events = [
      { event_name: 'order.paid', event_data: { order_id: 8 }, at: '1h' },
      { event_name: 'order.paid', event_data: { order_id: 7 }, at: '2026-01-11T18:00:00Z' },
      { event_name: 'order.shipped', event_data: { order_id: 7 }, at: '2h' },
    ];
    const result = run(orderFlow, { triggerData: { order_id: 7 }, events });
    expect(result.status).toBe('completed');
    expect(lines(result).slice(-2)).toEqual(['34h paid event_received', '34h thanks sent']);
  });

  test('an event without a time comes as soon as it is waited for', () => {
    const events = [{ event_name: 'order.paid', event_data: { order_id: 7 } }];
    expect(lines(run(orderFlow, { triggerData: { order_id: 7 }, events }))).toEqual([
      '0h confirm sent',
      '0h paid event_received',
      '0h thanks sent',
    ]);
  });
});

test('an event before the wait counts only with lookback, and only once', () => {
  const flow = (lookback: boolean) => [
    { id: 'd', kind: 'delay', duration: '2h' },
    { id: 'w', kind: 'wait_for_event', event: 'e', timeout: '1h', lookback },
    { id: 'x', kind: 'wait_for_event', event: 'e', timeout: '1h', lookback },
  ];
  const events = [{ event_name: 'e', event_data: {}, at: '1h' }];
  expect(lines(run(flow(false), { events }))).toEqual(['2h d delayed', '3h w timed_out', '4h x timed_out']);
  expect(lines(run(flow(true), { events }))).toEqual([
    '2h d delayed',
    '2h w event_received',
    '3h x timed_out',
  ]);
});

test('the run is alone in its digest, and fetches answer what the script says', () => {
  const steps = [
    { id: 'd', kind: 'digest', key: 'k', window: '1h' },
    { id: 'f', kind: 'fetch', url: 'https://api.test/x' },
    {
      id: 'g',
      kind: 'fetch',
      url: 'https://api.test/x',
      when: 'digest.items == [{"n": 5}] && steps.f.output.name == "Ann"',
    },
    { id: 'n', kind: 'noop', when: 'steps.g.output == null' },
  ];
  const result = run(steps, { triggerData: { n: 5 }, responses: { f: { name: 'Ann' } } });
  expect(lines(result)).toEqual(['1h d digested', '1h f fetched', '1h g fetched', '1h n noop']);
});

test('a digest of one item is full at once', () => {
  const steps = [{ id: 'd', kind: 'digest', key: 'k', window: '1h', max_items: 1 }];
  expect(lines(run(steps))).toEqual(['0h d digested']);
});

test('the run is one of the workflow that is simulated', () => {
  const when = 'run.workflow_key == "orders" && run.version == 3.0 && run.source == "Production"';
  const about = { workflowKey: 'orders', version: 3, source: 'Production' as const };
  expect(lines(run([{ id: 'n', kind: 'noop', when }], { about }))).toEqual(['0h n noop']);
});

test('a failure is reported as a real run would', () => {
  expect(run([{ id: 'a', kind: 'noop', when: 'trigger.x == 1' }])).toMatchObject({
    status: 'failed',
    failureReason: expect.stringContaining('Step "a": when'),
  });
});

test('a script that makes no sense is refused', () => {
  const event = (at: string) => ({ event_name: 'e', event_data: {}, at });
  const pointer = (events: SimulationInput['events']) =>
    run([{ id: 'a', kind: 'noop' }], events ? { events } : {}).problem?.pointer ?? null;
  expect(pointer([event('1h')])).toBeNull();
  expect(pointer([event('later')])).toBe('/events/0/at');
  expect(pointer([event('1h'), event('2020-01-01T00:00:00Z')])).toBe('/events/1/at');
  expect(pointer(Array.from({ length: 101 }, () => event('1h')))).toBe('/events');
});
