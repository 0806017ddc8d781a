import { expect, test } from 'vitest';
import { newId } from '../../../kernel/ids.ts';
import { callSpanOf, spanOf, stepsOf, windows } from './schema.ts';
import { deliveryRateOf, groupByReason, reasonOf } from './service.ts';

const none = {
  accepted: 0,
  sent: 0,
  delivered: 0,
  failed: 0,
  suppressed: 0,
  bounced: 0,
  complained: 0,
  retried: 0,
};

test('the delivery rate is the share of what was sent or failed that neither failed nor bounced', () => {
  const rate = (counts: Partial<typeof none>) => deliveryRateOf({ ...none, ...counts });
  expect(rate({})).toBeNull();
  expect(rate({ accepted: 10, suppressed: 3 })).toBeNull();
  expect(rate({ sent: 100 })).toBe(1);
  expect(rate({ sent: 95, delivered: 90, bounced: 5, failed: 5 })).toBe(0.9);
  expect(rate({ failed: 4 })).toBe(0);
  expect(rate({ bounced: 4 })).toBe(0); // refused at once: never sent
  expect(rate({ sent: 2, bounced: 4 })).toBe(0);
});

test('a window has at most 180 steps, the last of which is going on, and nothing older than itself', () => {
  const now = Date.parse('2026-03-04T05:06:07.890Z');
  for (const window of windows) {
    for (const span of [spanOf(window, now), callSpanOf(window, now)]) {
      const steps = stepsOf(span, (at) => at);
      expect(steps.length).toBeLessThanOrEqual(180);
      expect(steps.length * span.stepSeconds * 1000).toBe(span.to.getTime() - span.from.getTime());
      expect(span.to.getTime()).toBeGreaterThan(now);
      expect(steps.at(-1)).toBeLessThanOrEqual(now);
    }
  }
  expect(now - spanOf('7d', now).from.getTime()).toBeLessThan(7 * 86_400_000);
  expect(spanOf('1h', now).from.toISOString()).toBe('2026-03-04T04:07:00.000Z');
});

test('reasons that differ in who or when are one reason', () => {
  expect(reasonOf('smtp: 550 <ada@example.com> unknown')).toBe(
    reasonOf('smtp: 550 <bob@example.org> unknown'),
  );
  expect(reasonOf('Gave up at 2026-03-04T05:06:07.890Z')).toBe(
    reasonOf('Gave up at 2027-01-01T00:00:00.000Z'),
  );
  expect(reasonOf('not a number: +4915112345678')).toBe('not a number: …');
  expect(reasonOf('550 5.1.1 no')).toBe('550 5.1.1 no');
  expect(reasonOf(null)).toBe('unknown');
  expect(reasonOf('x'.repeat(5_000))).toHaveLength(200);
});

test('groups are by channel, status and reason, most frequent first, each with its newest', () => {
  const [first, second, third] = [newId(), newId(), newId()];
  const groups = groupByReason([
    { id: third, channel: 'email', status: 'failed', reason: 'a' },
    { id: second, channel: 'sms', status: 'failed', reason: 'b' },
    { id: first, channel: 'sms', status: 'failed', reason: 'b' },
  ]);
  expect(
    groups.map(({ reason, count, sample_notification_id }) => [reason, count, sample_notification_id]),
  ).toEqual([
    ['b', 2, second],
    ['a', 1, third],
  ]);
});
