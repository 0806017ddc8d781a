import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../../server/test/harness/app.ts';
import { chromiumPath, type Host, startHost } from './host-page.ts';

const deadlineMs = 30_000;
const element = '<carillon-preferences USER></carillon-preferences>';

describe.skipIf(!chromiumPath)('the preference centre', { timeout: 60_000 }, () => {
  let host: Host;
  beforeAll(async () => {
    host = await startHost({ CARILLON_ROLES: 'api' });
    for (const category of [
      {
        key: 'news',
        name: 'Product news',
        description: '<b>Monthly</b>',
        default_channels: ['email', 'in_app'],
      },
      { key: 'security', name: 'Security', default_channels: ['email'], is_critical: true },
    ])
      await host.app.request('POST', '/v1/preferences/categories', { body: category });
  }, 60_000);
  afterAll(() => host?.stop());

  const stored = async (user: string, channel: string): Promise<boolean> => {
    const { body } = await host.app.request('GET', `/v1/preferences/users/${user}`);
    return body.data.find(
      (cell: { category_key: string; channel: string }) =>
        cell.category_key === 'news' && cell.channel === channel,
    ).opted_in;
  };
  const becomes = (user: string, channel: string, wanted: boolean) =>
    waitUntil(
      async () => ((await stored(user, channel)) === wanted ? true : new Error('not yet')),
      deadlineMs,
    );

  test('shows what is on, keeps what is changed, and tells the page; by keyboard too', async () => {
    const context = await host.newContext();
    const { page, complaints, events } = await host.open(context, element, { user: 'ada' });
    const email = page.getByRole('switch', { name: 'Product news: Email' });
    await email.waitFor();
    expect(await page.getByRole('columnheader').allInnerTexts()).toEqual(['Topic', 'Email', 'In the app']);
    expect(await page.getByRole('row', { name: 'Security' }).innerText()).toContain('Always on');
    expect(await page.getByText('<b>Monthly</b>').count()).toBe(1);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await becomes('ada', 'email', false);
    await page.getByRole('status').filter({ hasText: 'Saved' }).waitFor();
    expect(await events('preference')).toEqual([{ category_key: 'news', channel: 'email', opted_in: false }]);
    await page.reload();
    expect(await email.isChecked()).toBe(false);
    await email.click();
    await becomes('ada', 'email', true);
    // Chats have the names of their services.
    await page.evaluate(
      "document.querySelector('carillon-preferences').channels = 'chatone chattwo chatthree'",
    );
    await page.getByRole('columnheader', { name: 'Slack' }).waitFor();
    const shown = await page.getByRole('columnheader').allInnerTexts();
    expect(shown).toEqual(['Topic', 'Slack', 'Microsoft Teams', 'Discord']);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('turns everything off only when asked twice', async () => {
    const context = await host.newContext();
    const { page } = await host.open(context, element, { user: 'grace' });
    await page.getByRole('button', { name: 'Turn off all' }).click();
    await page.keyboard.press('Escape');
    expect(await stored('grace', 'email')).toBe(true);
    await page.getByRole('button', { name: 'Turn off all' }).press('Enter');
    await page.getByRole('button', { name: 'Turn off', exact: true }).click();
    await becomes('grace', 'in_app', false);
    expect(await page.getByRole('switch', { checked: true }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Turn off all' }).isDisabled()).toBe(true);
    await context.close();
  });

  test('takes back what the service refuses', async () => {
    const context = await host.newContext();
    const { page, events } = await host.open(context, element, { user: 'alan' });
    const email = page.getByRole('switch', { name: 'Product news: Email' });
    await email.waitFor();
    host.interrupt('html');
    await email.click();
    await page.getByText('Nothing was changed').first().waitFor({ timeout: deadlineMs });
    host.interrupt(null);
    expect(await email.isChecked()).toBe(true);
    expect(await events('error')).toMatchObject([{ during: 'change' }]);
    await email.click();
    await becomes('alan', 'email', false);
    await page.getByText('Nothing was changed').waitFor({ state: 'detached' });
    await context.close();
  });

  test('gets another token when the one it has expires', async () => {
    host.giveShortToken('barbara');
    const context = await host.newContext();
    const { page } = await host.open(context, element, { user: 'barbara' });
    const email = page.getByRole('switch', { name: 'Product news: Email' });
    await email.waitFor();
    const expired = await host.token('barbara', 2.5);
    await waitUntil(async () => {
      const { status } = await host.app.request('GET', '/inbox/v1/preferences', { key: expired });
      return status === 401 ? true : new Error('still good');
    }, deadlineMs);
    await email.click();
    await becomes('barbara', 'email', false);
    await context.close();
  });
});
