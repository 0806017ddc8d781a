import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, type DashboardHost, inspect, startDashboard } from './dashboard.ts';
import { quiet, sendOneOfEach, setUpChats } from './messages.ts';

describe.skipIf(!chromiumPath)('the sandbox', () => {
  let host: DashboardHost;
  beforeAll(async () => {
    host = await startDashboard();
  }, 120_000);
  afterAll(() => host?.stop());

  test('an empty outbox teaches its recipients, and Live has none', async () => {
    expect(await inspect(host, '/test/sandbox', 'sandbox-empty')).toEqual([]);
    const { page, complaints, go } = await host.open('/test/sandbox');
    await page.getByText('no-such-user@sandbox.test').waitFor();
    await page.getByRole('link', { name: 'Send test' }).click();
    await page.getByRole('dialog', { name: 'Send test' }).waitFor();
    await go('/live/sandbox');
    await page.getByText('No sandbox in Live').waitFor();
    await page.getByRole('link', { name: 'Open Test sandbox' }).click();
    await page.getByText('No messages yet').waitFor();
    expect(complaints).toEqual([]);
  }, 90_000);

  test('messages of every channel arrive by themselves, are walked through by keyboard, and found', async () => {
    const { page, complaints } = await host.open('/test/sandbox');
    await page.getByText('No messages yet').waitFor();
    await setUpChats(host.app);
    const ids = await sendOneOfEach(host.app);
    const list = page.getByRole('list', { name: 'Messages' });
    await list.getByText('+15005550006').waitFor();
    await list.getByRole('button').nth(6).waitFor();
    await list.getByRole('button').first().click();
    const seen = new Set<string | null>();
    for (let step = 0; step < 7; step += 1) {
      await page.waitForURL(/message=/);
      seen.add(new URL(page.url()).searchParams.get('message'));
      await page.getByRole('tab', { name: 'Preview' }).waitFor();
      const before = page.url();
      await page.keyboard.press('ArrowDown');
      if (step < 6) await page.waitForURL((url) => url.href !== before);
    }
    expect(seen.size).toBe(7);
    await page.getByLabel('Search by recipient prefix').fill('ADA@');
    await list.getByText('+15005550006').waitFor({ state: 'detached' });
    await list.getByRole('button', { name: /ada@sandbox\.test/ }).click();
    await page.getByRole('tab', { name: 'Source' }).click();
    await page.getByText('MIME-Version: 1.0').waitFor();
    await page.getByRole('tab', { name: 'Payload' }).click();
    await page.getByText('"mime_complete"').waitFor();
    await page.getByRole('link', { name: 'Open notification' }).click();
    await page.waitForURL(`**/test/notifications/${ids.email}`);
    expect(quiet(complaints)).toEqual([]);
  }, 120_000);

  test('the outbox looks right everywhere', async () => {
    expect(quiet(await inspect(host, '/test/sandbox', 'sandbox'))).toEqual([]);
    const { body } = await host.app.request('GET', '/v1/sandbox/messages?channel=chatthree');
    expect(await inspect(host, `/test/sandbox?message=${body.data[0].id}`, 'sandbox-message')).toEqual([]);
  }, 180_000);

  test('the outbox is emptied after a question', async () => {
    const { page, complaints } = await host.open('/test/sandbox?channel=sms');
    await page.getByRole('button', { name: 'Clear sandbox' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    expect((await host.app.request('GET', '/v1/sandbox/messages')).body.data).toHaveLength(7);
    await page.getByRole('button', { name: 'Clear sandbox' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Clear sandbox' }).click();
    await page.getByText('No messages match.').waitFor();
    expect((await host.app.request('GET', '/v1/sandbox/messages')).body.data).toEqual([]);
    expect(complaints).toEqual([]);
  }, 90_000);
});
