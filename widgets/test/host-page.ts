import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';
import { mintToken } from '../../server/src/features/inbox/token.ts';
import { startTestApp, type TestApp, type TestAppOptions } from '../../server/test/harness/app.ts';

const script = (name: string) => new URL(`../../scripts/${name}`, import.meta.url).href;
const { findChromium, testArgs } = (await import(script('chromium.mjs'))) as {
  findChromium(): string | null;
  testArgs: string[];
};
const { ensureWidgets } = (await import(script('build-widgets.mjs'))) as { ensureWidgets(): Promise<void> };

/** Without a browser the tests that need one are skipped; `npm test` says so, and how to get it. */
export const chromiumPath = findChromium();

/** Headless Chromium denies notifications: the service worker of a page keeps them here, and tells them when it is asked. */
const keptNotifications = `
  let shown = [];
  ServiceWorkerRegistration.prototype.showNotification = async (title, { body, tag, data }) => {
    const close = () => (shown = shown.filter((each) => each.tag !== tag));
    close();
    shown.push({ title, body, tag, data, close });
  };
  ServiceWorkerRegistration.prototype.getNotifications = async () => shown;
  addEventListener('message', ({ ports: [port] }) =>
    port.postMessage(shown.map(({ title, body, tag }) => title + ': ' + body + ' ' + tag)));
`;

export interface HostPage {
  page: Page;
  /** What the console complained about. */
  complaints: string[];
  /** The events of the elements, in order: `{type, detail}`. */
  events(type: string): Promise<Record<string, unknown>[]>;
}

export interface Host {
  app: TestApp;
  browser: Browser;
  /** Answers in place of the service for a while: null lets it answer again. */
  interrupt(how: 'down' | 'html' | null): void;
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>;
  /** A page of another origin that shows this markup to this user. */
  open(context: BrowserContext, markup: string, options?: OpenOptions): Promise<HostPage>;
  send(user: string, more?: Record<string, unknown>): Promise<string>;
  /** Good for so long; less than nothing: it has expired already. */
  token(user: string, secondsLeft?: number): Promise<string>;
  /** The first token that the site hands to this user is of that kind. */
  giveShortToken(user: string): void;
  stop(): Promise<void>;
}

export interface OpenOptions {
  user?: string;
  /** Attributes of <html>. */
  root?: string;
  head?: string;
  url?: string;
  /** False: the markup brings its own. */
  scripts?: boolean;
}

/** The service, a browser, and a site that embeds the elements: the site has an origin of its own. */
export async function startHost(settings: TestAppOptions['settings'] = {}): Promise<Host> {
  await ensureWidgets();
  const app = await startTestApp({ settings });
  const link = await startLink(app.url);
  const pages = new Map<string, string>();
  const { body: key } = await app.request(
    'POST',
    `/v1/environments/${app.testEnvironmentId}/inbox-key/rotate`,
  );
  const token = async (user: string, secondsLeft = 900): Promise<string> => {
    const claims = {
      environmentId: app.testEnvironmentId,
      externalUserId: user,
      scope: 'inbox prefs',
      ttlSeconds: 900,
    } as const;
    return (await mintToken(key.signing_key, claims, Date.now() - (900 - secondsLeft) * 1000)).token;
  };
  const shortly = new Set<string>();
  const site = await listen(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://site');
    if (pathname === '/carillon-push.js') {
      response.setHeader('content-type', 'text/javascript');
      response.end(keptNotifications + `importScripts('${app.url}/widgets/push-worker.js');`);
      return;
    }
    if (pathname === '/token') {
      response.setHeader('content-type', 'application/json');
      const user = searchParams.get('user') ?? '';
      response.end(JSON.stringify({ token: await token(user, shortly.delete(user) ? 3 : 900) }));
      return;
    }
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.statusCode = pages.has(pathname) ? 200 : 204;
    response.end(pages.get(pathname));
  });
  const browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: testArgs });

  return {
    app,
    browser,
    interrupt: link.interrupt,
    token,
    giveShortToken: (user) => shortly.add(user),
    newContext: (options) => browser.newContext({ viewport: { width: 900, height: 700 }, ...options }),
    async open(context, markup, options = {}) {
      const { user = 'ada', root = 'lang="en"', head = '', url = link.url, scripts = true } = options;
      const path = `/page-${pages.size}`;
      const filled = markup.replaceAll(
        'USER',
        `url="${url}" token-url="/token?user=${encodeURIComponent(user)}"`,
      );
      pages.set(path, document(root, head + (scripts ? scriptsOf(app.url) : ''), filled));
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
      });
      page.on('pageerror', (error) => complaints.push(String(error)));
      await page.goto(site.url + path);
      return {
        page,
        complaints,
        events: (type) =>
          page.evaluate(`events.filter((each) => each.type === '${type}').map((each) => each.detail)`),
      };
    },
    async send(user, more = {}) {
      const body = {
        channel: 'in_app',
        recipient: { external_user_id: user },
        subject: 'Shipped',
        html_body: '<p>It is on its way.</p>',
        ...more,
      };
      const answer = await app.request('POST', '/v1/notifications', { body });
      if (answer.status !== 202) throw new Error(JSON.stringify(answer.body));
      return answer.body.id;
    },
    async stop() {
      await browser.close();
      await link.stop();
      await site.stop();
      await app.stop();
    },
  };
}

