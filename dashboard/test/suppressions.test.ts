import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../../server/test/harness/app.ts';
import { axeFindings } from './axe.ts';
import { chromiumPath, type DashboardHost, inspect, screenshot, startDashboard } from './dashboard.ts';
import { addPerson } from './people.ts';

describe.skipIf(!chromiumPath)('suppressions', () => {
  let host: DashboardHost;
  const find = (address: string) =>
    host.app.request('GET', `/v1/suppressions/${encodeURIComponent(address)}`);
  beforeAll(async () => {
    host = await startDashboard();
  }, 120_000);
  afterAll(() => host?.stop());

  test('an address is added once, with its faults said beside it', async () => {
    const { page } = await host.open('/test/suppressions');
    await page.getByText('No suppressed addresses').waitFor();
    const dialog = page.getByRole('dialog');
    const opener = page.getByRole('button', { name: 'Add address' });
    // By keyboard: into the first field, one Escape out, and back to where it was.
    await opener.press('Enter');
    await page.keyboard.type('somebody');
    expect(await dialog.getByLabel('Email address or phone number').inputValue()).toBe('somebody');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.locator(':focus', { hasText: 'Add address' }).waitFor();
    const add = async (address: string) => {
      await opener.click();
      await dialog.getByLabel('Email address or phone number').fill(address);
      await dialog.getByRole('button', { name: 'Suppress', exact: true }).click();
    };
    await add('nonsense');
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Email address or phone number').fill('Spam-Trap@Example.com');
    await dialog.getByLabel('Reason').selectOption('Complaint');
    await dialog.getByRole('button', { name: 'Suppress', exact: true }).click();
    await page.getByText('spam-trap@example.com is suppressed.').waitFor();
    expect((await find('spam-trap@example.com')).body).toMatchObject({
      reason: 'complaint',
      source: 'manual',
    });
    await add('spam-trap@example.com');
    await page.getByText('was already suppressed').waitFor();
  }, 90_000);

  test('what bounced leads to its notification, and is removed only after a warning', async () => {
    const sent = await host.app.request('POST', '/v1/notifications', {
      body: {
        channel: 'email',
        recipient: { address: 'no-such-user+shop@sandbox.test' },
        subject: 'Hello',
        text_body: 'Hi',
      },
    });
    await waitUntil(async () => {
      const { status } = await find('no-such-user+shop@sandbox.test');
      return status === 200 ? status : new Error(`still ${status}`);
    }, 30_000);
    const { page, complaints } = await host.open('/test/suppressions');
    await page.getByLabel('Reason').selectOption('Hard bounce');
    await page.waitForURL('**reason=hard_bounce');
    await page.getByRole('button', { name: 'Details for no-such-user+shop@sandbox.test' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('550 5.1.1').waitFor();
    expect(await dialog.getByRole('link', { name: 'Open notification' }).getAttribute('href')).toBe(
      `/test/notifications/${sent.body.id}`,
    );
    await dialog.getByRole('button', { name: 'Remove…' }).click();
    await dialog.getByText('This address had a hard bounce.').waitFor();
    await dialog.getByLabel('Reason for removal').fill('The mailbox is back.');
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('No suppressed addresses match.').waitFor();
    expect((await find('no-such-user+shop@sandbox.test')).status).toBe(404);
    const log = await host.app.request('GET', '/v1/audit-log?action=suppression.removed');
    expect(log.body.data[0].after).toEqual({ note: 'The mailbox is back.' });
    expect(complaints).toEqual([]);
  }, 90_000);

  test('what cannot be read says so, and is read again on request', async () => {
    const { page } = await host.open('/test/overview');
    await page.route('**/v1/suppressions**', (route) =>
      route.fulfill({ status: 500, contentType: 'application/json', body: '{}' }),
    );
    await page.getByRole('link', { name: 'Suppressions' }).click();
    const retry = page.getByRole('button', { name: 'Try again' });
    await retry.waitFor();
    await page.unroute('**/v1/suppressions**');
    await retry.click();
    await page.getByRole('button', { name: 'Details for spam-trap@example.com' }).waitFor();
  }, 90_000);

  test('somebody who may only look can neither add nor remove', async () => {
    const viewer = await addPerson(host.app, { email: 'viewer@acme.example', name: 'Vera', role: 'viewer' });
    const { page } = await host.open('/test/suppressions', { as: viewer });
    await page.getByText('Your role has read-only access.').waitFor();
    expect(await page.getByRole('button', { name: 'Add address' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Details for spam-trap@example.com' }).click();
    await page.getByRole('dialog').getByText('No response recorded.').waitFor();
    expect(await page.getByRole('button', { name: 'Remove…' }).count()).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    await screenshot(page, 'suppressions-details-dialog');
  }, 90_000);

  test('the page looks right everywhere', async () => {
    for (const address of [
      'bounced+shop@sandbox.test',
      'complained+shop@sandbox.test',
      'no-such-user+shop@sandbox.test',
    ]) {
      await host.app.request('POST', '/v1/notifications', {
        body: { channel: 'email', recipient: { address }, subject: 'Hello', text_body: 'Hi' },
      });
    }
    for (const body of [
      { address: '+14155550123', reason: 'unsubscribed' },
      { address: 'a.very.long.address.of.somebody.with.many.names@department.of.long.names.example.com' },
    ]) {
      await host.app.request('POST', '/v1/suppressions', { body });
    }
    await waitUntil(async () => {
      const { status } = await find('complained+shop@sandbox.test');
      return status === 200 ? status : new Error(`still ${status}`);
    }, 30_000);
    expect(await inspect(host, '/test/suppressions', 'suppressions')).toEqual([]);
  }, 120_000);

  test('the list is searched by the beginning of an address and grows page by page', async () => {
    for (let number = 0; number < 60; number += 1) {
      await host.app.request('POST', '/v1/suppressions', { body: { address: `load${number}@example.com` } });
    }
    const { page } = await host.open('/test/suppressions?search=load');
    expect(await page.getByRole('searchbox').inputValue()).toBe('load');
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByRole('button', { name: 'Details for load0@example.com' }).waitFor();
    expect(await page.locator('[data-row]').count()).toBe(60);
    await page.getByRole('searchbox').fill('load59');
    await page.waitForURL('**search=load59');
    await expect.poll(() => page.locator('[data-row]').count(), { timeout: 20_000 }).toBe(1);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.waitForURL('**/test/suppressions');
  }, 90_000);
});
