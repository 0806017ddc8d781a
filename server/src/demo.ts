import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type App, startApp } from './app.ts';
import { loadConfig } from './config.ts';
import { startTemporaryPostgres } from './db/embedded/temporary.ts';
import type { EventEntry, Notification, Trace } from './features/notifications/index.ts';

/** What a scene may do: call the API as anybody could, and show the life of a notification. */
interface Stage {
  url: string;
  /** With the Test key unless another is given. */
  call<Answer>(method: string, path: string, body?: object, key?: string): Promise<Answer>;
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
  { title: 'Somebody who opted out of a category', play: playOptOut },
  { title: 'Somebody whose quiet hours it is', play: playQuietHours },
  { title: 'Somebody who uses the unsubscribe link of an email', play: playUnsubscribe },
  { title: 'A webhook endpoint that fails twice, then succeeds', play: playWebhook },
  { title: 'One inbox on two devices: what is read on one shows on the other', play: playInbox },
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

/** An email of a category, which is made by the first scene that needs it. */
async function sendNews({ call }: Stage, externalUserId: string): Promise<string> {
  const categories = await call<{ data: unknown[] }>('GET', '/v1/preferences/categories');
  if (categories.data.length === 0) {
    const category = { key: 'news', name: 'Product news', default_channels: ['email'] };
    await call('POST', '/v1/preferences/categories', category);
  }
  const { id } = await call<Notification>('POST', '/v1/notifications', {
    channel: 'email',
    recipient: { external_user_id: externalUserId, address: `${externalUserId}@example.com` },
    category: 'news',
    subject: 'News',
    text_body: 'Something is new.',
  });
  return id;
}

async function playOptOut(stage: Stage): Promise<void> {
  await stage.showLife(await sendNews(stage, 'ada'), 'delivered');
  await stage.call('PATCH', '/v1/preferences/users/ada/news/email', { opted_in: false });
  console.log('  … opts out …\n');
  await stage.showLife(await sendNews(stage, 'ada'), 'suppressed');
}

async function playQuietHours(stage: Stage): Promise<void> {
  const clock = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);
  await stage.call('PUT', '/v1/preferences/users/grace/quiet-hours', {
    start_local: clock(-1),
    end_local: clock(8),
    timezone: 'UTC',
  });
  const id = await sendNews(stage, 'grace');
  const isHeldBack = async () =>
    (await stage.call<Trace>('GET', `/v1/notifications/${id}/trace`)).next_attempt_at !== null;
  for (const deadline = Date.now() + endWithinMs; !(await isHeldBack()); await delay(20)) {
    if (Date.now() > deadline) throw new Error('It should have been held back.');
  }
  await stage.showLife(id, 'queued');
}

async function playUnsubscribe(stage: Stage): Promise<void> {
  const id = await sendNews(stage, 'joan');
  await stage.showLife(id, 'delivered');
  const { data } = await stage.call<{ data: { payload: { headers: Record<string, string> } }[] }>(
    'GET',
    `/v1/sandbox/messages?notification_id=${id}`,
  );
  const link = data[0]?.payload.headers['List-Unsubscribe'] ?? '';
  console.log(`  List-Unsubscribe: ${link}\n  … the mail provider posts to it …\n`);
  await fetch(link.slice(1, -1), {
    method: 'POST',
    body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
  });
  await stage.showLife(await sendNews(stage, 'joan'), 'suppressed');
}

interface Page<Row> {
  data: Row[];
}

