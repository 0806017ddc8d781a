import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@carillon/sdk';
import { chromium, type Page } from 'playwright-core';
import { startApp } from '../../server/src/app.ts';
import { loadConfig } from '../../server/src/config.ts';
import { startTemporaryPostgres } from '../../server/src/db/embedded/index.ts';

const scripts = new URL('../../scripts/chromium.mjs', import.meta.url).href;
const { findChromium } = (await import(scripts)) as { findChromium(): string | null };
const folder = fileURLToPath(new URL('../../docs/images/', import.meta.url));

const executablePath = findChromium();
if (!executablePath) throw new Error('The pictures need Chromium.');
const data = mkdtempSync(join(tmpdir(), 'carillon-pictures-'));
const postgres = await startTemporaryPostgres();
const app = await startApp(
  loadConfig({
    PORT: '0',
    DATABASE_URL: postgres.url,
    CARILLON_DATA_DIR: data,
    CARILLON_RETRY_SCALE: '0.01',
    LOG_LEVEL: 'error',
  }),
);
const browser = await chromium.launch({
  executablePath,
  args: ['--no-sandbox', '--force-color-profile=srgb'],
});
try {
  await take();
} finally {
  await browser.close();
  await app.stop();
  await postgres.stop();
  rmSync(data, { recursive: true, force: true });
}

async function take(): Promise<void> {
  const made = app.credentials;
  if (!made) throw new Error('The first start makes the credentials.');
  mkdirSync(folder, { recursive: true });
  const notificationId = await makeTraffic(made.test_key);
  await makePastTraffic();
  const run = await makeWorkflow(made.test_key);

  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    deviceScaleFactor: 1.5,
  });
  await context.request.post(`${app.url}/auth/login`, {
    data: { email: made.admin_email, password: made.admin_password },
  });
  const page = await context.newPage();
  await picture(page, '/test/overview', 'overview');
  await picture(page, `/test/notifications/${notificationId}`, 'notification');
  await picture(page, `/test/runs/${run}`, 'workflow-run');
}

async function picture(page: Page, path: string, name: string): Promise<void> {
  await page.goto(app.url + path);
  await page.locator('h1').first().waitFor();
  await page.locator('[role="status"][aria-label="Loading…"]').first().waitFor({ state: 'detached' });
  await page.waitForLoadState('networkidle');
  // WebP, which Playwright does not write: a quarter of the bytes of PNG, because the documentation site holds the pictures too.
  const browserSession = await page.context().newCDPSession(page);
  const { data: image } = await browserSession.send('Page.captureScreenshot', {
    format: 'webp',
    quality: 80,
  });
  writeFileSync(join(folder, `${name}.webp`), image, 'base64');
  console.log(`docs/images/${name}.webp`);
}

/** A little of everything; answers with the id of the one whose page is shown. */
async function makeTraffic(key: string): Promise<string> {
  const client = createClient({ api_key: key, base_url: app.url });
  await client.categories.create({
    key: 'orders',
    name: 'Orders',
    description: 'Confirmations, shipping, returns.',
    default_channels: ['email', 'sms', 'in_app'],
  });
  const addresses = ['delivered', 'delivered', 'opened', 'delivered', 'bounced', 'delivered', 'complained'];
  for (let index = 0; index < 60; index++) {
    const name = addresses[index % addresses.length];
    await client.notifications.send({
      channel: 'email',
      recipient: { address: `${name}+${index}@sandbox.test` },
      subject: `Your order ${1000 + index} is on its way`,
      html_body: '<h1>It is on its way</h1><p>Your parcel left our house this morning.</p>',
      category: 'orders',
    });
    if (index % 4 === 0) {
      await client.notifications.send({
        channel: 'sms',
        recipient: { address: '+15005550006' },
        text_body: 'Your code is 481516.',
      });
    }
    if (index % 5 === 0) {
      await client.notifications.send({
        channel: 'in_app',
        recipient: { external_user_id: `user-${index}` },
        subject: 'Welcome back',
        html_body: '<p>Three orders are waiting.</p>',
      });
    }
  }
  const shown = await client.notifications.send({
    channel: 'email',
    recipient: { address: 'refused-once@sandbox.test', name: 'Ada Lovelace' },
    subject: 'Your invoice for November',
    html_body:
      '<div style="font-family:sans-serif"><h1>Invoice 2026-11</h1><p>Dear Ada, thank you. The amount of <b>€ 48.00</b> will be collected on Monday.</p></div>',
    category: 'orders',
  });
  await until(async () => (await client.notifications.get(shown.id)).status === 'delivered');
  return shown.id;
}

/** The hour before: the figures that the overview draws, as an hour of traffic would have left them. */
async function makePastTraffic(): Promise<void> {
  await app.deps.pool.query(
    `insert into activity (environment_id, step, at, channel, accepted, sent, delivered, failed, suppressed, bounced, complained, retried)
     select environments.id, 60, date_trunc('minute', now()) - make_interval(mins => ago), channel,
       count, count, count - (ago % 9 = 0)::int - (ago % 13 = 0)::int, (ago % 13 = 0)::int, 0, (ago % 9 = 0)::int, 0, (ago % 7 = 0)::int
     from environments, generate_series(2, 58) as ago, (values ('email', 34), ('sms', 9), ('in_app', 16)) as channels (channel, base),
       lateral (select (base * (1.2 + sin(ago / 9.0)) + (ago * 7) % 5)::int) as counted (count)
     where kind = 'test'
     on conflict do nothing`,
  );
  // Those of the process itself come every few seconds.
  const query = "select 1 from activity where at > now() - interval '2 minutes' limit 1";
  await until(async () => (await app.deps.pool.query(query)).rows.length > 0);
}

async function makeWorkflow(key: string): Promise<string> {
  const client = createClient({ api_key: key, base_url: app.url });
  await client.workflows.create({ key: 'trial', name: 'Trial, first steps' });
  const { version } = await client.workflows.createVersion('trial', {
    body: {
      steps: [
        {
          id: 'welcome',
          kind: 'send',
          channel: 'email',
          recipient: { address: '{{ trigger.email }}' },
          subject: 'Welcome',
          html_body: '<p>Good that you are here.</p>',
        },
        {
          id: 'first_project',
          kind: 'wait_for_event',
          event: 'project.created',
          match: { user: '{{ trigger.user }}' },
          timeout: '3d',
          on_timeout: 'remind',
          next: 'congratulate',
        },
        {
          id: 'remind',
          kind: 'send',
          channel: 'email',
          recipient: { address: '{{ trigger.email }}' },
          subject: 'Your first project is one step away',
          html_body: '<p>Shall we help?</p>',
        },
        { id: 'done', kind: 'cancel' },
        {
          id: 'congratulate',
          kind: 'send',
          channel: 'in_app',
          recipient: { external_user_id: '{{ trigger.user }}' },
          subject: 'Your first project',
          html_body: '<p>Well begun.</p>',
        },
      ],
    },
  });
  await client.workflows.activateVersion('trial', version);
  const trigger = { user: 'ada', email: 'delivered@sandbox.test' };
  const run = await client.workflows.trigger('trial', { trigger_data: trigger });
  await until(async () => (await client.runs.get(run.run_id)).status === 'waiting');
  return run.run_id;
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error('It did not happen within 30 seconds.');
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
