import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from '../harness/app.ts';
import { openStream, type StreamEvent, type TestStream } from '../harness/event-stream.ts';
import { type Load, startLoad } from './load.ts';
import { type Processes, testKey } from './processes.ts';

const users = ['ada', 'grace', 'joan', 'mary'];
const userOf = (number: number): string => users[number % users.length] ?? '';

const item = (number: number) => ({
  apiKey: testKey,
  body: {
    channel: 'in_app',
    recipient: { external_user_id: userOf(number) },
    subject: `Item ${number}`,
    html_body: '<p>It rings.</p>',
  },
});

/** A client as it should be: it comes back after every break, with the last id it saw. */
interface Reader {
  user: string;
  /** Every event of the type over all connections, in the order it was told. */
  told(event: string): StreamEvent[];
  connections(): number;
  stop(): Promise<void>;
}

/** Items for inboxes, and everybody who reads one. */
export interface Readers {
  load: Load;
  all: Reader[];
  /** What was acknowledged to callers as sent to the user. */
  sentTo(user: string): string[];
  close(): Promise<void>;
}

export async function startReaders(processes: Processes, restMs: number): Promise<Readers> {
  const all: Reader[] = [];
  for (const user of users) {
    const reader = follow(processes, user, await tokenFor(processes, user));
    all.push(reader);
    await waitUntil(async () => reader.told('unread_count.changed').length > 0 || new Error('not open yet'));
  }
  const load = startLoad(processes.api.url, 'item', item, restMs);
  return {
    load,
    all,
    sentTo: (user) =>
      [...load.acknowledged].flatMap(([key, id]) => (userOf(Number(key.split('-')[1])) === user ? id : [])),
    async close() {
      for (const reader of all) await reader.stop();
    },
  };
}

function follow(processes: Processes, user: string, token: string): Reader {
  const streams: TestStream[] = [];
  let stopped = false;

  async function run(): Promise<void> {
    for (; !stopped; await delay(20)) {
      const lastId = streams.findLast((stream) => stream.lastId() !== null)?.lastId();
      const stream = await openStream(`${processes.api.url}/inbox/v1/stream`, {
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
    user,
    told: (event) => streams.flatMap(({ events }) => events.filter((each) => each.event === event)),
    connections: () => streams.length,
    async stop() {
      stopped = true;
      streams.at(-1)?.close();
      await running;
    },
  };
}

async function tokenFor(processes: Processes, user: string): Promise<string> {
  const response = await fetch(`${processes.api.url}/v1/inbox/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ external_user_id: user, scope: 'inbox' }),
  });
  if (!response.ok) throw new Error(`token: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { token: string }).token;
}
