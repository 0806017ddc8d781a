import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../../server/test/harness/app.ts';
import { axeFindings } from './axe.ts';
import { chromiumPath, type DashboardHost, screenshot, startDashboard } from './dashboard.ts';

describe.skipIf(!chromiumPath)('the brake', () => {
  let host: DashboardHost;
  beforeAll(async () => {
    host = await startDashboard();
  }, 120_000);
  afterAll(() => host?.stop());

  const send = () =>
    host.app.request('POST', '/v1/notifications', {
      body: {
        channel: 'email',
        recipient: { address: 'delivered@sandbox.test' },
        subject: 'Hello',
        text_body: 'Hi',
      },
    });

  test('freezes with the red button, shows what is held, and unfreezes', async () => {
    const { page, complaints } = await host.open('/test/brake');
    await page.getByText('Nothing is held').waitFor();
    await page.getByRole('button', { name: 'Freeze…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Channel').selectOption('email');
    await dialog.getByLabel('Reason').fill('A loop');
    await dialog.getByRole('button', { name: 'Freeze now' }).click();
    await page.getByText('Email frozen since').waitFor();
    const { body } = await send();
    await page.getByRole('cell', { name: 'Freeze: Email', exact: true }).waitFor();
    await screenshot(page, 'brake');
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Unfreeze…' }).click();
    await dialog.getByText('1 held notification will be sent').waitFor();
    await dialog.getByRole('button', { name: 'Unfreeze', exact: true }).click();
    await host.app.waitFor(body.id, ({ status }) => status === 'delivered');
    await page.getByText('Nothing is held').waitFor();
    expect(complaints).toEqual([]);
  }, 90_000);

  test('adds a rule, previews what it holds, and releases it', async () => {
    const { page, complaints } = await host.open('/test/brake');
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Add rule' }).click();
    await dialog.getByLabel('Key').fill('two_an_hour');
    await dialog.getByLabel('Name').fill('Two an hour');
    await dialog.getByLabel('At most').fill('0');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Enter a whole number from 1.').waitFor();
    await dialog.getByLabel('At most').fill('2');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The rule two_an_hour is in force.').waitFor();
    const ids: string[] = [];
    for (let index = 0; index < 4; index += 1) ids.push((await send()).body.id);
    await page.getByRole('button', { name: 'Actions for two_an_hour' }).click();
    await page.getByRole('menuitem', { name: 'Release…' }).click();
    await dialog
      .getByText('notifications to 1 recipient.')
      .or(dialog.getByText('notification to 1 recipient.'))
      .waitFor();
    await dialog.getByText('Hello').first().waitFor();
    await dialog.getByRole('button', { name: 'Release', exact: true }).click();
    await page.getByText('The release has started.').waitFor();
    await waitUntil(async () => {
      const { body } = await host.app.request('GET', '/v1/brake/releases');
      return body.data[0]?.status === 'done' ? body : new Error('still running');
    });
    expect(complaints).toEqual([]);
  }, 90_000);
});
