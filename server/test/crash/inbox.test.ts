import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { waitUntil } from '../app.ts';
import { openStream, type StreamEvent, type TestStream } from '../event-stream.ts';
import { settled } from './audit.ts';
import { type Fleet, startFleet, testKey } from './fleet.ts';
import { startLoad } from './load.ts';
import { storm } from './storm.ts';

const users = ['ada', 'grace', 'joan', 'mary'];
const userOf = (number: number): string => users[number % users.length] ?? '';

const letter = (number: number) => ({
  apiKey: testKey,
  body: {
    channel: 'in_app',
    recipient: { external_user_id: userOf(number) },
    subject: `Letter ${number}`,
    html_body: '<p>It rings.</p>',
  },
});

interface Follower {
  /** Every event of the type over all connections, in the order it was told. */
  told(event: string): StreamEvent[];
  connections(): number;
  stop(): Promise<void>;
}

/** A client as it should be: it comes back after every break, with the last id it saw. */
function follow(fleet: Fleet, token: string): Follower {
  const streams: TestStream[] = [];
  let stopped = false;

  async function run(): Promise<void> {
    for (; !stopped; await delay(20)) {
      const lastId = streams.findLast((stream) => stream.lastId() !== null)?.lastId();
      const stream = await openStream(`${fleet.api.url}/inbox/v1/stream`, {
        authorization: `Bearer ${token}`,
        ...(lastId ? { 'last-event-id': lastId } : {}),
      }).catch(() => null);
      if (!stream) continue;
      streams.push(stream);
      if (stopped) stream.close();
      await stream.ended;
    }
  }

  const running = run();
  return {
    told: (event) => streams.flatMap(({ events }) => events.filter((each) => each.event === event)),
    connections: () => streams.length,
    async stop() {
      stopped = true;
      streams.at(-1)?.close();
      await running;
    },
  };
}

test('kill -9 of the API that holds the streams, of workers and of the database: every item is told exactly once', {
  timeout: 180_000,
}, async () => {
  const fleet = await startFleet();
  try {
    const followers = new Map<string, Follower>();
    for (const user of users) {
      const follower = follow(fleet, await tokenFor(fleet, user));
      followers.set(user, follower);
      await waitUntil(
        async () => follower.told('unread_count.changed').length > 0 || new Error('not open yet'),
      );
    }
    const load = startLoad(fleet.api.url, letter);
    await storm(fleet, { kills: 6, pauseMs: () => 1_500, afterKills: load.stop });
    await settled(fleet, 60_000);

    const wanted = new Map<string, string[]>(users.map((user) => [user, []]));
    for (const [key, id] of load.acknowledged) wanted.get(userOf(Number(key.split('-')[1])))?.push(id);
    expect(load.acknowledged.size).toBeGreaterThan(200);
    for (const [user, follower] of followers) {
      const ids = wanted.get(user) ?? [];
      const arrived = () => follower.told('notification.arrived').map(({ data }) => data.id as string);
      await waitUntil(
        async () => arrived().length >= ids.length || new Error(`${arrived().length} of ${ids.length}`),
      );
      await follower.stop();
      expect(arrived().sort()).toEqual(ids.sort());
      expect(follower.told('reset')).toEqual([]);
      expect(follower.connections()).toBeGreaterThan(2);
    }
  } finally {
    await fleet.stop();
  }
});

async function tokenFor(fleet: Fleet, user: string): Promise<string> {
  const response = await fetch(`${fleet.api.url}/v1/inbox/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ external_user_id: user, scope: 'inbox' }),
  });
  expect(response.status).toBe(201);
  return ((await response.json()) as { token: string }).token;
}
