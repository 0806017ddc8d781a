import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/harness/app.ts';
import { createTestDatabase, type TestDatabase } from '../../test/harness/database.ts';
import { createScrape } from '../http/scrape.ts';
import { createMetrics } from '../kernel/metrics.ts';
import { SummedMetrics } from './summed-metrics.ts';

const lineOf = (text: string, start: string) => text.split('\n').find((line) => line.startsWith(start));

test('counters and histograms are added, and gauges by their kind', async () => {
  const [one, other] = [createMetrics(), createMetrics()];
  one.accepted.inc({ channel: 'email' }, 2);
  other.accepted.inc({ channel: 'email' }, 3);
  other.accepted.inc({ channel: 'sms' }, 1);
  one.acceptToAttempt.observe({ lane: 'normal' }, 0.003);
  other.acceptToAttempt.observe({ lane: 'normal' }, 20);
  one.openStreams.set(4);
  other.openStreams.set(5);
  one.providerOutages.set(1);
  other.providerOutages.set(1);
  const text = await new SummedMetrics().text([
    await one.registry.getMetricsAsJSON(),
    await other.registry.getMetricsAsJSON(),
  ]);
  expect(text).toContain('carillon_notifications_accepted_total{channel="email"} 5');
  expect(text).toContain('carillon_notifications_accepted_total{channel="sms"} 1');
  expect(text).toContain('carillon_accept_to_attempt_seconds_bucket{le="0.005",lane="normal"} 1');
  expect(text).toContain('carillon_accept_to_attempt_seconds_bucket{le="+Inf",lane="normal"} 2');
  expect(text).toContain('carillon_accept_to_attempt_seconds_count{lane="normal"} 2');
  expect(lineOf(text, 'carillon_event_streams_open')).toBe('carillon_event_streams_open 9');
  // Both processes have read the same row of the database.
  expect(lineOf(text, 'carillon_provider_outages')).toBe('carillon_provider_outages 1');
});

test('the counters of processes that have ended stay in the sum, and their gauges leave it', async () => {
  const [living, ended] = [createMetrics(), createMetrics()];
  const sum = new SummedMetrics();
  ended.accepted.inc({ channel: 'email' }, 7);
  ended.openStreams.set(3);
  living.accepted.inc({ channel: 'email' }, 1);
  sum.addEnded(await ended.registry.getMetricsAsJSON());
  sum.addEnded(await ended.registry.getMetricsAsJSON());
  const text = await sum.text([await living.registry.getMetricsAsJSON()]);
  expect(text).toContain('carillon_notifications_accepted_total{channel="email"} 15');
  expect(text).toContain('carillon_event_streams_open 0');
});

let database: TestDatabase;
let apps: TestApp[];
beforeAll(async () => {
  database = await createTestDatabase();
  const settings = { CARILLON_ROLES: 'api' };
  apps = [await startTestApp({ database, settings }), await startTestApp({ database, settings })];
});
afterAll(async () => {
  for (const app of apps) await app.stop();
  await database.drop();
});

test('the depth of the queue is the same number in every process, and is reported once', async () => {
  const [one, other] = apps as [TestApp, TestApp];
  const body = {
    channel: 'email',
    recipient: { address: 'delivered@sandbox.test' },
    subject: 'Hello',
    text_body: 'Hello.',
  };
  for (const app of [one, other, one])
    expect((await app.request('POST', '/v1/notifications', { body })).status).toBe(202);
  const sum = new SummedMetrics();
  const scrapeOf = (asked: TestApp, rest: TestApp) =>
    createScrape({ ...asked.deps, metrics: createMetrics() }, async (own) =>
      sum.text([own, await rest.deps.scrape.snapshot()]),
    );
  // Each process was asked before, and has a depth of its own from then.
  await one.deps.scrape.text();
  await other.deps.scrape.text();
  const text = await scrapeOf(one, other).text();
  expect(text).toContain('carillon_queue_waiting{kind="notification",lane="normal"} 3');
  expect(text).toContain('carillon_processes 2');
});