const eventTypes = [
  'notification',
  'unread-count',
  'open',
  'action',
  'change',
  'toggle',
  'connection',
  'token-expired',
  'error',
  'preference',
  'unsubscribe-all',
];

function scriptsOf(url: string): string {
  return ['inbox', 'preferences']
    .map((name) => `<script type="module" crossorigin src="${url}/widgets/${name}.js"></script>`)
    .join('');
}

function document(root: string, head: string, body: string): string {
  return `<!doctype html><html ${root}><head><meta charset="utf-8"><title>Host</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
<style>body { margin: 24px; font-family: system-ui; background: Canvas; color: CanvasText; color-scheme: light dark } main { min-height: 600px }</style>
<script>
  const events = [];
  for (const type of ${JSON.stringify(eventTypes)}) addEventListener('carillon-' + type, (event) => events.push({ type, detail: event.detail }));
</script>${head}</head><body><main><h1>Host page</h1>${body}</main></body></html>`;
}

async function listen(handler: (request: IncomingMessage, response: ServerResponse) => unknown) {
  const server = createServer((request, response) => void handler(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    server,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Between the page and the service: can be cut, and can answer like a proxy whose service is gone. */
async function startLink(target: string) {
  let mode: 'down' | 'html' | null = null;
  const link = await listen(async (request, response) => {
    if (mode === 'down') {
      request.socket.destroy();
      return;
    }
    if (mode === 'html') {
      response.writeHead(502, { 'content-type': 'text/html', 'access-control-allow-origin': '*' });
      response.end('<h1>Bad gateway</h1>');
      return;
    }
    const abort = new AbortController();
    response.on('close', () => abort.abort());
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers;
      const answer = await fetch(target + request.url, {
        method: request.method ?? 'GET',
        headers: headers as Record<string, string>,
        ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
        signal: abort.signal,
      });
      const passed = [...answer.headers].filter(
        ([name]) =>
          !['connection', 'transfer-encoding', 'content-encoding', 'content-length', 'keep-alive'].includes(
            name,
          ),
      );
      response.writeHead(answer.status, Object.fromEntries(passed));
      response.flushHeaders();
      for await (const chunk of answer.body ?? []) response.write(chunk);
      response.end();
    } catch {
      response.destroy();
    }
  });
  return {
    url: link.url,
    stop: link.stop,
    interrupt(how: 'down' | 'html' | null) {
      mode = how;
      if (how !== null) link.server.closeAllConnections();
    },
  };
}
