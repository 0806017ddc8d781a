import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../../server/test/harness/app.ts';
import { createPerson, password } from '../../server/test/harness/people.ts';
import { startWebhookSink, type WebhookSink } from '../../server/test/simulators/webhook-sink.ts';
import { axeFindings } from './axe.ts';
import { chromiumPath, type DashboardHost, inspect, screenshot, startDashboard } from './dashboard.ts';

describe.skipIf(!chromiumPath)('webhooks', () => {
  let host: DashboardHost;
  let sink: WebhookSink;
  beforeAll(async () => {
    host = await startDashboard();
    sink = await startWebhookSink();
    sink.reply = ({ path }) => {
      if (path === '/gone') return 410;
      if (!path.startsWith('/broken')) return 204;
      // It is not asked again while a test is about to do that by hand.
      const headers = { 'retry-after': '3600' };
      return { status: 500, headers, body: '<script>alert(1)</script> no database' };
    };
  }, 300_000);
  afterAll(async () => {
    await sink?.stop();
    await host?.stop();
  });

  const create = async (path: string, more: object = {}) => {
    const { status, body } = await host.app.request('POST', '/v1/webhook-endpoints', {
      body: { url: sink.url(path), event_filters: ['webhook.nothing'], ...more },
    });
    expect(status).toBe(201);
    return body;
  };
  const read = async (id: string, rest = '') =>
    (await host.app.request('GET', `/v1/webhook-endpoints/${id}${rest}`)).body;
  const until = (id: string, rest: string, isSo: (body: Awaited<ReturnType<typeof read>>) => boolean) =>
    waitUntil(async () => {
      const body = await read(id, rest);
      return isSo(body) ? body : new Error(JSON.stringify(body));
    }, 20_000);

  test('an endpoint is added with the events it wants, and its secret is shown once', async () => {
    const { page, complaints } = await host.open('/test/webhooks');
    await page.getByText('No endpoints yet').waitFor();
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    const dialog = page.getByRole('dialog');
    const submit = dialog.getByRole('button', { name: 'Create' });
    await dialog.getByLabel('URL').fill('ftp://example.com');
    await dialog.getByLabel('Description').fill('Orders');
    await dialog.getByLabel('Selected events').check();
    await dialog.getByLabel('Timeout (seconds)').fill('99');
    await submit.click();
    await dialog.getByText('Select at least one event').waitFor();
    await dialog.getByText('Enter a whole number from 1 to 30.').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await screenshot(page, 'webhook-new');
    await dialog.getByLabel('Timeout (seconds)').fill('7');
    await dialog.getByLabel('notification.bounced').check();
    await dialog.getByLabel('Other types').fill('order.paid, Not A Type');
    await submit.click();
    await dialog.getByRole('alert').first().waitFor();
    await dialog.getByLabel('Other types').fill('order.paid');
    await dialog.getByLabel('URL').fill(sink.url('/orders'));
    await submit.click();

    await dialog.getByText('This is shown only once').waitFor();
    const secret = await dialog
      .locator('code')
      .filter({ hasText: /^whsec_/ })
      .innerText();
    await dialog.getByRole('tab', { name: 'Python' }).click();
    expect(await dialog.getByLabel('Verify a signature with Python').innerText()).toContain('webhook.verify');
    expect(await axeFindings(page)).toEqual([]);
    await screenshot(page, 'webhook-secret');
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.waitForURL(/\/test\/webhooks\/[0-9a-f-]{36}$/);
    const made = await read(page.url().split('/').at(-1) ?? '');
    expect(made).toMatchObject({
      url: sink.url('/orders'),
      description: 'Orders',
      event_filters: ['notification.bounced', 'order.paid'],
      timeout_seconds: 7,
      signing_secret_prefix: secret.slice(0, 8),
    });
    await page.getByRole('heading', { name: 'Orders' }).waitFor();
    expect(await page.getByText(secret).count()).toBe(0);
    // The browser itself reports the refusals.
    expect(complaints.filter((each) => !each.includes('400'))).toEqual([]);
  }, 120_000);

  test('a test is followed to its answer, good or bad, and tried again from its page', async () => {
    const { id } = await create('/broken/until-mended');
    const { page, complaints } = await host.open(`/test/webhooks/${id}`);
    await page.getByText('No deliveries yet').waitFor();
    await page.getByRole('button', { name: 'Send test' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The receiver returned 500').waitFor();
    await screenshot(page, 'webhook-test');
    await dialog.getByRole('link', { name: 'Open delivery' }).click();
    await page.waitForURL('**/deliveries/*');
    await page.getByRole('heading', { name: 'webhook.test' }).waitFor();
    const attempts = page.getByRole('table', { name: 'Attempts, newest first' });
    await attempts.getByText('Show response').first().click();
    await attempts.getByText('<script>alert(1)</script> no database').first().waitFor();
    await screenshot(page, 'webhook-delivery-failed');
    expect(await page.getByLabel('The request as curl').innerText()).toContain(
      sink.url('/broken/until-mended'),
    );
    expect(await page.getByLabel('Request body as JSON').innerText()).toContain('"webhook.test"');

    const deliveryId = page.url().split('/').at(-1) ?? '';
    await until(id, `/deliveries/${deliveryId}`, ({ status }) => status === 'pending');
    sink.reply = () => ({ status: 200, body: 'thank you' });
    await page.getByRole('button', { name: 'Retry now' }).click();
    await page.getByRole('main').getByText('Succeeded').first().waitFor();
    await attempts.getByText('thank you').first().waitFor({ state: 'attached' });
    // Where the click takes five seconds to arrive, the retry that was due comes first: the click then makes another call, or is
    // refused while that one is under way.
    await until(id, `/deliveries/${deliveryId}`, ({ status }) => status === 'succeeded');
    sink.reply = ({ path }) => (path === '/gone' ? 410 : path.startsWith('/broken') ? 500 : 204);
    expect(complaints.filter((each) => !each.includes('409'))).toEqual([]);
  }, 120_000);

  test('an endpoint is edited, paused, resumed, given a new secret, and disabled', async () => {
    const { id, signing_secret_prefix } = await create('/changes', { description: 'Before' });
    const { page, complaints } = await host.open(`/test/webhooks/${id}`);
    const menu = async (name: string) => {
      await page.getByRole('main').getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name }).click();
    };
    const dialog = page.getByRole('dialog');

    await menu('Edit');
    await dialog.getByLabel('Description').fill('After');
    await dialog.getByLabel('All events').check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'After' }).waitFor();
    expect(await read(id)).toMatchObject({ description: 'After', event_filters: [] });

    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused: deliveries wait').waitFor();
    expect((await read(id)).status).toBe('paused');
    await host.app.request('POST', '/v1/notifications', {
      body: { channel: 'in_app', recipient: { external_user_id: 'ada' }, text_body: 'Hi', subject: 'Hi' },
    });
    await until(id, '', (endpoint) => endpoint.paused_delivery_count > 0);
    await page.reload();
    await page.getByText('waiting.').waitFor();
    await page.getByRole('table', { name: 'Deliveries' }).getByText('Paused').first().waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await dialog.getByText('waiting.').waitFor();
    await dialog.getByLabel('Discard them instead').check();
    await screenshot(page, 'webhook-resume');
    expect(await axeFindings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Discard and resume' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    expect((await read(id)).paused_delivery_count).toBe(0);
    expect((await read(id)).status).toBe('active');

    await menu('Rotate secret');
    await dialog.getByText('for 24 hours').waitFor();
    await dialog.getByRole('button', { name: 'Rotate' }).click();
    const secret = await dialog
      .locator('code')
      .filter({ hasText: /^whsec_/ })
      .innerText();
    await dialog.getByRole('button', { name: 'Done' }).click();
    const { signing_secret_prefix: prefix } = await read(id);
    expect(prefix).toBe(secret.slice(0, 8));
    expect(prefix).not.toBe(signing_secret_prefix);

    await menu('Disable');
    await dialog.getByRole('button', { name: 'Disable' }).click();
    await page.getByText('Disabled: no events are delivered').waitFor();
    expect((await read(id)).status).toBe('disabled');
    await page.getByRole('link', { name: 'Webhooks' }).first().click();
    await page.getByLabel('Show disabled').check();
    await page.getByRole('link', { name: sink.url('/changes') }).waitFor();
    expect(complaints).toEqual([]);
  }, 120_000);

  test('what the service disabled says why, and what failed is recovered', async () => {
    const { id } = await create('/gone');
    await host.app.request('POST', `/v1/webhook-endpoints/${id}/send-test`);
    await until(id, '', ({ status }) => status === 'auto_disabled');
    const { page, complaints } = await host.open(`/test/webhooks/${id}?status=permanent_failure`);
    await page.getByText('the endpoint responded 410 Gone').waitFor();
    const table = page.getByRole('table', { name: 'Deliveries' });
    await table.getByText('Failed permanently').waitFor();
    await page.getByLabel('Event', { exact: true }).selectOption('notification.sent');
    await page.getByText('No deliveries match.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).first().click();
    await table.getByText('Failed permanently').waitFor();

    sink.reply = () => 204;
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.getByRole('main').getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Retry failed deliveries' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Since').fill('');
    await dialog.getByRole('button', { name: 'Retry' }).click();
    await dialog.getByText('Enter a date and time.').waitFor();
    await dialog.getByLabel('Since').fill('2020-01-01T00:00');
    await dialog.getByRole('button', { name: 'Retry' }).click();
    await page.getByText('Retrying 1 delivery.').waitFor();
    await table.getByText('Succeeded').waitFor({ timeout: 30_000 });
    expect(complaints).toEqual([]);
  }, 120_000);

  test('a viewer looks and changes nothing; what is not there says so', async () => {
    await create('/viewed', { description: 'Looked at' });
    const { rows } = await host.app.pool.query('select organization_id from environments limit 1');
    const organizationId = rows[0].organization_id;
    const { email } = await createPerson(host.app, [{ organizationId, role: 'viewer' }]);
    const { page, go } = await host.open('/test/webhooks', { as: { email, password } });
    await page.getByRole('link', { name: sink.url('/viewed') }).click();
    await page.getByText('Your role has read-only access').waitFor();
    expect(await page.getByRole('button', { name: /Pause|Send a test|More/ }).count()).toBe(0);
    await go('/test/webhooks/0198c3a1-5a0e-7c4e-9d3b-2f6a1b7c8d9e');
    await page.getByText('Not found.').waitFor();
  }, 90_000);

  test('a delivery leads to what it is about; the pages look right everywhere', async () => {
    sink.reply = ({ path }) => (path.startsWith('/broken') ? { status: 503, body: 'upstream is away' } : 204);
    const everything = { event_filters: [] };
    const well = await create('/well', { ...everything, description: 'שירות ההזמנות' });
    await create(`/broken/${'with-a-very-long-path-that-goes-on/'.repeat(8)}`, {
      ...everything,
      description: 'A description that is far longer than anybody would want to read in a list. '.repeat(3),
    });
    for (const address of ['delivered@sandbox.test', 'bounced@sandbox.test', 'refused@sandbox.test']) {
      await host.app.request('POST', '/v1/notifications', {
        body: { channel: 'email', recipient: { address }, subject: 'Hello', text_body: 'It works.' },
      });
    }
    const { data } = await until(
      well.id,
      '/deliveries?status=succeeded&event_type=notification.bounced',
      (body) => body.data.length === 1,
    );
    await host.app.deps.activity.flush();
    const { page } = await host.open(`/test/webhooks/${well.id}/deliveries/${data[0].id}`);
    await page.getByRole('link', { name: 'Notification', exact: true }).click();
    await page.waitForURL(/\/test\/notifications\/[0-9a-f-]{36}$/);
    expect(await inspect(host, '/test/webhooks?disabled=shown', 'webhooks')).toEqual([]);
    const row = (path: string) => page.getByRole('row').filter({ hasText: sink.url(path) });
    await row('/broken/with').getByText('Failing').waitFor();
    await row('/well').getByText('Active').waitFor();
    expect(await inspect(host, `/test/webhooks/${well.id}`, 'webhook')).toEqual([]);
    expect(
      await inspect(host, `/test/webhooks/${well.id}/deliveries/${data[0].id}`, 'webhook-delivery'),
    ).toEqual([]);
  }, 240_000);
});
