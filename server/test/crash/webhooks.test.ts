import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startWebhookSink } from '../simulators/webhook-sink.ts';
import { settled } from './audit.ts';
import { type Fleet, startFleet, testKey } from './fleet.ts';
import { startLoad } from './load.ts';
import { storm } from './storm.ts';

const letter = (number: number) => ({
  apiKey: testKey,
  body: {
    channel: 'email',
    recipient: { address: number % 10 === 0 ? 'refused-once@sandbox.test' : 'ada@example.com' },
    subject: `Letter ${number}`,
    text_body: 'It rings.',
  },
});

interface Told {
  [column: string]: unknown;
  notification_id: string;
  type: string;
  event_id: string;
  status: string;
}

test('kill -9 of API, workers and database under load: every event reaches its endpoint, and none is made up', {
  timeout: 180_000,
}, async () => {
  const sink = await startWebhookSink();
  // Slow enough that every killed worker leaves calls behind whose answer it did not learn.
  sink.reply = () => (response) => setTimeout(() => response.writeHead(204).end(), 20);
  const fleet = await startFleet();
  try {
    await createEndpoint(fleet, sink.url());
    const load = startLoad(fleet.api.url, letter);
    await storm(fleet, { kills: 6, pauseMs: () => 1_500, afterKills: load.stop });
    await settled(fleet, 60_000);
    await delivered(fleet, 60_000);

    const told = await fleet.ask<Told>(
      `select v.notification_id, v.type, v.id as event_id, d.status
       from webhook_events v join webhook_deliveries d on d.event_id = v.id`,
    );
    const types = new Map<string, string[]>();
    for (const { notification_id: id, type } of told) types.set(id, [...(types.get(id) ?? []), type].sort());
    expect([...types.keys()].sort()).toEqual([...load.acknowledged.values()].sort());
    const expected = ['notification.delivered', 'notification.sent'];
    expect([...types].filter(([, seen]) => String(seen) !== String(expected))).toEqual([]);

    const arrived = new Set(sink.received.map(({ headers }) => headers['webhook-id']));
    expect(told.filter(({ event_id, status }) => status !== 'succeeded' || !arrived.has(event_id))).toEqual(
      [],
    );
    expect(arrived.size).toBe(told.length);
    expect(told.length).toBeGreaterThan(200);
  } finally {
    await fleet.stop();
    await sink.stop();
  }
});

async function createEndpoint(fleet: Fleet, url: string): Promise<void> {
  const response = await fetch(`${fleet.api.url}/v1/webhook-endpoints`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url }),
  });
  expect(response.status).toBe(201);
}

async function delivered(fleet: Fleet, deadlineMs: number): Promise<void> {
  for (const deadline = Date.now() + deadlineMs; Date.now() < deadline; await delay(100)) {
    const [row] = await fleet.ask<{ open: number }>(
      `select count(*)::int as open from webhook_deliveries where status = 'pending'`,
    );
    if (row?.open === 0) return;
  }
}
