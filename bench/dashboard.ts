// The list of notifications in a browser: does it open as fast with 1,000,000 of them as with 1,000? And what an open dashboard
// costs: the JavaScript of its first page, and how often it asks while nobody does anything.
import { chromium, type Page } from 'playwright-core';
import { query } from '../server/src/db/sql.ts';
import { startDatabase } from './harness/database.ts';
import { quantile } from './harness/load.ts';
import { createReport } from './harness/report.ts';
import { seedQueued } from './harness/seed.ts';
import { startService } from './harness/service.ts';

const script = (name: string) => new URL(`../scripts/${name}`, import.meta.url).href;
const { findChromium, ensureChromium } = await import(script('chromium.mjs'));
const { ensureDashboard } = await import(script('build-dashboard.mjs'));

const few = 1_000;
const many = Number(process.env.BENCH_ITEMS ?? 1_000_000);
const openings = 15;
const idleSeconds = 30;
const person = { email: 'owner@example.com', password: 'correct horse battery' };

const report = createReport('dashboard');
await ensureChromium();
await ensureDashboard();
const database = await startDatabase();
const { pool } = database;
const service = await startService('worker.ts', database, {
  CARILLON_ROLES: 'api', // nobody works on them: the list stays as it is
  CARILLON_ADMIN_EMAIL: person.email,
  CARILLON_ADMIN_PASSWORD: person.password,
});
const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] });
try {
  for (const [kind, count] of [
    ['test', few],
    ['live', many],
  ] as const) {
    const rows = await query<{ id: string }>(pool, 'select id from environments where kind = $1', [kind]);
    await seedQueued(pool, [rows[0]?.id ?? ''], count, 'normal');
  }
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  await context.request.post(`${service.url}/auth/login`, { data: person });
  const page = await context.newPage();

  const bytes = await firstPage(page);
  const took = { test: [] as number[], live: [] as number[] };
  for (let n = 0; n <= openings; n += 1) {
    // In turns, so that whatever else goes on falls on both alike; the first is to warm up.
    for (const kind of ['test', 'live'] as const) {
      const ms = await open(page, kind);
      if (n > 0) took[kind].push(ms);
    }
  }
  const requests = await countIdle(page);

  const [fast, slow] = [quantile(took.test, 0.5), quantile(took.live, 0.5)];
  report.line(
    `list of ${few}: ${fast.toFixed(0)} ms (middle of ${openings}), p95 ${quantile(took.test, 0.95).toFixed(0)} ms`,
  );
  report.line(`list of ${many}: ${slow.toFixed(0)} ms, p95 ${quantile(took.live, 0.95).toFixed(0)} ms`);
  report.goal('first page, KB of JavaScript (gzip)', bytes / 1024, { op: '<=', figure: 200 });
  report.goal('requests a second of an idle overview', requests / idleSeconds, { op: '<=', figure: 1 });
  report.close(slow / fast, { op: '<=', figure: 1.2 });
} finally {
  await browser.close();
  await service.stop();
  await database.stop();
}

/** From the address to the first row on the screen. */
async function open(page: Page, kind: 'test' | 'live'): Promise<number> {
  await page.goto('about:blank');
  const began = performance.now();
  await page.goto(`${service.url}/${kind}/notifications`);
  await page.locator('tr[data-row]').first().waitFor();
  return performance.now() - began;
}

/** What the overview loads before it stands, as it goes over the wire. */
async function firstPage(page: Page): Promise<number> {
  const files = new Set<string>();
  page.on('response', (response) => {
    if (response.url().endsWith('.js')) files.add(response.url());
  });
  await page.goto(`${service.url}/test/overview`);
  await page.locator('h1').waitFor();
  await page.waitForLoadState('networkidle');
  page.removeAllListeners('response');
  const sizes = await Promise.all(
    [...files].map(async (url) => {
      const answer = await fetch(url, { method: 'HEAD', headers: { 'accept-encoding': 'gzip' } });
      return Number(answer.headers.get('content-length'));
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function countIdle(page: Page): Promise<number> {
  await page.goto(`${service.url}/live/overview`);
  await page.locator('h1').waitFor();
  await page.waitForLoadState('networkidle');
  let requests = 0;
  page.on('request', () => {
    requests += 1;
  });
  await new Promise((resolve) => setTimeout(resolve, idleSeconds * 1000));
  return requests;
}
