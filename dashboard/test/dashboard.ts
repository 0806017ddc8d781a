import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type CDPSession,
  chromium,
  type Page,
  type Request,
} from 'playwright-core';
import { startTestApp, type TestApp, type TestAppOptions, waitUntil } from '../../server/test/harness/app.ts';
import { axeFindings } from './axe.ts';

const script = (name: string) => new URL(`../../scripts/${name}`, import.meta.url).href;
const { findChromium, testArgs } = (await import(script('chromium.mjs'))) as {
  findChromium(): string | null;
  testArgs: string[];
};
const { ensureDashboard } = (await import(script('build-dashboard.mjs'))) as {
  ensureDashboard(): Promise<void>;
};

/** Looked at by people; not kept. */
const folder = fileURLToPath(new URL('../screenshots/', import.meta.url));

/** Without a browser the tests that need one are skipped; `npm test` says so, and how to get it. */
export const chromiumPath = findChromium();

export interface OpenOptions {
  /** `desktop` unless told. */
  size?: 'desktop' | 'phone';
  theme?: 'light' | 'dark';
  /** The owner unless told; null: nobody is signed in. */
  as?: { email: string; password: string } | null;
  /** With a session and a memory of its own: for tests that sign out, or change what the browser remembers. */
  fresh?: boolean;
}

export interface OpenPage {
  page: Page;
  /** What the console complained about, and what the page could not load. Tests end with `expect(complaints).toEqual([])`. */
  complaints: string[];
  /** Goes to an address of the dashboard and waits until nothing is loading any more. */
  go(path: string): Promise<void>;
}

export interface DashboardHost {
  app: TestApp;
  browser: Browser;
  /** Where the pages are: the service itself, or Vite in front of it with DASHBOARD_DEV=1. */
  url: string;
  /** In the window of that person, if it is open already: whatever stood there is gone. */
  open(path: string, options?: OpenOptions): Promise<OpenPage>;
  stop(): Promise<void>;
}

/**
 * The service with its dashboard, and a browser. With DASHBOARD_DEV=1 the pages come from their sources through Vite, so
 * that nothing has to be built while one works on them.
 */
export async function startDashboard(settings: TestAppOptions['settings'] = {}): Promise<DashboardHost> {
  const isDevelopment = process.env.DASHBOARD_DEV === '1';
  if (!isDevelopment) await ensureDashboard();
  const app = await startTestApp({ settings });
  const front = isDevelopment ? await startVite(app.url) : { url: app.url, stop: async () => {} };
  const browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: testArgs });

  // Each person has one window per size and theme, in which one page follows the other: a new one would be a new process that
  // reads all programs anew.
  const pages = new Map<string, Page>();
  async function pageFor(options: OpenOptions): Promise<Page> {
    if (options.fresh) return (await newContext(options)).newPage();
    const { size, theme, as } = options;
    const name = [size, theme, as === null ? 'nobody' : as?.email].join();
    const used = pages.get(name);
    if (used && !used.isClosed()) return asNew(used, options);
    const page = await (await newContext(options)).newPage();
    pages.set(name, page);
    watchRequests(page);
    return page;
  }
  async function newContext(options: OpenOptions): Promise<BrowserContext> {
    const context = await browser.newContext(contextOptions(options));
    context.setDefaultTimeout(15_000);
    const person =
      options.as === undefined ? { email: app.adminEmail, password: app.adminPassword } : options.as;
    if (!person) return context;
    const answer = await context.request.post(`${front.url}/auth/login`, {
      data: { email: person.email, password: person.password },
    });
    if (!answer.ok()) throw new Error(`cannot sign in: ${answer.status()} ${await answer.text()}`);
    return context;
  }

  return {
    app,
    browser,
    url: front.url,
    async open(path, options = {}) {
      const page = await pageFor(options);
      const complaints: string[] = [];
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
      });
      page.on('pageerror', (error) => complaints.push(String(error)));
      const go = async (to: string) => {
        if (!(await page.evaluate(`(${goWithin})(${JSON.stringify(to)})`))) await page.goto(front.url + to);
        await settled(page);
      };
      await go(path);
      return { page, complaints, go };
    },
    async stop() {
      await browser.close();
      await front.stop();
      await app.stop();
    },
  };
}

const desktop = { width: 1280, height: 860 };
const phone = { width: 390, height: 844 };

/** Nothing is looked at halfway from one colour to another. */
const still = { reducedMotion: 'reduce' } as const;

function contextOptions({ size = 'desktop', theme = 'light' }: OpenOptions): BrowserContextOptions {
  return size === 'phone'
    ? { viewport: phone, colorScheme: theme, hasTouch: true, isMobile: true, ...still }
    : { viewport: desktop, colorScheme: theme, ...still };
}

