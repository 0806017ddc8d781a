import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../../server/test/harness/app.ts';
import { startWebhookSink, type WebhookSink } from '../../server/test/simulators/webhook-sink.ts';
import { chromiumPath, type DashboardHost, inspect, screenshot, startDashboard } from './dashboard.ts';
import { quiet, sendOneOfEach, setUpChats } from './messages.ts';
import { addPerson } from './people.ts';

describe.skipIf(!chromiumPath)('notifications', () => {
  let host: DashboardHost;
  let sink: WebhookSink;
  let ids: Record<string, string> = {};
  beforeAll(async () => {
    host = await startDashboard();
    sink = await startWebhookSink();
  }, 120_000);
  afterAll(async () => {
    await sink?.stop();
    await host?.stop();
  });

  const send = async (request: object) => {
    const { status, body } = await host.app.request('POST', '/v1/notifications', {
      body: { channel: 'email', text_body: 'It works.', ...request },
    });
    expect([status, body.error]).toEqual([202, undefined]);
    return body;
  };
  const ended = (id: string, status: string) => host.app.waitFor(id, (each) => each.status === status);

  test('an empty list teaches how to send the first one, and a test can be sent from it', async () => {
    const { page, complaints } = await host.open('/test/notifications');
    await page.getByText('No notifications yet').waitFor();
    await page.getByText('Authorization: Bearer $CARILLON_API_KEY').waitFor();
    await page.getByRole('button', { name: 'Send test' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Email address').fill('not an address');
    await dialog.getByRole('button', { name: 'Send', exact: true }).click();
    await dialog.getByRole('alert').first().waitFor();
    await dialog.getByLabel('Outcome').selectOption('Delivered');
    await dialog.getByLabel('Subject').fill('From the dashboard');
    await screenshot(page, 'notifications-send-test');
    await dialog.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('heading', { name: 'From the dashboard' }).waitFor();
    // The page follows it to its end by itself.
    await page.getByText('Delivered on the first attempt.').waitFor();
    const { body } = await host.app.request('GET', '/v1/notifications');
    expect(body.data).toMatchObject([
      { subject: 'From the dashboard', recipient: { address: 'delivered@sandbox.test' } },
    ]);
    // The way back leads to the list, not into the dialog.
    await page.goBack();
    await page.getByRole('link', { name: 'delivered@sandbox.test' }).waitFor();
    expect(await dialog.count()).toBe(0);
    expect(complaints.filter((each) => !each.includes('400'))).toEqual([]);
  }, 90_000);

  test('the list is filtered by its address and says what is new without moving', async () => {
    await setUpChats(host.app);
    ids = await sendOneOfEach(host.app);
    const refused = await send({
      recipient: { address: 'refused@sandbox.test' },
      subject: 'Refused',
      category: null,
    });
    await ended(refused.id, 'failed');
    const { page, complaints } = await host.open('/test/notifications');
    const table = page.getByRole('table', { name: 'Notifications' });
    await table.getByText('refused@sandbox.test').waitFor();

    await page.getByLabel('Status').selectOption('failed');
    await page.waitForURL(/status=failed/);
    await table.getByText('Your order is on its way').waitFor({ state: 'detached' });
    await page.getByLabel('Created').selectOption('Last hour');
    await page.waitForURL(/window=1h/);
    await table.getByText('refused@sandbox.test').waitFor();
    await page.reload();
    await table.getByText('refused@sandbox.test').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByLabel('Channel').selectOption('SMS');
    await table.getByText('+15005550006').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('button', { name: 'More filters' }).click();
    await page.getByLabel('Template').fill('deploy-done');
    await page.getByLabel('Template').press('Enter');
    await table.getByText('refused@sandbox.test').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Clear filters' }).click();

    await table.getByText('refused@sandbox.test').waitFor();
    await page.locator('h1').click();
    await page.keyboard.press('/');
    await page.keyboard.type('nobody@example.com');
    await page.keyboard.press('Enter');
    await page.getByText('No notifications match these filters.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).first().click();

    await table.getByText('refused@sandbox.test').waitFor();
    await send({ recipient: { address: 'later@sandbox.test' }, subject: 'Later' });
    await page.getByRole('button', { name: 'Show 1 new' }).click();
    await table.getByText('later@sandbox.test').waitFor();
    await page.getByRole('searchbox').fill(refused.id);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Refused', exact: true }).waitFor();
    expect(complaints).toEqual([]);
  }, 120_000);

  test('one that failed says why in plain words, and is sent again with one click', async () => {
    const { body: list } = await host.app.request('GET', '/v1/notifications?status=failed');
    const { page, complaints } = await host.open(`/test/notifications/${list.data[0].id}`);
    await page.getByText('Not sent: the only attempt failed.').waitFor();
    await page.getByText('4 checks passed').waitFor();
    await page.getByText('Attempt 1: sandbox').waitFor();
    await page.getByText('Code 554 5.7.1').waitFor();
    await page.getByRole('heading', { name: 'Sent message' }).waitFor();
    await page.getByRole('button', { name: 'Resend' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Resend' }).click();
    await page.getByText('Resent from').first().waitFor();
    const { body } = await host.app.request('GET', '/v1/notifications?recipient=refused@sandbox.test');
    expect(body.data[0].resent_from).toBe(list.data[0].id);
    expect(complaints).toEqual([]);
  }, 90_000);

  test('one that was suppressed, bounced or reported ends with a red step that says what to do next', async () => {
    await host.app.request('POST', '/v1/suppressions', {
      body: { address: 'left@sandbox.test', reason: 'manual_add' },
    });
    const { id } = await send({ recipient: { address: 'left@sandbox.test' }, subject: 'Suppressed' });
    await ended(id, 'suppressed');
    const { page, complaints, go } = await host.open(`/test/notifications/${id}`);
    await page
      .getByText(/^Not sent: the address has been on the suppression list since .* \(manual add\)\.$/)
      .waitFor();
    const last = page
      .getByRole('heading', { name: 'Why wasn’t it delivered?' })
      .locator('..')
      .locator('..')
      .locator('ol > li')
      .last();
    const remove = last.getByRole('link', { name: 'Remove from suppressions' });
    expect(await last.getAttribute('data-tone')).toBe('red');
    await page.getByText('No provider requests: the notification was suppressed.').waitFor();
    expect(await remove.getAttribute('href')).toContain('/suppressions?search=left%40sandbox.test');

    // What happened after the provider accepted it is the last step too.
    const bounced = await send({ recipient: { address: 'bounced@sandbox.test' }, subject: 'Bounced' });
    await ended(bounced.id, 'bounced');
    await go(`/test/notifications/${bounced.id}`);
    await last.getByText('550 5.1.1 The sandbox bounced the message (hard bounce).').waitFor();
    await last.getByText('Check the address for typos').waitFor();
    await last.getByText(/on the suppression list/).waitFor();
    expect(await last.getAttribute('data-tone')).toBe('red');
    const reported = await send({
      recipient: { address: 'complained@sandbox.test' },
      subject: 'Marked as spam',
    });
    await ended(reported.id, 'complained');
    await go(`/test/notifications/${reported.id}`);
    await last.getByText('Do not send to this recipient again').waitFor();
    expect(await last.getAttribute('data-tone')).toBe('red');
    expect(complaints).toEqual([]);
  }, 90_000);

  test('one that is queued is given another time, and cancelled', async () => {
    const { id } = await send({
      recipient: { address: 'ada@sandbox.test' },
      subject: 'Tomorrow',
      send_at: new Date(Date.now() + 86_400_000).toISOString(),
    });
    const { page, complaints } = await host.open(`/test/notifications/${id}`);
    await page.getByText(/^Scheduled for .+\.$/).waitFor();
    await page.getByRole('button', { name: 'Reschedule' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Send at').fill('2099-01-01T10:00');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').first().waitFor();
    const wanted = new Date(Date.now() + 2 * 86_400_000);
    wanted.setSeconds(0, 0);
    const local = new Date(wanted.getTime() - wanted.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
    await dialog.getByLabel('Send at').fill(local);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    const changed = await host.app.request('GET', `/v1/notifications/${id}`);
    expect(changed.body.send_at).toBe(wanted.toISOString());
    await page.getByRole('button', { name: 'Cancel notification' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel notification' }).click();
    await page.waitForURL(/\/test\/notifications$/);
    expect((await host.app.request('GET', `/v1/notifications/${id}`)).status).toBe(404);
    expect(complaints.filter((each) => !/400|422|404/.test(each))).toEqual([]);
  }, 90_000);

  test('every channel is shown as its recipient sees it, and nothing in a message runs', async () => {
    const { page, complaints, go } = await host.open(`/test/notifications/${ids.email}`);
    const frame = page.frameLocator('iframe');
    await frame.getByText('Your order is on its way').waitFor();
    await page.getByText('Remote images are blocked').waitFor();
    // The window that the email is drawn in is as wide as that of a mail program, whatever room there is for it.
    const widths = () =>
      page.evaluate<[number, number]>(
        "[...document.querySelectorAll('iframe')].flatMap((frame) => [frame.offsetWidth, frame.getBoundingClientRect().width])",
      );
    expect((await widths())[0]).toBeGreaterThanOrEqual(640);
    await page.setViewportSize({ width: 500, height: 860 });
    await waitUntil(async () => {
      const [width, shown] = await widths();
      return Math.abs(width - 640) <= 1 && shown < 500 ? true : new Error(`${width} shown as ${shown}`);
    }, 5_000);
    await page.setViewportSize({ width: 1280, height: 860 });
    await screenshot(page, 'notification-email-frame');
    expect(await page.title()).toContain('Your order is on its way');
    await page.getByText('invoice-2026-0301.pdf').first().waitFor();
    await page.getByText('47 KB').first().waitFor();
    await page.getByRole('button', { name: 'Phone' }).click();
    await page.getByRole('tab', { name: 'Text' }).click();
    await page.getByRole('tabpanel', { name: 'Text' }).getByText('Follow the parcel').waitFor();
    await go(`/test/notifications/${ids.sms}`);
    await page.getByText('UCS-2 · 43 of 70 characters').waitFor();
    await page.getByText('Not in GSM-7: ☂.').waitFor();
    await screenshot(page, 'notification-sms');
    await page.getByRole('link', { name: 'Other notifications to this recipient' }).click();
    await page.waitForURL(/recipient=%2B15005550006/);
    await page.getByRole('table').getByText('+15005550006').waitFor();
    await go(`/test/notifications/${ids.in_app}`);
    await page.getByRole('link', { name: 'Grace mentioned you' }).waitFor();
    await page.getByText('Mute the thread', { exact: true }).waitFor();
    await page.getByText('Tags: mentions').waitFor();
    await screenshot(page, 'notification-in-app');
    await go(`/test/notifications/${ids.webhook}`);
    await page.getByText('https://example.com/hooks/orders').first().waitFor();
    await go(`/test/notifications/${ids.chatone}`);
    await page.getByRole('link', { name: 'See the changes' }).waitFor();
    await page.getByText('Not shown: static_select').waitFor();
    await page
      .getByRole('definition')
      .filter({ hasText: 'Slack' })
      .locator('code', { hasText: 'chatone' })
      .waitFor();
    await go(`/test/notifications/${ids.chattwo}`);
    await page.getByText('Not shown: Input.Text').waitFor();
    await page.getByRole('link', { name: 'Open', exact: true }).waitFor();
    await screenshot(page, 'notification-chattwo');
    await go(`/test/notifications/${ids.chatthree}`);
    await page.getByText('Deploy bot').first().waitFor();
    await page.getByRole('link', { name: 'Checkout is live' }).waitFor();
    expect(quiet(complaints)).toEqual([]);
  }, 120_000);

  test('webhook deliveries about it lead to their pages', async () => {
    const endpoint = await host.app.request('POST', '/v1/webhook-endpoints', {
      body: { url: sink.url('/hook'), description: 'Order service' },
    });
    const { id } = await send({
      recipient: { address: 'delivered@sandbox.test' },
      subject: 'With a webhook',
    });
    await ended(id, 'delivered');
    const { page, complaints } = await host.open(`/test/notifications/${id}?tab=webhooks`);
    const link = page.getByRole('table').getByRole('link', { name: 'notification.delivered' });
    await link.waitFor();
    expect(await link.getAttribute('href')).toContain(`/test/webhooks/${endpoint.body.id}/deliveries/`);
    const receiver = page.getByRole('table').getByRole('link', { name: 'Order service' }).first();
    expect(await receiver.getAttribute('href')).toBe(`/test/webhooks/${endpoint.body.id}`);
    expect(await receiver.getAttribute('title')).toBe(sink.url('/hook'));
    await screenshot(page, 'notification-deliveries');
    expect(complaints).toEqual([]);
    await host.app.request('DELETE', `/v1/webhook-endpoints/${endpoint.body.id}`);
  }, 90_000);

  test('a viewer can look and not touch; what is not there says so', async () => {
    const viewer = await addPerson(host.app, { email: 'viewer@example.com', name: 'Vera', role: 'viewer' });
    const { page, go } = await host.open(`/test/notifications/${ids.email}`, { as: viewer });
    await page.getByRole('heading', { name: 'Your order is on its way' }).first().waitFor();
    expect(await page.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true);
    await go('/test/notifications');
    expect(await page.getByRole('button', { name: 'Send test' }).count()).toBe(0);
    await go('/test/notifications/01890000-0000-7000-8000-000000000000');
    await page.getByText('Not found.').waitFor();
    // Whatever somebody puts into the address.
    await go('/test/notifications?window=constructor&tab=toString');
    await page.getByRole('table').getByText('refused@sandbox.test').first().waitFor();
  }, 90_000);

  test('a message that cannot be made again is shown in the words of its request', async () => {
    const { body } = await host.app.request('GET', '/v1/notifications?status=failed');
    const { page, go } = await host.open('/test/notifications');
    await page.route('**/content', (route) => route.fulfill({ status: 500, body: '{}' }));
    await go(`/test/notifications/${body.data[0].id}`);
    await page.getByText('This is the content of the request.').waitFor();
    await page.getByText('It works.').first().waitFor();
    await page.unroute('**/content');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('This is the content of the request.').waitFor({ state: 'detached' });
  }, 90_000);

  test('everything that the filters match is cancelled or resent, after a preview, and can be stopped', async () => {
    const one = {
      ...{ channel: 'email', recipient: { address: 'sale@example.com' }, subject: 'Sale', text_body: 'Now.' },
      send_at: new Date(Date.now() + 86_400_000).toISOString(),
    };
    const notifications = Array.from({ length: 450 }, () => one);
    await host.app.request('POST', '/v1/notifications/batch', { body: { notifications } });
    await ended((await send({ recipient: { address: 'refused@sandbox.test' }, subject: 'No' })).id, 'failed');
    const { page, complaints, go } = await host.open('/test/notifications?recipient=sale@example.com');
    const open = page.getByRole('button', { name: 'Cancel all that match…' });
    expect(await open.count()).toBe(0); // other statuses cannot be cancelled
    await page.getByLabel('Status').selectOption('queued');
    const dialog = page.getByRole('dialog');
    const confirm = async (name: string | RegExp) => {
      await open.click();
      await dialog.getByRole('list', { name: 'Examples' }).getByText('sale@example.com').first().waitFor();
      await dialog.getByRole('button', { name }).click();
    };
    await confirm('Cancel 450 notifications');
    await page.getByText(/^Cancelling: [24]00 of 450, .* left$/).waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByText(/^Stopped: [24]00 cancelled\.$/).waitFor();
    await confirm(/^Cancel (250|50) notifications$/);
    await page.getByText(/^Done: (250|50) cancelled\.$/).waitFor();
    await page.getByText('No notifications match these filters.').waitFor(); // the list is read again

    await go('/test/notifications?status=failed');
    await page.getByRole('button', { name: 'Resend all that match…' }).click();
    await dialog.getByText('these are all notifications with this status').waitFor();
    await dialog.getByText('refused@sandbox.test').first().waitFor();
    await screenshot(page, 'notifications-bulk');
    await dialog.getByRole('button', { name: /^Resend \d+ notifications?$/ }).click();
    await page.getByText(/^Done: \d+ resent/).waitFor();
    expect(complaints).toEqual([]);
    expect(await inspect(host, '/test/notifications?status=failed', 'notifications-failed')).toEqual([]);
  }, 120_000);

  test('the pages look right everywhere', async () => {
    const long = `${'very-long-name-'.repeat(4)}@${'sub.'.repeat(12)}example.com`;
    await send({
      recipient: { address: long, name: 'رنا '.repeat(20) },
      subject: `مرحبا ${'long '.repeat(60)}`,
    });
    const refusedOnce = await send({ recipient: { address: 'refused-once@sandbox.test' }, subject: 'Twice' });
    await ended(refusedOnce.id, 'delivered');
    expect(await inspect(host, '/test/notifications', 'notifications')).toEqual([]);
    expect(quiet(await inspect(host, `/test/notifications/${ids.email}`, 'notification-email'))).toEqual([]);
    expect(await inspect(host, `/test/notifications/${ids.chatone}`, 'notification-chatone')).toEqual([]);
    expect(await inspect(host, `/test/notifications/${refusedOnce.id}`, 'notification-retried')).toEqual([]);
    expect(await inspect(host, '/live/notifications', 'notifications-empty')).toEqual([]);
  }, 240_000);
});
