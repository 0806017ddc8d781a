import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../../server/test/harness/app.ts';
import { chromiumPath, type DashboardHost, inspect, startDashboard } from './dashboard.ts';
import { addPerson } from './people.ts';

describe.skipIf(!chromiumPath)('audiences and broadcasts', () => {
  let host: DashboardHost;
  beforeAll(async () => {
    host = await startDashboard();
    for (const id of ['ada', 'bob', 'eve'])
      await host.app.request('PUT', `/v1/users/${id}`, {
        body: { email: `${id}@example.com`, attributes: { plan: id === 'eve' ? 5 : 'free' } },
      });
  }, 120_000);
  afterAll(() => host?.stop());

  test('a topic is created, followed and left', async () => {
    const { page } = await host.open('/test/audiences');
    await page.getByText('No topics yet').waitFor();
    await page.getByRole('button', { name: 'New topic' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('Enter a name.').waitFor();
    await dialog.getByLabel('Name').fill('Release notes');
    expect(await dialog.getByLabel('Key').inputValue()).toBe('release_notes');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Topic created.').waitFor();
    await page.getByRole('link', { name: /Release notes/ }).click();
    await page.getByText('No subscribers yet').waitFor();
    await page.getByRole('button', { name: 'Add subscribers' }).click();
    await dialog.getByLabel('User ids').fill('ada\nbob\n\neve');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('3 subscribers added.').waitFor();
    await page.getByRole('button', { name: 'Actions for eve' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await page.getByText('eve no longer follows the topic.').waitFor();
    expect((await host.app.request('GET', '/v1/topics/release_notes')).body.subscriber_count).toBe(2);
  }, 90_000);

  test('a broadcast starts after its dry run, and its page shows the progress', async () => {
    const { page } = await host.open('/test/audiences/release_notes');
    await page.getByRole('link', { name: 'New broadcast' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Release 4.2');
    const topic = dialog.getByRole('combobox', { name: 'Topic' });
    expect(await topic.inputValue()).toBe('release_notes');
    await topic.fill('NOTES');
    await dialog.locator('option[value=release_notes]').waitFor({ state: 'attached' });
    await topic.fill('release_notes');
    await dialog.getByLabel('Write it here').check();
    await dialog.getByLabel('Subject').fill('It is out');
    await dialog.getByRole('button', { name: 'Dry run' }).click();
    await dialog.getByText('Enter a text.').waitFor();
    await dialog.getByLabel('Text', { exact: true }).fill('Hello');
    await dialog.getByRole('button', { name: 'Dry run' }).click();
    await dialog.getByText('To ada@example.com').waitFor();
    await dialog.getByRole('button', { name: 'Send to 2 users' }).click();
    await page.getByRole('heading', { level: 1, name: 'Release 4.2' }).waitFor();
    await page.getByText('2 of 2').waitFor();
    await page.getByText('Done', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Show notifications' }).click();
    await page.getByText('ada@example.com').waitFor();
  }, 90_000);

  test('everybody must be confirmed, and a broadcast is paused, resumed and cancelled', async () => {
    const { page } = await host.open('/test/broadcasts?new=-');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('To all');
    await dialog.getByLabel('In-app').check();
    await dialog.getByLabel('Tags').fill('news, offers,');
    await dialog.getByRole('button', { name: 'Add button' }).click();
    const button = dialog.getByRole('group', { name: 'Button 1' });
    await button.getByLabel('Label').fill('Read more');
    await button.getByLabel('Link (optional)').fill('/news');
    await button.getByLabel('Style').selectOption('Primary');
    await dialog.getByLabel('Write it here').check();
    await dialog.getByLabel('Subject').fill('Hi');
    await dialog.getByLabel('Text', { exact: true }).fill('Hello');
    await dialog.getByLabel('Filter').check();
    await dialog.getByLabel('Condition 1', { exact: true }).selectOption('Attribute');
    await dialog.getByLabel('Attribute of condition 1').fill('plan');
    await dialog.getByRole('button', { name: 'Dry run' }).click();
    await dialog.getByText('Enter a value for each condition.').waitFor();
    await dialog.getByLabel('Values of condition 1').fill('pro, 5');
    await dialog.getByText('Use lowercase letters, digits, _ and -.').waitFor();
    await button.getByLabel('Key').fill('read');
    const asked = page.waitForRequest('**/v1/broadcasts/dry-run');
    await dialog.getByRole('button', { name: 'Dry run' }).click();
    expect((await asked).postDataJSON()).toMatchObject({
      channels: ['email', 'in_app'],
      tags: ['news', 'offers'],
      actions: [{ key: 'read', label: 'Read more', url: '/news', style: 'primary' }],
    });
    await dialog.getByRole('button', { name: 'Send to 1 user' }).waitFor();
    await dialog.getByText('To eve@example.com').waitFor();
    await dialog.getByRole('button', { name: 'Back' }).click();
    await dialog.getByLabel('Everybody').check();
    await dialog.getByLabel('At a local time').check();
    await dialog
      .getByLabel('Time', { exact: true })
      .fill(new Date(Date.now() + 72 * 3_600_000).toISOString().slice(0, 16));
    await dialog.getByRole('button', { name: 'Dry run' }).click();
    const send = dialog.getByRole('button', { name: 'Send to 3 users' });
    await send.waitFor();
    expect(await send.isDisabled()).toBe(true);
    await dialog.getByLabel('I want to send to everybody').check();
    await send.click();
    await page.getByRole('heading', { level: 1, name: 'To all' }).waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.getByRole('button', { name: 'Cancel broadcast…' }).click();
    await dialog.getByRole('button', { name: 'Cancel broadcast', exact: true }).click();
    await page.getByText('Broadcast cancelled.').waitFor();
    await waitUntil(async () => {
      const { body } = await host.app.request('GET', '/v1/broadcasts?limit=1');
      return body.data[0].status === 'cancelled' || new Error(JSON.stringify(body));
    });
  }, 90_000);

  test('a viewer reads, and every page is accessible', async () => {
    const viewer = await addPerson(host.app, { email: 'viewer@acme.example', name: 'Vera', role: 'viewer' });
    const { page } = await host.open('/test/broadcasts', { as: viewer });
    await page.getByText('To all').waitFor();
    expect(await page.getByRole('button', { name: 'New broadcast' }).count()).toBe(0);
    const [{ id }] = (await host.app.request('GET', '/v1/broadcasts?limit=1')).body.data;
    for (const [path, name] of [
      ['/test/audiences', 'audiences'],
      ['/test/audiences/release_notes', 'topic'],
      ['/test/broadcasts', 'broadcasts'],
      ['/test/broadcasts?new=-', 'broadcast-form'],
      [`/test/broadcasts/${id}`, 'broadcast'],
    ] as const)
      expect(await inspect(host, path, name)).toEqual([]);
  }, 180_000);
});
