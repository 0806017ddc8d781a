import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  chromiumPath,
  type DashboardHost,
  inspect,
  screenshot,
  settled,
  startDashboard,
} from './dashboard.ts';
import { addPerson, organizationOf, sessionOf } from './people.ts';

describe.skipIf(!chromiumPath)('the frame around every page', () => {
  let host: DashboardHost;
  beforeAll(async () => {
    host = await startDashboard();
  }, 180_000);
  afterAll(() => host?.stop());

  async function keyNames(): Promise<string[]> {
    const { body } = await host.app.request('GET', '/v1/api-keys');
    return body.data.map(({ name }: { name: string }) => name);
  }

  test('somebody who is not signed in is asked to, and comes back to where they wanted to go', async () => {
    const { page, complaints } = await host.open('/test/settings/usage?from=link', { as: null, fresh: true });
    await page.getByLabel('Email').fill(host.app.adminEmail);
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').first().waitFor();
    await page.getByLabel('Password').fill(host.app.adminPassword);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL('**/test/settings/usage?from=link');
    await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
    // The browser itself reports the two refusals.
    expect(complaints.filter((each) => !each.includes('401'))).toEqual([]);
  }, 90_000);

  test('a sign-in that leads elsewhere leads to our own first page', async () => {
    const { page } = await host.open('/sign-in?to=//elsewhere.example', { as: null, fresh: true });
    await page.getByLabel('Email').fill(host.app.adminEmail);
    await page.getByLabel('Password').fill(host.app.adminPassword);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`${host.url}/test/overview`);
  }, 90_000);

  test('a session that ends in the middle of an edit loses nothing of it', async () => {
    const { app } = host;
    const eve = await addPerson(app, { email: 'eve@example.com', name: 'Eve', role: 'admin' });
    const { page, complaints, go } = await host.open('/test/settings', { as: eve, fresh: true });
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Name').fill('typed before the end');
    await app.pool.query('delete from sessions where user_id = $1', [eve.userId]);
    app.deps.authenticator.forget();
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    const again = page.getByRole('dialog', { name: 'Session expired' });
    await again.getByLabel('Email').fill(eve.email);
    await again.getByLabel('Password').fill('wrong at first');
    await again.getByRole('button', { name: 'Sign in' }).click();
    await again.getByRole('alert').waitFor();
    await again.getByLabel('Password').fill(eve.password);
    await again.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('dialog', { name: 'API key created' }).waitFor();
    expect(await keyNames()).toContain('typed before the end');
    await page.getByRole('button', { name: 'Done' }).click();

    // The same where the request is about the person and not about the environment.
    await go('/test/settings/profile');
    await page.getByLabel('Name').fill('Eve the second');
    await app.pool.query('delete from sessions where user_id = $1', [eve.userId]);
    app.deps.authenticator.forget();
    await page.getByRole('button', { name: 'Save' }).click();
    await again.getByLabel('Email').fill(eve.email);
    await again.getByLabel('Password').fill(eve.password);
    await again.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Eve the second: Your account' }).waitFor();
    expect(complaints.filter((each) => !each.includes('401'))).toEqual([]);
  }, 120_000);

  test('a viewer looks at everything, finds nothing to press, and is refused with a reason', async () => {
    const { app } = host;
    const vera = await addPerson(app, { email: 'vera@example.com', name: 'Vera', role: 'admin' });
    const { page, complaints, go } = await host.open('/test/settings', { as: vera, fresh: true });
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Name').fill('not any more');
    const organization = await organizationOf(app);
    const demoted = await app.request(
      'PATCH',
      `/auth/organizations/${organization.id}/members/${vera.userId}`,
      {
        key: null,
        headers: await sessionOf(app),
        body: { role: 'viewer' },
      },
    );
    expect(demoted.status).toBe(200);
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    const refusal = page.getByRole('dialog').getByRole('alert');
    await refusal.getByText('Your role does not allow this.').waitFor();
    expect(await refusal.textContent()).toContain('keys:write');
    expect(await page.getByLabel('Name').inputValue()).toBe('not any more');

    await go('/test/settings/team');
    expect(await page.getByRole('button', { name: 'Invite' }).count()).toBe(0);
    for (const path of ['settings', 'templates', 'workflows', 'webhooks', 'notifications', 'connections']) {
      await go(`/test/${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(await page.getByRole('alert').count(), path).toBe(0);
    }
    expect(await keyNames()).not.toContain('not any more');
    expect(complaints.filter((each) => !each.includes('403'))).toEqual([]);
  }, 120_000);

  test('Test and Live are switched on the same page, and Live cannot be mistaken', async () => {
    const { page, complaints } = await host.open('/test/templates');
    const banner = page.getByText('Live: changes affect real recipients.');
    expect(await banner.count()).toBe(0);
    await page.getByRole('navigation', { name: 'Environment' }).getByRole('link', { name: 'Live' }).click();
    await page.waitForURL('**/live/templates');
    await banner.waitFor();
    await page.getByRole('navigation', { name: 'Environment' }).getByRole('link', { name: 'Test' }).click();
    await page.waitForURL('**/test/templates');
    await banner.waitFor({ state: 'detached' });
    // An address without its environment goes where the person was last.
    await page.goto(`${host.url}/live/suppressions`);
    await banner.waitFor();
    await page.goto(`${host.url}/connections`);
    await page.waitForURL('**/live/connections');
    expect(complaints).toEqual([]);
  }, 90_000);

  test('the palette finds areas by their names and notifications by their ids', async () => {
    const { body } = await host.app.request('POST', '/v1/notifications', {
      body: {
        channel: 'email',
        recipient: { address: 'ada@example.com' },
        subject: 'Found by its id',
        text_body: 'Hello',
      },
    });
    const { page, complaints } = await host.open('/test/overview');
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'Search and commands' });
    await field.fill('supp');
    await page.getByRole('option', { name: 'Go to Suppressions', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/test/suppressions');
    await page.keyboard.press('Control+k');
    await field.fill(body.id);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/test/notifications/${body.id}`);
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  }, 90_000);

  test('shortcuts go to areas, list themselves, and do not disturb typing', async () => {
    const { page, complaints, go } = await host.open('/test/overview');
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await page.waitForURL('**/test/templates');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await go('/test/settings/profile');
    await page.getByLabel('Current password').click();
    await page.keyboard.type('gn?');
    expect(await page.getByLabel('Current password').inputValue()).toBe('gn?');
    expect(page.url()).toContain('/settings/profile');
    expect(complaints).toEqual([]);
  }, 90_000);

  test('the appearance is chosen once and stays', async () => {
    const { page } = await host.open('/test/overview', { fresh: true });
    const theme = () => page.locator('html').getAttribute('data-theme');
    expect(await theme()).toBe('light');
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('menuitem', { name: 'Dark' }).click();
    expect(await theme()).toBe('dark');
    await page.reload();
    await settled(page);
    expect(await theme()).toBe('dark');
  }, 90_000);

  test('back and forward go through the pages as they were', async () => {
    const { page, complaints } = await host.open('/test/settings');
    await page.getByRole('link', { name: 'Team', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Team' }).waitFor();
    await page.getByRole('link', { name: 'Audit log', exact: true }).click();
    await page.getByLabel('Action', { exact: true }).selectOption('API key created');
    await page.waitForURL('**/audit-log?action=api_key.created');
    await page.getByRole('link', { name: 'Usage', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
    await page.goBack();
    await page.waitForURL('**/audit-log?action=api_key.created');
    expect(await page.getByLabel('Action', { exact: true }).inputValue()).toBe('api_key.created');
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Team' }).waitFor();
    await page.goForward();
    await page.waitForURL('**/audit-log?action=api_key.created');
    expect(complaints).toEqual([]);
  }, 90_000);

  test('when the service cannot be reached the page says so, and goes on when it can', async () => {
    const { page } = await host.open('/test/settings/organization');
    await page.route('**/v1/usage', (route) => route.abort());
    await page.getByRole('link', { name: 'Usage', exact: true }).click();
    const alert = page.getByRole('alert').filter({ hasText: 'Can’t reach the service.' });
    await alert.waitFor({ timeout: 40_000 });
    await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
    await page.unroute('**/v1/usage');
    await page.getByRole('heading', { name: 'By channel' }).waitFor();

    // The same for the frame itself, before it knows who is there; for those who do not want to wait.
    await page.route('**/auth/me', (route) => route.abort());
    await page.reload();
    await alert.waitFor({ timeout: 40_000 });
    await page.unroute('**/auth/me');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'By channel' }).waitFor();
  }, 150_000);

  test('a lost connection is said within 10 seconds on a page that asks for nothing, and survived', async () => {
    const { page } = await host.open('/test/settings/profile', { fresh: true });
    const lost = page.getByText('Connection lost. Retrying…');
    await page.context().setOffline(true);
    await lost.waitFor({ timeout: 10_000 });
    await page.getByRole('link', { name: 'Suppressions' }).click();
    await page.getByRole('heading', { level: 1, name: 'Couldn’t load this page' }).waitFor();
    await page.getByRole('navigation', { name: 'Main navigation' }).waitFor();
    await screenshot(page, 'connection-lost');
    // A reload now would end on an error page of the browser: the button only looks again.
    await page.getByRole('button', { name: 'Reload' }).click();
    await lost.waitFor();
    await page.context().setOffline(false);
    await page.getByRole('heading', { level: 1, name: 'Suppressions' }).waitFor();
    expect(await lost.count()).toBe(0);

    // The page that stands there is read again when the service is back.
    await page.route('**/healthz', (route) => route.abort()); // the browser itself notices nothing of this
    await lost.waitFor({ timeout: 10_000 });
    await host.app.request('POST', '/v1/suppressions', { body: { address: 'meanwhile@example.com' } });
    await page.unroute('**/healthz');
    await page.getByText('meanwhile@example.com').waitFor();
    expect(await lost.count()).toBe(0);
    await page.context().close();
  }, 120_000);

  test('a page whose program a new release has removed says so within the frame', async () => {
    const { page } = await host.open('/test/settings', { fresh: true });
    const known = new Set<string>(
      await page.evaluate("performance.getEntriesByType('resource').map(({ name }) => name)"),
    );
    await page.route(
      (url) => !known.has(url.href),
      (route) =>
        route.request().resourceType() === 'script' ? route.fulfill({ status: 404 }) : route.continue(),
    );
    const reloaded = page.waitForEvent('load'); // once without asking; only then is the button there to stay
    await page.getByRole('link', { name: 'Suppressions' }).click();
    await reloaded;
    await page.getByRole('heading', { level: 1, name: 'Couldn’t load this page' }).waitFor();
    await page.getByRole('navigation', { name: 'Main navigation' }).waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('heading', { level: 1, name: 'Suppressions' }).waitFor();
    await page.context().close();
  }, 90_000);

  test('an address that there is not says so and leads back', async () => {
    const { page, complaints } = await host.open('/test/nowhere/at/all');
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
    await page.getByRole('navigation', { name: 'Main navigation' }).waitFor();
    await page.getByRole('link', { name: 'Go to overview' }).click();
    await page.waitForURL('**/overview');
    expect(complaints).toEqual([]);
  }, 90_000);

  test('another organization is a click away, with its own things', async () => {
    const { app } = host;
    const { page, complaints } = await host.open('/test/settings', { fresh: true });
    const { name } = await organizationOf(app);
    await app.request('POST', '/auth/organizations', {
      key: null,
      headers: await sessionOf(app),
      body: { name: 'Another' },
    });
    await page.reload();
    await page.getByRole('button', { name: `${name}: Switch organization` }).click();
    await page.getByRole('menuitem', { name: 'Another' }).click();
    await page.getByRole('button', { name: 'Another: Switch organization' }).waitFor();
    await page.goto(`${host.url}/test/settings`);
    await page.getByText('No keys yet').waitFor();
    await page.getByRole('button', { name: 'Another: Switch organization' }).click();
    await page.getByRole('menuitem', { name }).click();
    await page.getByRole('button', { name: `${name}: Switch organization` }).waitFor();
    expect(complaints).toEqual([]);
  }, 90_000);

  test('signing out ends the session and forgets what was shown', async () => {
    const { page } = await host.open('/test/settings', { fresh: true });
    await page.evaluate("sessionStorage.setItem('carillon.draft.x', '\"of somebody\"')");
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL('**/sign-in');
    expect(await page.evaluate('Object.keys(sessionStorage).filter((name) => /draft/.test(name))')).toEqual(
      [],
    );
    await page.goBack();
    await page.waitForURL('**/sign-in?**');
    expect(await page.getByText('Default Test key').count()).toBe(0);
  }, 90_000);

  test('the frame looks right everywhere', async () => {
    expect(await inspect(host, '/test/overview', 'frame-test')).toEqual([]);
    expect(await inspect(host, '/live/overview', 'frame-live')).toEqual([]);
    // The last thing of the side bar stands above the lower edge of the window, below the banner of Live.
    const { page } = await host.open('/live/overview');
    const account = await page.getByRole('button', { name: 'Your account' }).boundingBox();
    expect((account?.y ?? 0) + (account?.height ?? 0)).toBeLessThanOrEqual(page.viewportSize()?.height ?? 0);
    // On a phone the menu opens over the drawer that it belongs to.
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: 'Open menu' }).click();
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    const level = (role: string) =>
      page.evaluate<number>(`+getComputedStyle(document.querySelector('[role="${role}"]')).zIndex`);
    expect(await level('menu')).toBeGreaterThan(await level('dialog'));
    await screenshot(page, 'frame-account-phone');
  }, 120_000);

  test('the tables of the API reference break no word, on a desk and on a phone', async () => {
    const { page } = await host.open('/sign-in');
    await page.goto(`${host.url}/docs`);
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 860 });
      expect(await page.evaluate<string[]>(brokenWords)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    }
  }, 90_000);

  /** Runs in the page: the words of names and types that stand on two lines. */
  const brokenWords = `[...document.querySelectorAll('table :is(th, td:not(:last-child))')].flatMap((cell) => {
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    const found = [];
    while (walker.nextNode()) {
      for (const { index, 0: word } of walker.currentNode.data.matchAll(/\\S+/g)) {
        const range = document.createRange();
        range.setStart(walker.currentNode, index);
        range.setEnd(walker.currentNode, index + word.length);
        if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) found.push(word);
      }
    }
    return found;
  })`;

  test('sign-in looks right everywhere', async () => {
    expect((await inspect(host, '/sign-in', 'sign-in')).filter((each) => !each.includes('401'))).toEqual([]);
  }, 90_000);

  test('very long and right-to-left names break nothing', async () => {
    const { app } = host;
    await addPerson(app, {
      email: `${'long'.repeat(15)}@example.com`,
      name: 'W'.repeat(100),
      role: 'viewer',
    });
    await addPerson(app, { email: 'rtl@example.com', name: 'فاطمة الزهراء', role: 'developer' });
    await app.request('POST', '/v1/api-keys', { body: { name: 'مفتاح '.repeat(16), preset: 'read_only' } });
    const headers = await sessionOf(app);
    const { id } = await organizationOf(app);
    const rename = (name: string) =>
      app.request('PATCH', `/auth/organizations/${id}`, { key: null, headers, body: { name } });
    await rename('م'.repeat(100));
    expect(await inspect(host, '/test/settings/team', 'frame-long-names')).toEqual([]);
    expect(await inspect(host, '/test/settings', 'frame-long-key')).toEqual([]);
  }, 120_000);
});
