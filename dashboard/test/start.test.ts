import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPerson, password } from '../../server/test/harness/people.ts';
import { chromiumPath, type DashboardHost, inspect, startDashboard } from './dashboard.ts';

describe.skipIf(!chromiumPath)('the first steps', () => {
  let host: DashboardHost;
  beforeAll(async () => {
    host = await startDashboard();
  }, 300_000);
  afterAll(() => host?.stop());

  test('lead from a new key to a delivered notification, and are ticked as they are done', async () => {
    const { page, complaints } = await host.open('/test/start');
    const step = (name: string) => page.getByRole('heading', { name, exact: true });
    await step('Create an API key (To do)').waitFor();
    const curl = page.getByLabel('The request as curl');
    expect(await curl.innerText()).toContain('YOUR_KEY');

    await page.getByRole('button', { name: /^Create (a|another) key$/ }).click();
    await step('Create an API key (Done)').waitFor();
    const key = /crl_test_\w+/.exec(await curl.innerText())?.[0] ?? '';
    expect(await curl.innerText()).toContain(`curl ${host.url}/v1/notifications`);
    await page.getByRole('tab', { name: 'TypeScript' }).click();
    const code = await page.getByLabel('The request with the SDK').innerText();
    expect(await page.getByLabel('Install the SDK').innerText()).toContain('npm install');
    expect(code).toContain(`api_key: '${key}'`);
    expect(code).toContain(`base_url: '${host.url}'`);

    // What the code does, done with the key that it shows.
    await page.getByText('Waiting for your first notification').waitFor();
    const sent = await host.app.request('POST', '/v1/notifications', {
      key,
      body: {
        channel: 'email',
        recipient: { address: 'delivered@sandbox.test' },
        subject: 'Hello',
        text_body: 'Hi',
      },
    });
    expect(sent.status).toBe(202);
    await step('Send a notification (Done)').waitFor();
    await step('Watch the delivery (Done)').waitFor();
    await page.getByText('Setup complete.').waitFor();
    await page.getByRole('link', { name: 'View timeline' }).click();
    await page.waitForURL(`**/test/notifications/${sent.body.id}`);
    expect(complaints).toEqual([]);
  }, 90_000);

  test('can be taken from the page itself, and show the inbox for pages of one’s own', async () => {
    const before = (await host.app.request('GET', '/v1/notifications')).body.data.length;
    const { page, complaints } = await host.open('/test/start');
    await page.getByRole('button', { name: 'Send from here' }).dblclick();
    await page.getByText('Sent.').waitFor();
    expect((await host.app.request('GET', '/v1/notifications')).body.data).toHaveLength(before + 1);
    expect(await page.locator(':focus').innerText()).toBe('Send from here');
    await page.getByRole('button', { name: 'Add the inbox' }).click();
    const html = page.getByRole('dialog').getByLabel('HTML');
    expect(await html.innerText()).toContain(`${host.url}/widgets/inbox.js`);
    expect(await page.getByRole('dialog').getByLabel('Your server').innerText()).toContain(
      'CARILLON_API_KEY',
    );
    expect(complaints).toEqual([]);
  }, 90_000);

  test('in Live say that a provider is needed, and where the message goes', async () => {
    const { page } = await host.open('/live/start');
    await page.getByText('No email provider is connected').waitFor();
    expect(await page.getByRole('button', { name: 'Send from here' }).count()).toBe(0);
    expect(await page.getByLabel('The request as curl').innerText()).toContain(host.app.adminEmail);
    await page.getByRole('main').getByRole('link', { name: 'Connect provider' }).first().click();
    await page.waitForURL('**/live/connections');
  }, 90_000);

  test('tell somebody who may not create keys whom to ask', async () => {
    const { rows } = await host.app.pool.query('select organization_id from environments limit 1');
    const organizationId = rows[0].organization_id;
    const { email } = await createPerson(host.app, [{ organizationId, role: 'viewer' }]);
    const { page } = await host.open('/test/start', { as: { email, password } });
    await page.getByText('Your role cannot create keys').waitFor();
    expect(await page.getByLabel('The request as curl').innerText()).toContain('Bearer YOUR_KEY');
    expect(await page.getByRole('button', { name: /Create|Send it from here/ }).count()).toBe(0);
  }, 90_000);

  test('look right everywhere', async () => {
    expect(await inspect(host, '/test/start', 'start')).toEqual([]);
  }, 120_000);
});
