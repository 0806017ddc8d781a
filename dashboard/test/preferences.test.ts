import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeFindings } from './axe.ts';
import { chromiumPath, type DashboardHost, inspect, screenshot, startDashboard } from './dashboard.ts';
import { addPerson } from './people.ts';

/** Nothing of it may be taken for a part of an address. */
const strangeId = 'acme/50% $off?x=1#π';

describe.skipIf(!chromiumPath)('preferences', () => {
  let host: DashboardHost;
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await host.app.request(method, path, body === undefined ? {} : { body });
    expect(answer.status, `${method} ${path} ${JSON.stringify(answer.body)}`).toBeLessThan(300);
    return answer.body;
  };
  /** By the link of an email that was sent to them. */
  const unsubscribe = async (userId: string, category: string) => {
    const { id } = await call('POST', '/v1/notifications', {
      channel: 'email',
      recipient: { external_user_id: userId },
      subject: 'News',
      text_body: 'Much has happened.',
      category,
    });
    await host.app.waitFor(id, ({ status }) => status === 'delivered');
    const { data } = await call('GET', `/v1/sandbox/messages?notification_id=${id}`);
    const link: string = data[0].payload.headers['List-Unsubscribe'];
    const answer = await host.app.request('POST', link.slice(1 + host.app.url.length, -1), {
      key: null,
      body: 'List-Unsubscribe=One-Click',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(answer.status).toBeLessThan(400);
  };
  beforeAll(async () => {
    host = await startDashboard();
  }, 120_000);
  afterAll(() => host?.stop());

  test('the brand is set, and the preference page shows it, without JavaScript, in light and dark', async () => {
    const { page, complaints } = await host.open('/test/preferences');
    const card = page.locator('section', { hasText: 'Brand of hosted pages' }).last();
    await card.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Acme');
    await dialog.getByLabel('Accent color').fill('yellow');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Enter a color such as #7a3b00.').waitFor();
    await dialog.getByLabel('Accent color').fill('#ffcc00');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('#ffcc00').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);

    await call('POST', '/v1/preferences/categories', {
      key: 'brand_news',
      name: 'Brand news',
      default_channels: ['email', 'sms'],
    });
    const { url } = await call('GET', '/v1/preferences/users/page-user/link');
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await page.context().browser()?.newContext({ colorScheme, javaScriptEnabled: false });
      const hosted = await context?.newPage();
      if (!context || !hosted) throw new Error('no browser');
      await hosted.goto(url);
      const group = hosted.getByRole('group', { name: 'Brand news' });
      await group.getByLabel('Email').setChecked(colorScheme === 'dark');
      await hosted.getByRole('button', { name: 'Save' }).click();
      await hosted.getByRole('status').waitFor();
      expect(await group.getByLabel('Email').isChecked()).toBe(colorScheme === 'dark');
      expect(await hosted.title()).toBe('Preferences saved · Acme');
      await screenshot(hosted, `preference-page-${colorScheme}`);
      await context.close();
    }
    const arabic = await page.context().browser()?.newContext({ locale: 'ar' });
    const hosted = await arabic?.newPage();
    await hosted?.goto(url);
    expect(hosted && (await axeFindings(hosted))).toEqual([]);
    await arabic?.close();
    await call('DELETE', '/v1/preferences/categories/brand_news');
  });

  test('a category is made, changed, archived and brought back', async () => {
    const { page, complaints } = await host.open('/test/preferences');
    await page.getByText('No categories yet').waitFor();
    await page.getByRole('button', { name: 'New category' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('Enter a name.').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await screenshot(page, 'preferences-category-dialog');
    await dialog.getByLabel('Name').fill('Product news');
    expect(await dialog.getByLabel('Key').inputValue()).toBe('product_news');
    await dialog.getByLabel('In-app').uncheck();
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('cell', { name: /^Product news/ }).waitFor();
    expect(await call('GET', '/v1/preferences/categories/product_news')).toMatchObject({
      name: 'Product news',
      default_channels: ['email'],
      is_critical: false,
    });

    await page.getByRole('button', { name: 'Actions for Product news' }).click();
    await page.getByRole('menuitem', { name: 'Edit…' }).click();
    await dialog.getByLabel('Name').fill('News');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: /^News/ }).waitFor();

    await page.getByRole('button', { name: 'Actions for News' }).click();
    await page.getByRole('menuitem', { name: 'Archive…' }).click();
    await dialog.getByRole('button', { name: 'Archive' }).click();
    await page.getByText('No categories yet').waitFor();
    await page.getByLabel('Show archived').check();
    await page.waitForURL('**archived=yes');
    await page.getByRole('button', { name: 'Actions for News' }).click();
    await page.getByRole('menuitem', { name: 'Restore' }).click();
    await page.getByText('Restored.').waitFor();
    expect(await call('GET', '/v1/preferences/categories/product_news')).toMatchObject({
      is_archived: false,
    });
    expect(complaints).toEqual([]);
  }, 90_000);

  test('a key that is taken is said beside its field, and nothing typed is lost', async () => {
    const { page } = await host.open('/test/preferences');
    await page.getByRole('button', { name: 'New category' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Another');
    await dialog.getByLabel('Key').fill('product_news');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByRole('alert').waitFor();
    expect(await dialog.getByLabel('Name').inputValue()).toBe('Another');
    expect(await dialog.getByLabel('Key').getAttribute('aria-invalid')).toBe('true');
  }, 90_000);

  test('a user is added, found, and reached by an id of any form', async () => {
    const { page } = await host.open('/test/preferences/users');
    await page.getByText('No users yet').waitFor();
    await page.getByRole('button', { name: 'Add user' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('User id', { exact: true }).fill(strangeId);
    await dialog.getByLabel('Email').fill('not an address');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Email').fill('ada@example.com');
    await dialog.getByLabel('Time zone').fill('Europe/Rome');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: strangeId }).waitFor();
    await page.getByText('ada@example.com').waitFor();
    expect(await call('GET', `/v1/users/${encodeURIComponent(strangeId)}`)).toMatchObject({
      email: 'ada@example.com',
      timezone: 'Europe/Rome',
    });
    await page.reload();
    await page.getByText('ada@example.com').waitFor();

    await page.getByRole('link', { name: 'Users' }).click();
    await page.getByRole('searchbox').fill('ADA@');
    await page.waitForURL('**search=ADA*');
    await page.getByRole('link', { name: strangeId }).click();
    await page.getByRole('heading', { name: strangeId }).waitFor();

    await page.goBack();
    await page.getByRole('searchbox').fill('nobody-1');
    await page.getByRole('link', { name: 'Open nobody-1' }).click();
    await page.getByText('No profile for this user').waitFor();
  }, 90_000);

  test('the matrix is switched cell by cell, and an unsubscription only after a question', async () => {
    await call('POST', '/v1/preferences/categories', {
      key: 'security',
      name: 'Security alerts',
      is_critical: true,
      default_channels: ['email', 'sms'],
    });
    await call('PUT', '/v1/users/ada', { email: 'ada@example.com', name: 'Ada Lovelace' });
    const { page } = await host.open('/test/preferences/users/ada');
    const news = page.getByRole('switch', { name: 'News by Email' });
    expect(await news.isChecked()).toBe(true);
    await page.getByText('users cannot opt out of a critical category').waitFor();
    await news.click();
    await page.getByText('Set by API').first().waitFor();
    const cells = async () => (await call('GET', '/v1/preferences/users/ada')).data;
    await expect.poll(cells, { timeout: 20_000 }).toContainEqual(
      expect.objectContaining({
        category_key: 'product_news',
        channel: 'email',
        opted_in: false,
        source: 'api',
      }),
    );
    await news.click();
    await expect
      .poll(cells, { timeout: 20_000 })
      .toContainEqual(
        expect.objectContaining({ category_key: 'product_news', channel: 'email', opted_in: true }),
      );

    await unsubscribe('ada', 'product_news');
    await page.reload();
    await page.getByText('Unsubscribed', { exact: true }).waitFor();
    await news.click();
    await page.getByRole('button', { name: 'Resubscribe' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByText('Unsubscribed', { exact: true }).waitFor({ state: 'detached' });
    expect(await news.isChecked()).toBe(true);
  }, 90_000);

  test('quiet hours are set and removed', async () => {
    const { page } = await host.open('/test/preferences/users/ada');
    await page.getByRole('button', { name: 'Set quiet hours' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('From').fill('21:30');
    await dialog.getByLabel('Until').fill('08:00');
    await dialog.getByLabel('Time zone').fill('Mars/Olympus');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Time zone').fill('Europe/Rome');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('21:30 to 08:00').waitFor();
    expect(await call('GET', '/v1/preferences/users/ada/quiet-hours')).toEqual({
      start_local: '21:30',
      end_local: '08:00',
      timezone: 'Europe/Rome',
    });
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('No quiet hours.').waitFor();
  }, 90_000);

  test('a person is erased when their id has been typed', async () => {
    await call('PUT', '/v1/users/gone-soon', { email: 'gone@example.com' });
    const { page } = await host.open('/test/preferences/users/gone-soon');
    await page.getByRole('button', { name: 'Erase…' }).click();
    const dialog = page.getByRole('dialog');
    const confirm = dialog.getByRole('button', { name: 'Erase permanently' });
    expect(await confirm.isDisabled()).toBe(true);
    await screenshot(page, 'preferences-erase-dialog');
    await dialog.getByRole('textbox').fill('gone-soon');
    await confirm.click();
    await page.waitForURL('**/test/preferences/users');
    expect((await host.app.request('GET', '/v1/users/gone-soon')).status).toBe(404);
  }, 90_000);

  test('somebody who may only look sees the matrix and switches nothing', async () => {
    const viewer = await addPerson(host.app, { email: 'viewer@acme.example', name: 'Vera', role: 'viewer' });
    const { page, go } = await host.open('/test/preferences/users/ada', { as: viewer });
    await page.getByText('Your role has read-only access.').waitFor();
    expect(await page.getByRole('switch', { name: 'News by Email' }).isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Erase…' }).count()).toBe(0);
    await go('/test/preferences');
    expect(await page.getByRole('button', { name: 'New category' }).count()).toBe(0);
  }, 90_000);

  test('the pages look right everywhere', async () => {
    await call('PUT', '/v1/users/ada', {
      email: 'ada@example.com',
      phone: '+14155550123',
      name: 'Ada Lovelace',
      locale: 'en-GB',
      timezone: 'Europe/London',
      chatone_user_id: 'U024BE7LH',
    });
    await call('PUT', '/v1/users/user_7741', {
      email: 'yusuf@example.com',
      name: 'يوسف العتيبي',
      locale: 'ar',
    });
    await call('PUT', '/v1/preferences/users/ada/quiet-hours', {
      start_local: '22:00',
      end_local: '07:00',
      timezone: 'Europe/London',
    });
    await call('POST', '/v1/preferences/categories', {
      key: 'weekly_digest',
      name: 'The weekly digest of everything that happened in the projects that you follow or own',
      description: 'Every Monday morning.',
      default_channels: ['email', 'in_app', 'chatone', 'chattwo', 'chatthree'],
      default_opt_in: false,
    });
    for (const [subject, address] of [
      ['Your invoice for November', 'ada@example.com'],
      ['Welcome', 'bounced@sandbox.test'],
    ]) {
      await call('POST', '/v1/notifications', {
        channel: 'email',
        recipient: { address, external_user_id: 'ada' },
        subject,
        text_body: 'Hello',
      });
    }
    expect(await inspect(host, '/test/preferences?archived=yes', 'preferences-categories')).toEqual([]);
    expect(await inspect(host, '/test/preferences/users', 'preferences-users')).toEqual([]);
    expect(await inspect(host, '/test/preferences/users/ada', 'preferences-user')).toEqual([]);
  }, 120_000);
});