/** Runs in the page: shows another one without loading the whole program anew, which would take four times as long. */
const visit = `(address) => new Promise((done) => {
  const stop = window.__TSR_ROUTER__.subscribe('onRendered', () => { stop(); done(); });
  window.__TSR_ROUTER__.history.push(address, {}, { ignoreBlocker: true });
})`;

/** Runs in the page: to where nothing is asked for. */
const leave = `async () => {
  const router = window.__TSR_ROUTER__;
  if (router && router.latestLocation.pathname !== '/sign-in') await (${visit})('/sign-in');
}`;

/**
 * Runs in the page: goes on within the program, and without anything that the page before knew. False when that cannot be
 * done: nothing was opened yet, or a message of the page before still stands there.
 */
const goWithin = `async (to) => {
  const router = window.__TSR_ROUTER__;
  if (!router || document.querySelector('[role="status"][aria-live] > *')) return false;
  await (${leave})();
  router.options.context.queries.clear();
  await (${visit})(to);
  return true;
}`;

/** No skeleton is left: everything that the page shows at first is there. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1, [role="alert"]').first().waitFor();
  await page.locator('[role="status"][aria-label="Loading…"]').first().waitFor({ state: 'detached' });
}

const underWay = new WeakMap<Page, Set<Request>>();

function watchRequests(page: Page): void {
  const requests = new Set<Request>();
  underWay.set(page, requests);
  page.on('request', (request) => requests.add(request));
  page.on('requestfinished', (request) => requests.delete(request));
  page.on('requestfailed', (request) => requests.delete(request));
}

/** Without what the page before it has left, also not the answers that it waits for: they would be complaints of the next one. */
async function asNew(page: Page, { size = 'desktop', theme = 'light' }: OpenOptions): Promise<Page> {
  await page.evaluate(`(${leave})()`);
  await waitUntil(
    async () => underWay.get(page)?.size === 0 || new Error('it still waits for answers'),
    10_000,
  );
  page.removeAllListeners();
  watchRequests(page);
  await page.unrouteAll();
  await hold(page, size);
  await page.emulateMedia({ colorScheme: theme });
  await page.evaluate('sessionStorage.clear()');
  return page;
}

async function startVite(service: string) {
  process.env.CARILLON_URL = service;
  const { createServer } = await import('vite');
  const vite = await createServer({
    configFile: fileURLToPath(new URL('../vite.config.ts', import.meta.url)),
    cacheDir: join(tmpdir(), process.env.DASHBOARD_CACHE ?? 'carillon-vite'),
    logLevel: 'error',
    server: { port: 0, hmr: false, watch: null },
  });
  await vite.listen();
  return { url: `http://localhost:${vite.config.server.port}`, stop: () => vite.close() };
}

/** Takes a picture for people to look at, when they ask for it with PICTURES=1: it would be a tenth of the tests' time. */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (process.env.PICTURES !== '1') return;
  mkdirSync(folder, { recursive: true });
  // Messages stand in frames, which are drawn a little later than what is around them.
  for (const frame of page.frames()) await frame.waitForLoadState('load');
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

/**
 * Opens the page on a desk and then holds it as on a phone, light and dark, takes its pictures, and lets axe look at it: at
 * everything in the light, and in the dark at the colours, which are all that changes. Returns what was wrong.
 */
export async function inspect(host: DashboardHost, path: string, name: string): Promise<string[]> {
  const { page, complaints } = await host.open(path);
  return [...(await inspectPage(page, name)), ...complaints];
}

/** The same of a page that is open already: with answers that a test has changed. */
export async function inspectPage(page: Page, name: string): Promise<string[]> {
  const found: string[] = [];
  const isWide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth + 1';
  for (const size of ['desktop', 'phone'] as const) {
    await hold(page, size);
    if (await page.evaluate(isWide)) found.push(`${size}: wider than the window`);
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme });
      await page.locator(`html[data-theme="${theme}"]`).waitFor();
      await screenshot(page, `${name}-${size}-${theme}`);
      const findings = await axeFindings(page, theme === 'dark' ? { only: 'contrast' } : {});
      found.push(...findings.map((each) => `${size}-${theme}: ${each}`));
    }
  }
  return found;
}

/** The same page, without loading it again. */
async function hold(page: Page, size: 'desktop' | 'phone'): Promise<void> {
  await page.setViewportSize(size === 'phone' ? phone : desktop);
  // Kept open: what a session emulates ends with it.
  const session = touchSessions.get(page) ?? (await page.context().newCDPSession(page));
  touchSessions.set(page, session);
  await session.send('Emulation.setTouchEmulationEnabled', { enabled: size === 'phone' });
}

const touchSessions = new WeakMap<Page, CDPSession>();
