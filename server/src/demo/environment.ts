import { setTimeout as delay } from 'node:timers/promises';
import type { App } from '../app.ts';
import type { EventEntry, Notification, Trace } from '../features/notifications/notifications/index.ts';

/** The tools of a scene: calls to the public API, and a printout of a notification's events. */
export interface DemoEnvironment {
  url: string;
  liveKey: string;
  /** Uses the Test key unless another is given. */
  call<Answer>(method: string, path: string, body?: object, key?: string): Promise<Answer>;
  /** Waits until the notification has this status, and prints its events; throws when it does not get there. */
  showLife(id: string, end: Notification['status'], key?: string): Promise<void>;
}

export interface DemoStep {
  title: string;
  play(demo: DemoEnvironment): Promise<void>;
}

const endWithinMs = 20_000;

/** Polls until there is an answer; throws after the deadline. */
export async function until<Answer>(
  what: string,
  ask: () => Promise<Answer | null> | Answer | null,
): Promise<Answer> {
  for (const deadline = Date.now() + endWithinMs; ; await delay(20)) {
    const answer = await ask();
    if (answer !== null) return answer;
    if (Date.now() > deadline) throw new Error(what);
  }
}

export function createDemoEnvironment(app: App): DemoEnvironment {
  async function call<Answer>(method: string, path: string, body?: object, key?: string): Promise<Answer> {
    const response = await fetch(app.url + path, {
      method,
      headers: {
        authorization: `Bearer ${key ?? app.credentials?.test_key}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${text}`);
    return JSON.parse(text) as Answer;
  }

  return {
    url: app.url,
    liveKey: app.credentials?.live_key ?? '',
    call,
    async showLife(id, end, key) {
      const see = () => call<Notification>('GET', `/v1/notifications/${id}`, undefined, key);
      let seen = await see();
      for (const deadline = Date.now() + endWithinMs; seen.status !== end && Date.now() < deadline; ) {
        await delay(20);
        seen = await see();
      }
      const trace = await call<Trace>('GET', `/v1/notifications/${id}/trace`, undefined, key);
      console.log(`${table(seen.events)}\n  → ${trace.summary}\n`);
      if (seen.status !== end) throw new Error(`The notification should be ${end} but is ${seen.status}.`);
    },
  };
}

function table(events: EventEntry[]): string {
  const began = Date.parse(events[0]?.occurred_at ?? '');
  const rows = events.map(({ type, occurred_at, detail }) => ({
    offset: `+${Date.parse(occurred_at) - began} ms`,
    type,
    detail: detail ?? '',
  }));
  const width = (column: 'offset' | 'type'): number => Math.max(...rows.map((row) => row[column].length));
  const [offsets, types] = [width('offset'), width('type')];
  return rows
    .map(({ offset, type, detail }) =>
      `  ${offset.padStart(offsets)}  ${type.padEnd(types)}  ${detail}`.trimEnd(),
    )
    .join('\n');
}
