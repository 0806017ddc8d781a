import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, type DashboardHost, inspect, startDashboard } from './dashboard.ts';

const limitMs = 120_000;

describe.skipIf(!chromiumPath)('layouts, partials and translations', () => {
  let host: DashboardHost;
  beforeAll(async () => {
    host = await startDashboard();
  }, limitMs);
  afterAll(() => host?.stop());

  const put = (path: string, body: object) => host.app.request('PUT', `/v1/${path}`, { body });
  const get = async (path: string) => (await host.app.request('GET', `/v1/${path}`)).body;

  test(
    'a layout is made, previewed while it is written, and chosen for a body',
    async () => {
      await host.app.request('POST', '/v1/templates', {
        body: { key: 'order', name: 'Order', subject_template: 'S', html_body_template: '<p>Shipped</p>' },
      });
      const { page, complaints } = await host.open('/test/templates');
      await page.getByRole('link', { name: 'Layouts' }).click();
      await page.getByRole('button', { name: 'New layout' }).first().click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Key').fill('main');
      await dialog.getByRole('button', { name: 'Create' }).click();
      await page.waitForURL('**/test/layouts/main');
      const message = page.frameLocator('iframe[title="The message"]').locator('body');
      await message.getByText('The body of a template goes here.').waitFor();
      const html = page.getByRole('textbox', { name: 'HTML or MJML', exact: true });
      await html.fill('<h1>Acme</h1>{{ content }}');
      await message.getByText('Acme').waitFor();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved as version 2.').first().waitFor();

      await page.getByRole('tab', { name: 'History' }).click();
      await page.getByRole('button', { name: /Version 1/ }).click();
      await page.getByRole('textbox', { name: 'HTML or MJML: Version 1', exact: true }).waitFor();
      await page.getByRole('button', { name: 'Restore this version' }).click();
      await dialog.getByRole('button', { name: 'Restore this version' }).click();
      await page.getByText('Version 1 restored as version 3.').first().waitFor();
      await page.getByRole('button', { name: /Version 2/ }).click();
      await page.getByRole('button', { name: 'Restore this version' }).click();
      await dialog.getByRole('button', { name: 'Restore this version' }).click();
      await page.getByText('Version 2 restored as version 4.').first().waitFor();
      expect((await get('layouts/main')).html_template).toBe('<h1>Acme</h1>{{ content }}');

      await page.goto(`${host.url}/test/templates/order`);
      await page.getByLabel('Layout').selectOption('main');
      await message.getByText('Acme').waitFor();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved as version 2.').first().waitFor();
      expect((await get('templates/order')).bodies[0].layout).toBe('main');
      expect(complaints).toEqual([]);
      expect(await inspect(host, '/test/layouts/main', 'layout')).toEqual([]);
      expect(await inspect(host, '/test/layouts/main?tab=history&version=1', 'layout-history')).toEqual([]);
    },
    limitMs,
  );

  test(
    'creating does not replace what exists, and unsaved text stays when another person saves',
    async () => {
      await put('partials/shared', { template: 'first' });
      const { page } = await host.open('/test/partials');
      await page.getByRole('button', { name: 'New partial' }).first().click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Key').fill('shared');
      await dialog.getByRole('button', { name: 'Create' }).click();
      await dialog.getByText('This partial already exists.').waitFor();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('link', { name: 'shared' }).click();
      const source = page.getByRole('textbox', { name: 'Partial', exact: true });
      await source.getByText('first').waitFor();
      await source.fill('mine');
      await put('partials/shared', { template: 'theirs' });
      const refetched = page.waitForResponse((response) => response.url().includes('/v1/partials/shared'));
      await page.clock.setFixedTime(Date.now() + 60_000);
      await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
      await refetched;
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('another save changed it').first().waitFor();
      await source.getByText('mine').waitFor();
      expect((await get('partials/shared')).template).toBe('theirs');
    },
    limitMs,
  );

  test(
    'the matrix shows what is missing, and a message is added in its cell',
    async () => {
      await put('translations/en', { messages: { order: { shipped: 'Shipped', bye: 'Bye' } } });
      await put('translations/de', { messages: { order: { shipped: 'Versendet' } } });
      const { page, complaints } = await host.open('/test/translations');
      await page.getByText('1 missing').waitFor();
      await page.getByRole('button', { name: 'Missing: order.bye in de' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Default: Bye').waitFor();
      await dialog.getByLabel('Message').fill('Tschüss');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('button', { name: 'Tschüss: order.bye in de' }).waitFor();
      expect((await get('translations/de')).messages).toEqual({
        order: { shipped: 'Versendet', bye: 'Tschüss' },
      });

      await page.getByRole('link', { name: 'de', exact: true }).click();
      const json = page.getByRole('textbox', { name: 'Messages as JSON' });
      await json.fill('{');
      await page.getByText('This is not a JSON object.').waitFor();
      await json.fill('{"order": {"shipped": "Unterwegs"}}');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved as version 3.').first().waitFor();
      await page.getByRole('tab', { name: 'History' }).click();
      await page.getByRole('button', { name: /Version 2/ }).click();
      await page.getByRole('textbox', { name: 'Messages as JSON: Version 2' }).getByText('Tschüss').waitFor();
      expect(complaints).toEqual([]);
      expect(await inspect(host, '/test/translations', 'translations')).toEqual([]);
    },
    limitMs,
  );
});
