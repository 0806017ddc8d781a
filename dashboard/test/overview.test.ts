import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../../server/test/harness/app.ts';
import { startWebhookSink, type WebhookSink } from '../../server/test/simulators/webhook-sink.ts';
import { chromiumPath, type DashboardHost, inspect, settled, startDashboard } from './dashboard.ts';

describe.skipIf(!chromiumPath)('the overview', () => {
  let host: DashboardHost;
  let sink: WebhookSink;
  beforeAll(async () => {
    host = await startDashboard();
    sink = await startWebhookSink();
  }, 300_000);
  afterAll(async () => {
    await sink?.stop();
    await host?.stop();
  });

  const email = (address: string) => ({
    channel: 'email',
    recipient: { address },
    subject: 'Hello',
    text_body: 'It works.',
  });
  const send = async (body: object) => {
    const answer = await host.app.request('POST', '/v1/notifications', { body });
    expect(answer.status).toBe(202);
  };
  const totals = async () => {
    await host.app.deps.activity.flush();
    return (await host.app.request('GET', '/v1/overview')).body.totals;
  };

  test('of an environment that never sent anything leads to the first steps', async () => {
    const { page, complaints } = await host.open('/live/overview');
    await page.getByText('No notifications yet').waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Get started' }).click();
    await page.waitForURL('**/live/start');
    expect(complaints).toEqual([]);
  }, 90_000);

  test('leads from each number to the list behind it', async () => {
    await makeTraffic();
    const prices = [{ channel: 'sms', price_micros: 75_000 }];
    await host.app.request('PUT', '/v1/prices', { body: { currency: 'EUR', prices } });
    const { page, complaints } = await host.open('/test/overview');
    await page.getByRole('heading', { name: 'Estimated cost' }).waitFor();
    await page.getByRole('link', { name: '€0.00' }).waitFor();
    const search = () => new URL(page.url()).searchParams;
    const tile = (name: string) => page.getByRole('list', { name: 'Totals' }).getByRole('link', { name });
    expect(await tile('Bounced').innerText()).toContain(String((await totals()).bounced));

    await tile('Failed').click();
    await page.waitForURL('**/test/notifications?**');
    expect(search().get('status')).toBe('failed');
    expect(Date.parse(search().get('created_after') ?? '')).toBeLessThan(Date.now());
    await page.goBack();
    await settled(page);

    await page.getByText('By channel').click();
    await page.getByRole('img', { name: 'Accepted notifications by channel' }).waitFor();
    await page.getByText('24 hours', { exact: true }).click();
    await page.getByText('10 min per bar.').waitFor();
    expect(Object.fromEntries(search())).toEqual({ by: 'channel', window: '24h' });
    await page.reload();
    await page.getByText('10 min per bar.').waitFor();

    const channels = page.getByRole('table', { name: 'Notifications by channel' });
    const sms = channels.getByRole('row').filter({ hasText: 'SMS' });
    await sms.getByRole('link').first().click();
    await page.waitForURL('**/test/notifications?**');
    expect(search().get('channel')).toBe('sms');
    await page.goBack();
    await settled(page);

    const reasons = page.getByRole('table', { name: 'Failure reasons' });
    const held = reasons.getByRole('row').filter({ hasText: 'Manual add' });
    await held.getByRole('link', { name: 'Open latest' }).click();
    await page.waitForURL(/\/test\/notifications\/[0-9a-f-]{36}$/);
    await page.goBack();
    await settled(page);
    await page.getByRole('list', { name: 'Webhook endpoint health' }).getByRole('link').first().click();
    await page.waitForURL(/\/test\/webhooks\/[0-9a-f-]{36}$/);
    expect(complaints).toEqual([]);
  }, 120_000);

  test('moves by itself', async () => {
    const { page } = await host.open('/test/overview');
    const accepted = page.getByRole('list', { name: 'Totals' }).getByRole('link', { name: 'Accepted' });
    const before = (await totals()).accepted;
    await send(email('delivered@sandbox.test'));
    await waitUntil(
      async () => ((await totals()).accepted > before ? true : new Error('not counted yet')),
      20_000,
    );
    await accepted.filter({ hasText: String(before + 1) }).waitFor({ timeout: 30_000 });
  }, 90_000);

  test('says that the service cannot answer, and tries again when told', async () => {
    const { page, go } = await host.open('/test/start', { fresh: true });
    await page.route('**/v1/overview*', (route) => route.fulfill({ status: 500, json: {} }));
    await go('/test/overview');
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).waitFor();
    await page.unroute('**/v1/overview*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('list', { name: 'Totals' }).waitFor();
    await page.context().close();
  }, 90_000);

  test('names failed notifications without a recorded reason', async () => {
    const { app } = host;
    await send(email('refused@sandbox.test'));
    await waitUntil(async () => {
      const { rowCount } = await app.pool.query(
        "update notifications set last_error = null where status = 'failed' and environment_id = $1",
        [app.testEnvironmentId],
      );
      return rowCount === 2 ? true : new Error('not failed yet');
    }, 30_000);
    const { page } = await host.open('/test/overview');
    const reasons = page.getByRole('table', { name: 'Failure reasons' });
    const row = reasons.getByRole('row').filter({ hasText: 'Unknown reason' });
    expect(await row.innerText()).toContain('2');
  }, 90_000);

  test('looks right everywhere', async () => {
    expect(await inspect(host, '/test/overview', 'overview')).toEqual([]);
  }, 120_000);

  test('looks right in Live, with providers that are well and not', async () => {
    const { app } = host;
    const saved = await app.request('PUT', `/v1/environments/${app.liveEnvironmentId}/email-settings`, {
      key: app.liveKey,
      body: {
        from_address: 'hello@acme.example',
        providers: [
          { kind: 'smtp', name: 'Primary relay', config: { host: 'mail.acme.example', port: 587 } },
          {
            kind: 'smtp',
            name: 'spare-relay-in-another-country-with-a-long-name',
            config: { host: 'mail2.acme.example', port: 587 },
          },
        ],
      },
    });
    expect(saved.status).toBe(200);
    await app.pool.query(
      `insert into provider_pauses (environment_id, pace, paused_at, paused_until, strikes, since, provider)
       values ($1, 'email:smtp:abc', now(), now() + interval '1 hour', 1, now(), $2)`,
      [app.liveEnvironmentId, saved.body.providers[1].id],
    );
    await app.request('PUT', `/v1/environments/${app.liveEnvironmentId}/push-settings`, {
      key: app.liveKey,
      body: { web_push: { contact: 'ops@acme.example' } },
    });
    const later = new Date(Date.now() + 3_600_000).toISOString();
    await app.request('POST', '/v1/notifications', {
      key: app.liveKey,
      body: { ...email('somebody@example.com'), send_at: later },
    });
    for (const [outcome, count] of Object.entries({
      accepted: 25,
      sent: 20,
      failed: 3,
      bounced: 1,
      suppressed: 1,
    })) {
      for (let each = 0; each < count; each += 1) {
        app.deps.activity.count(app.liveEnvironmentId, 'email', outcome as 'sent');
      }
    }
    await app.deps.activity.flush();
    const { page } = await host.open('/live/overview');
    // Notifications that were accepted before the period failed in it: their reasons are not listed, and not all arrived.
    await page.getByText('No failure reasons for this period').waitFor();
    expect(await page.getByText('No failures').count()).toBe(0);
    await page.getByRole('list', { name: 'Provider health' }).getByText('Primary relay').waitFor();
    await page.getByText('Rate limited until').waitFor();
    const push = page.getByRole('link', { name: /^Web push/ });
    expect(await push.getAttribute('href')).toBe('/live/connections/push');
    // A provider that reports no deliveries: what it took is sent, and the figures add up.
    const tile = page.getByRole('list', { name: 'Totals' }).getByRole('link');
    const figure = async (name: string) =>
      Number((await tile.filter({ hasText: name }).innerText()).split('\n')[1]);
    const parts = await Promise.all(['Sent', 'Delivered', 'Failed', 'Bounced', 'Suppressed'].map(figure));
    expect(parts).toEqual([20, 0, 3, 1, 1]);
    expect(await figure('Accepted')).toBe(25 + 1); // and one for later
    expect(await tile.filter({ hasText: 'Sent' }).getAttribute('href')).toContain('status=sent');
    expect(await inspect(host, '/live/overview', 'overview-live')).toEqual([]);
  }, 120_000);

  /** Something of every kind: four channels, all ends, endpoints that work and one that does not; spread over the hour. */
  async function makeTraffic(): Promise<void> {
    const { app } = host;
    sink.reply = ({ path }) => (path === '/broken' ? { status: 500, body: 'no database' } : 204);
    for (const [path, description] of [
      ['/well', 'Order service'],
      ['/broken', ''],
    ]) {
      await app.request('POST', '/v1/webhook-endpoints', { body: { url: sink.url(path), description } });
    }
    await app.request('POST', '/v1/suppressions', { body: { address: 'nobody@example.com' } });
    for (const address of ['bounced@sandbox.test', 'refused@sandbox.test', 'nobody@example.com']) {
      await send(email(address));
    }
    await send(email('complained@sandbox.test'));
    for (let count = 0; count < 12; count += 1) await send(email(`user${count}@example.com`));
    for (let count = 0; count < 5; count += 1) {
      await send({ channel: 'sms', recipient: { address: '+15005550006' }, text_body: 'Hi' });
      await send({
        channel: 'in_app',
        recipient: { external_user_id: 'ada' },
        subject: 'Hi',
        html_body: '<p>Hi</p>',
      });
    }
    await waitUntil(async () => {
      const { bounced, failed, suppressed, delivered } = await totals();
      const isDone = bounced === 1 && failed === 1 && suppressed === 1 && delivered >= 23;
      return isDone ? true : new Error(JSON.stringify({ bounced, failed, suppressed, delivered }));
    }, 30_000);
    await waitUntil(async () => {
      await app.deps.activity.flush();
      const { webhooks } = (await app.request('GET', '/v1/overview')).body;
      return webhooks.length === 2 ? true : new Error('the endpoints were not called yet');
    }, 30_000);
    // The same again some steps earlier, so that there is a course to look at.
    for (const steps of [4, 9, 11, 17, 23, 24, 31, 38, 47, 52]) {
      await app.pool.query(
        `insert into activity
         select environment_id, step, at - make_interval(secs => step * $1::int), channel, accepted * $2::int, sent * $2::int,
           delivered * $2::int, failed, suppressed, bounced, complained, retried, latency
         from activity where at > now() - make_interval(secs => 3 * step) on conflict do nothing`,
        [steps, (steps % 4) + 1],
      );
    }
  }
});
