import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, type Host, startHost } from './host-page.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

describe.skipIf(!chromiumPath)('the examples', { timeout: 60_000 }, () => {
  let host: Host;
  const sites: ChildProcess[] = [];
  beforeAll(async () => {
    host = await startHost();
    const category = { key: 'news', name: 'News', default_channels: ['in_app'] };
    await host.app.request('POST', '/v1/preferences/categories', { body: category });
  }, 60_000);
  afterAll(async () => {
    for (const site of sites) site.kill();
    await host?.stop();
  });

  async function openExample(name: string): Promise<{ page: Page; complaints: string[] }> {
    const env = { ...process.env, CARILLON_URL: host.app.url, CARILLON_API_KEY: host.app.testKey, PORT: '0' };
    const site = spawn(process.execPath, [`examples/${name}/server.mjs`], {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    sites.push(site);
    const url = await new Promise<string>((resolve, reject) => {
      site.stdout.on('data', (text: Buffer) => {
        const [found] = /http:\S+/.exec(text.toString()) ?? [];
        if (found) resolve(found);
      });
      site.on('exit', (code) => reject(new Error(`it ended with ${code}`)));
    });
    const page = await (await host.newContext()).newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(url);
    return { page, complaints };
  }

  test('in plain HTML: sends, shows, counts and opens', async () => {
    const { page, complaints } = await openExample('inbox-html');
    await page.getByText('0 unread').waitFor();
    await page.getByRole('button', { name: 'Send me something' }).click();
    await page.getByText('1 unread', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Notifications, 1 unread' }).click();
    await page.getByRole('link', { name: 'Hello from your own server' }).click();
    await page.waitForURL('**/#opened');
    await page.getByText('0 unread').waitFor();
    await page.getByRole('tab', { name: 'Greetings' }).click();
    await page.getByRole('button', { name: 'Say thanks' }).click();
    await page.getByText('You chose “Say thanks”.').waitFor();
    await page.getByText('Chosen: Say thanks').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('switch', { name: 'News: In the app' }).click();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('in React: properties, events and a router’s say', async () => {
    const { page, complaints } = await openExample('inbox-react');
    await page.getByRole('group', { name: 'News' }).waitFor();
    await page.getByRole('button', { name: 'Send me something' }).click();
    await page.getByRole('heading', { name: 'My shop (1)' }).waitFor();
    await page.getByRole('button', { name: 'Notifications, 1 unread' }).click();
    await page.getByRole('tab', { name: 'Greetings, 1 unread' }).click();
    await page.getByRole('link', { name: 'Unread: Hello from your own server' }).click();
    await page.getByText('Opened /orders/7').waitFor();
    await page.getByRole('heading', { name: 'My shop', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Say thanks' }).click();
    await page.getByText('You chose “Say thanks”.').waitFor();
    expect(new URL(page.url()).pathname).toBe('/');
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('of the guide: every page works as it is printed', async () => {
    const guide = readFileSync(new URL('../../docs/guides/widgets.md', import.meta.url), 'utf8');
    const snippets = [...guide.matchAll(/```html\n([\s\S]*?)```/g)].map(([, code = '']) => code);
    expect(snippets.length).toBeGreaterThan(1);
    const context = await host.newContext();
    for (const [index, snippet] of snippets.entries()) {
      const user = `reader-${index}`;
      await host.send(user, { subject: 'Printed' });
      const markup = snippet
        .replaceAll('https://carillon.example.com', host.app.url)
        .replaceAll('/carillon-token', `/token?user=${user}`);
      const { page, complaints } = await host.open(context, markup, { user, scripts: false });
      if (snippet.includes('<carillon-inbox')) {
        await page
          .getByRole('button', { name: 'Notifications, 1 unread' })
          .or(page.getByRole('article', { name: 'Printed' }))
          .first()
          .waitFor();
      }
      if (snippet.includes('<carillon-preferences')) await page.getByRole('switch').first().waitFor();
      expect(complaints).toEqual([]);
    }
    await context.close();
  });
});
