import { expect, test } from 'vitest';
import { awaitingReport } from './sent.ts';

const nothing = { accepted: 0, sent: 0, delivered: 0, bounced: 0, failed: 0, suppressed: 0 };

test.each([
  ['a provider that reports nothing', { accepted: 10, sent: 8, failed: 1, suppressed: 1 }, 8],
  ['a provider that reports everything', { accepted: 10, sent: 10, delivered: 9, bounced: 1 }, 0],
  ['recipients that were refused at once', { accepted: 13, sent: 10, bounced: 3 }, 10],
  ['notifications that still wait', { accepted: 9, sent: 5, delivered: 2 }, 3],
  ['reports about what was sent before the period', { delivered: 4, bounced: 1 }, 0],
])('with %s the outcomes and what is sent add up', (_, counts, sent) => {
  expect(awaitingReport({ ...nothing, ...counts })).toBe(sent);
});