/** The receiver stands in this very process, and is called as any other would be. */
async function playWebhook({ call, showLife }: Stage): Promise<void> {
  let calls = 0;
  const receiver = createServer((request, response) => {
    calls += 1;
    request.resume();
    response.writeHead(calls <= 2 ? 500 : 204).end();
  });
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  const { port } = receiver.address() as AddressInfo;
  try {
    const { id: endpoint } = await call<{ id: string }>('POST', '/v1/webhook-endpoints', {
      url: `http://127.0.0.1:${port}/hooks`,
      event_filters: ['notification.delivered'],
    });
    const { id } = await call<Notification>('POST', '/v1/notifications', {
      channel: 'email',
      recipient: { address: 'delivered@sandbox.test' },
      subject: 'Hello',
      text_body: 'It rings.',
    });
    await showLife(id, 'delivered');
    const deliveries = `/v1/webhook-endpoints/${endpoint}/deliveries`;
    const succeeded = () => call<Page<{ id: string }>>('GET', `${deliveries}?status=succeeded`);
    for (const deadline = Date.now() + endWithinMs; (await succeeded()).data.length === 0; await delay(20)) {
      if (Date.now() > deadline) throw new Error('The event should have been delivered.');
    }
    const { data } = await succeeded();
    const attempts = await call<Page<{ attempted_at: string; http_status_code: number; latency_ms: number }>>(
      'GET',
      `${deliveries}/${data[0]?.id}/attempts`,
    );
    for (const attempt of attempts.data.reverse())
      console.log(`  ${attempt.attempted_at}  ${attempt.http_status_code}  ${attempt.latency_ms} ms`);
    console.log('  → notification.delivered arrived at the third attempt.\n');
  } finally {
    receiver.close();
  }
}

/** Two streams of the same user stay open while an item arrives and is read. */
async function playInbox({ url, call }: Stage): Promise<void> {
  const request = { external_user_id: 'ada', scope: 'inbox', ttl_seconds: 60 };
  const { token } = await call<{ token: string }>('POST', '/v1/inbox/tokens', request);
  const abort = new AbortController();
  const told: string[] = [];
  const follow = async (device: string): Promise<void> => {
    const headers = { authorization: `Bearer ${token}` };
    const stream = await fetch(`${url}/inbox/v1/stream`, { headers, signal: abort.signal });
    for await (const chunk of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      for (const [, event, data] of chunk.matchAll(/^event: (.*)\ndata: (.*)$/gm)) {
        const line = `${device.padEnd(6)}  ${event?.padEnd(21)}  ${data}`;
        told.push(line);
        console.log(`  ${line.length > 120 ? `${line.slice(0, 119)}…` : line}`);
      }
    }
  };
  const bothTold = async (event: string): Promise<void> => {
    const isTold = () => told.filter((line) => line.includes(event)).length >= 2;
    for (const deadline = Date.now() + endWithinMs; !isTold(); await delay(20)) {
      if (Date.now() > deadline) throw new Error(`Both devices should have been told ${event}.`);
    }
  };
  const streams = ['phone', 'laptop'].map((device) => follow(device).catch(() => {}));
  try {
    await bothTold('"unread_count":0');
    const { id } = await call<Notification>('POST', '/v1/notifications', {
      channel: 'in_app',
      recipient: { external_user_id: 'ada' },
      subject: 'Your order is on its way',
      html_body: '<p>It rings when it is there.</p>',
    });
    await bothTold('"unread_count":1');
    console.log('  … reads it on the phone …');
    await call('POST', `/inbox/v1/notifications/${id}/read`, undefined, token);
    await bothTold('notification.read');
    console.log('');
  } finally {
    abort.abort();
    await Promise.all(streams);
  }
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
      CARILLON_RETRY_SCALE: '0.01', // the first retry after a tenth of a second instead of ten
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
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return JSON.parse(text) as Answer;
  }

  return {
    url: app.url,
    call,
    async showLife(id, end) {
      let seen = await call<Notification>('GET', `/v1/notifications/${id}`);
      for (const deadline = Date.now() + endWithinMs; seen.status !== end && Date.now() < deadline; ) {
        await delay(20);
        seen = await call<Notification>('GET', `/v1/notifications/${id}`);
      }
      const trace = await call<Trace>('GET', `/v1/notifications/${id}/trace`);
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
