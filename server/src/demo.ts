import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type App, startApp } from './app.ts';
import { loadConfig } from './config.ts';
import { startTemporaryPostgres } from './db/embedded/temporary.ts';
import type { EventEntry, Notification } from './features/notifications/index.ts';

/** What a scene may do: call the API as anybody could, and show the life of a notification. */
interface Stage {
  call<Answer>(method: string, path: string, body?: object): Promise<Answer>;
  /** Waits until it has come to this end, and prints how it came there; throws when it does not. */
  showLife(id: string, end: Notification['status']): Promise<void>;
}

interface Scene {
  title: string;
  play(stage: Stage): Promise<void>;
}

/** To show something new, add a scene. */
const scenes: Scene[] = [
  emailScene('An email that is delivered', 'delivered@sandbox.test', 'delivered'),
  emailScene('An email that bounces', 'bounced@sandbox.test', 'bounced'),
  emailScene('An email that is refused once, then accepted', 'refused-once@sandbox.test', 'delivered'),
];

function emailScene(title: string, address: string, end: Notification['status']): Scene {
  return {
    title: `${title} (${address})`,
    async play({ call, showLife }) {
      const { id } = await call<Notification>('POST', '/v1/notifications', {
        channel: 'email',
        recipient: { address },
        subject: 'Hello',
        text_body: 'It rings.',
      });
      await showLife(id, end);
    },
  };
}

const endWithinMs = 20_000;

/** The whole service with a database of its own that goes when the demo ends. Nothing leaves this machine. */
async function start(): Promise<{ app: App; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-demo-'));
  const postgres = await startTemporaryPostgres();
  const app = await startApp(
    loadConfig({
      PORT: '0',
      DATABASE_URL: postgres.url,
      CARILLON_DATA_DIR: folder,
      CARILLON_RETRY_SCALE: '0.05', // the first retry after half a second instead of ten
      LOG_LEVEL: 'error',
    }),
  );
  return {
    app,
    async stop() {
      await app.stop();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function createStage(app: App): Stage {
  async function call<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const response = await fetch(app.url + path, {
      method,
      headers: {
        authorization: `Bearer ${app.credentials?.test_key}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return JSON.parse(text) as Answer;
  }

  return {
    call,
    async showLife(id, end) {
      let seen = await call<Notification>('GET', `/v1/notifications/${id}`);
      for (const deadline = Date.now() + endWithinMs; seen.status !== end && Date.now() < deadline; ) {
        await delay(20);
        seen = await call<Notification>('GET', `/v1/notifications/${id}`);
      }
      const trace = await call<{ summary: string }>('GET', `/v1/notifications/${id}/trace`);
      console.log(`${table(seen.events)}\n  → ${trace.summary}\n`);
      if (seen.status !== end) throw new Error(`It should have become ${end} and is ${seen.status}.`);
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

const { app, stop } = await start();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void stop().finally(() => process.exit(1)));
console.log(`\nCarillon runs at ${app.url} for as long as this demo; every message ends in the sandbox.\n`);
const stage = createStage(app);
for (const { title, play } of scenes) {
  console.log(title);
  try {
    await play(stage);
  } catch (error) {
    process.exitCode = 1;
    console.error(`  ${error instanceof Error ? error.message : error}\n`);
  }
}
await stop();
