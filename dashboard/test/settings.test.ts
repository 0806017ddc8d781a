import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, type DashboardHost, inspect, screenshot, startDashboard } from './dashboard.ts';
import { addPerson, organizationOf, sessionOf } from './people.ts';

describe.skipIf(!chromiumPath)('settings', () => {
  let host: DashboardHost;
  beforeAll(async () => {
    host = await startDashboard();
  }, 120_000);
  afterAll(() => host?.stop());

  async function listKeys(key = host.app.testKey) {
    return (await host.app.request('GET', '/v1/api-keys', { key })).body.data;
  }

  test('a key is created with chosen scopes, works, is rotated and revoked', async () => {
    const { page, complaints } = await host.open('/test/settings');
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByText('Enter a name.').waitFor();
    await dialog.getByLabel('Name').fill('nightly report');
    await dialog.getByLabel('Custom scopes').check();
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByText('Select at least one scope.').waitFor();
    await screenshot(page, 'settings-key-dialog');
    await dialog.getByRole('group', { name: 'Notifications' }).getByLabel('Read').check();
    await dialog.getByLabel('Expires').selectOption('In 90 days');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    const fresh = page.getByRole('dialog', { name: 'API key created' });
    const secret = (await fresh.locator('code').first().textContent()) ?? '';
    expect(await fresh.getByRole('region').textContent()).toContain(`Bearer ${secret}`);
    await screenshot(page, 'settings-key-made');
    await fresh.getByRole('button', { name: 'Done' }).click();

    const made = (await listKeys()).find((key: { name: string }) => key.name === 'nightly report');
    expect(made.scopes).toEqual(['notifications:read']);
    expect(Date.parse(made.expires_at) - Date.now()).toBeGreaterThan(89 * 86_400_000);
    expect((await host.app.request('GET', '/v1/notifications', { key: secret })).status).toBe(200);
    expect((await host.app.request('GET', '/v1/templates', { key: secret })).status).toBe(403);

    await page.getByRole('button', { name: 'Actions for nightly report' }).click();
    await page.getByRole('menuitem', { name: 'Rotate…' }).click();
    await page.getByLabel('Immediately (may have leaked)').check();
    await page.getByRole('button', { name: 'Rotate key' }).click();
    const next =
      (await page.getByRole('dialog', { name: 'API key created' }).locator('code').first().textContent()) ??
      '';
    await page.getByRole('button', { name: 'Done' }).click();
    expect((await host.app.request('GET', '/v1/notifications', { key: secret })).status).toBe(401);
    expect((await host.app.request('GET', '/v1/notifications', { key: next })).status).toBe(200);

    await page.getByRole('row', { name: `…${next.slice(-4)}` }).waitFor();
    await page.getByRole('button', { name: 'Actions for nightly report' }).click();
    await page.getByRole('menuitem', { name: 'Revoke…' }).click();
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await page.getByText('Revoked.').waitFor();
    expect((await host.app.request('GET', '/v1/notifications', { key: next })).status).toBe(401);
    expect(complaints).toEqual([]);
  }, 120_000);

  test('in Live a key is revoked only when its name is typed', async () => {
    const { liveKey } = host.app;
    await host.app.request('POST', '/v1/api-keys', {
      key: liveKey,
      body: { name: 'checkout', preset: 'send_only' },
    });
    const { page } = await host.open('/live/settings');
    await page.getByRole('button', { name: 'Actions for checkout' }).click();
    await page.getByRole('menuitem', { name: 'Revoke…' }).click();
    const revoke = page.getByRole('button', { name: 'Revoke key' });
    expect(await revoke.isDisabled()).toBe(true);
    await page.getByLabel('Type checkout to confirm').fill('checkout');
    await revoke.click();
    await page.getByText('Revoked.').waitFor();
    expect((await listKeys(liveKey)).map((key: { name: string }) => key.name)).not.toContain('checkout');
  }, 90_000);

  test('the inbox key and the webhook secret of the environment are rotated and shown once', async () => {
    const { page, complaints } = await host.open('/test/settings');
    await page.getByRole('button', { name: 'Rotate… Inbox signing key' }).click();
    await page.getByLabel('In 1 hour').check();
    await page.getByRole('button', { name: 'Rotate', exact: true }).click();
    const shown = page.getByRole('dialog', { name: 'New secret' });
    expect(((await shown.locator('code').first().textContent()) ?? '').length).toBeGreaterThan(20);
    await shown.getByText('Old secret valid until').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Rotate… Environment webhook secret' }).click();
    await page.getByRole('button', { name: 'Rotate', exact: true }).click();
    expect(await shown.locator('code').first().textContent()).toMatch(/^whsec_/);
    await page.getByRole('button', { name: 'Done' }).click();
    const { body } = await host.app.request('GET', '/v1/audit-log?limit=2');
    expect(body.data.map((entry: { action: string }) => entry.action)).toEqual([
      'webhook_secret.rotated',
      'inbox_key.rotated',
    ]);
    expect(complaints).toEqual([]);
  }, 90_000);

  test('somebody is invited, joins with the link, gets another role and is removed', async () => {
    const { app } = host;
    const organization = await organizationOf(app);
    const { page, complaints } = await host.open('/test/settings/team');
    await page.getByRole('button', { name: 'Invite' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Email').fill('not an address');
    await dialog.getByRole('button', { name: 'Create link' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Email').fill('grace@example.com');
    await dialog.getByLabel('Viewer').check();
    await dialog.getByRole('button', { name: 'Create link' }).click();
    await dialog.getByText('This link is shown only once.').waitFor();
    const link = new URL((await dialog.locator('pre').textContent()) ?? '');
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('row', { name: /grace@example.com/ }).waitFor();
    expect(complaints.filter((each) => !each.includes('400'))).toEqual([]);

    const path = `/invitation${link.hash}`;
    expect(await inspect(host, path, 'settings-invitation')).toEqual([]);
    const guest = await host.open(path, { as: null, fresh: true });
    await guest.page.getByRole('heading', { name: `Join ${organization.name}` }).waitFor();
    await guest.page.getByLabel('Your name').fill('Grace Hopper');
    await guest.page.getByLabel('Choose a password').fill('short');
    await guest.page.getByText('5 more characters required.').waitFor();
    await guest.page.getByLabel('Choose a password').fill('four words of hers');
    await guest.page.getByRole('button', { name: 'Accept and sign in' }).click();
    await guest.page.waitForURL('**/test/overview');
    await guest.page.getByRole('button', { name: `${organization.name}: Switch organization` }).waitFor();
    expect(guest.complaints).toEqual([]);

    const team = await host.open('/test/settings/team'); // again in `page`, the window of the owner
    await page.getByRole('button', { name: 'Actions for Grace Hopper' }).click();
    await page.getByRole('menuitem', { name: 'Change role…' }).click();
    await page.getByRole('dialog').getByLabel('Developer').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Role changed.').waitFor();
    const headers = await sessionOf(app);
    const members = async () =>
      (await app.request('GET', `/auth/organizations/${organization.id}/members`, { key: null, headers }))
        .body.data as { email: string; role: string }[];
    expect((await members()).find(({ email }) => email === 'grace@example.com')?.role).toBe('developer');

    await page.getByRole('button', { name: 'Actions for Grace Hopper' }).click();
    await page.getByRole('menuitem', { name: 'Remove…' }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('Removed.').waitFor();
    expect((await members()).map(({ email }) => email)).toEqual([app.adminEmail]);
    await guest.page.reload();
    await guest.page.getByRole('heading', { name: 'No organization' }).waitFor();

    // The link was used: whoever opens it again is told so.
    await guest.page.goto(`${host.url}/sign-in`);
    await guest.page.goto(`${host.url}${path}`);
    await guest.page.getByText('This invitation is no longer valid.').waitFor();
    await guest.page.goto(`${host.url}/invitation`);
    await guest.page.reload();
    await guest.page.getByText('Incomplete link').waitFor();
    expect(team.complaints).toEqual([]);
  }, 180_000);

  test('somebody with an account joins with its password; a withdrawn link says so', async () => {
    const { app } = host;
    const known = await addPerson(app, { email: 'known@example.com', name: 'Known', role: 'viewer' });
    const headers = await sessionOf(app);
    const second = (
      await app.request('POST', '/auth/organizations', { key: null, headers, body: { name: 'Second' } })
    ).body;
    const invite = async () => {
      const invitations = `/auth/organizations/${second.id}/invitations`;
      const { body } = await app.request('POST', invitations, {
        key: null,
        headers,
        body: { email: known.email, role: 'admin' },
      });
      return `/invitation#${body.accept_url.split('#')[1]}`;
    };
    const former = await invite();
    const { page, complaints, go } = await host.open(await invite(), { as: null, fresh: true });
    await page.getByLabel('I already have an account').check();
    await page.getByLabel('Your password').fill('wrong');
    await page.getByRole('button', { name: 'Accept and sign in' }).click();
    await page.getByText('Wrong password.').waitFor();
    await page.getByLabel('Your password').fill(known.password);
    await page.getByRole('button', { name: 'Accept and sign in' }).click();
    await page.getByRole('button', { name: 'Second: Switch organization' }).waitFor();
    expect(complaints.filter((each) => !each.includes('401'))).toEqual([]);
    await go('/sign-in');
    await go(former);
    await page.getByText('This invitation is no longer valid.').waitFor();
  }, 120_000);

  test('the only owner cannot leave, and is told what to do', async () => {
    const { page } = await host.open('/test/settings/team');
    await page.getByRole('row', { name: / You / }).getByRole('button').click();
    await page.getByRole('menuitem', { name: 'Leave…' }).click();
    await page.getByRole('button', { name: 'Leave', exact: true }).click();
    await page.getByText('Add another owner first.').waitFor();
  }, 90_000);

  test('the audit log shows who changed what, and is filtered in its address', async () => {
    const { app } = host;
    await app.request('POST', '/v1/templates', {
      body: { key: 'audit-me', name: 'Before', bodies: [{ channel: 'sms', text_template: 'Hello' }] },
    });
    await app.request('PATCH', '/v1/templates/audit-me', { body: { name: 'After <b>bold</b>' } });
    const { page, complaints, go } = await host.open('/test/settings/audit-log');
    const expectEntries = (count: number) =>
      expect.poll(() => page.locator('details').count(), { timeout: 20_000 }).toBe(count);
    await page.getByRole('group').filter({ hasText: 'Template updated' }).locator('summary').first().click();
    await page.locator('del', { hasText: 'Before' }).waitFor();
    await page.locator('ins', { hasText: 'After <b>bold</b>' }).waitFor();
    await screenshot(page, 'settings-audit-open');
    expect(await page.getByRole('link', { name: 'Open' }).getAttribute('href')).toBe(
      '/test/templates/audit-me',
    );
    await page.getByRole('button', { name: 'All changes to this target' }).click();
    await page.waitForURL('**/audit-log?target=template*');
    await expectEntries(2);
    await page.getByLabel('Action').selectOption('Template created');
    await expectEntries(1);
    await page.reload();
    await expectEntries(1);
    await page.getByLabel('To', { exact: true }).fill('2020-01-01');
    await page.getByText('No changes match').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).last().click();
    await page.locator('summary', { hasText: 'Organization created' }).waitFor();
    await go('/test/settings/audit-log?actor=not-an-id');
    await page.getByRole('alert').waitFor();
    expect(complaints.filter((each) => !each.includes('400'))).toEqual([]);
  }, 120_000);

  test('an organization is renamed; a new one is created and opened', async () => {
    const { app } = host;
    const { page, complaints } = await host.open('/test/settings/organization', { fresh: true });
    await page.getByLabel('Name', { exact: true }).fill('شركة الأجراس');
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByText('Renamed.').waitFor();
    expect((await organizationOf(app)).name).toBe('شركة الأجراس');
    await page.getByRole('button', { name: 'شركة الأجراس: Switch organization' }).click();
    await page.getByRole('menuitem', { name: 'New organization…' }).click();
    await page.getByLabel('Organization name').fill('Third');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.waitForURL('**/test/start');
    await page.getByRole('button', { name: 'Third: Switch organization' }).waitFor();
    const { body } = await app.request('GET', '/auth/me', { key: null, headers: await sessionOf(app) });
    expect(body.organizations.map((each: { name: string }) => each.name)).toContain('Third');
    expect(complaints).toEqual([]);
  }, 90_000);

  test('somebody changes their name and their password, which ends their other sessions', async () => {
    const { app } = host;
    const ada = await addPerson(app, { email: 'ada@example.com', name: 'Ada', role: 'developer' });
    const elsewhere = await sessionOf(app, ada);
    const { page, complaints } = await host.open('/test/settings/profile', { as: ada, fresh: true });
    await page.getByLabel('Name').fill('Ada Lovelace');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.getByRole('button', { name: 'Ada Lovelace: Your account' }).waitFor();
    await page.getByText('Another browser').first().waitFor();

    await page.getByLabel('Current password').fill('not it');
    await page.getByLabel('New password').fill('a longer sentence of mine');
    await page.getByText('Strong.').waitFor();
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('The current password is wrong.').waitFor();
    await page.getByLabel('Current password').fill(ada.password);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Password changed.').waitFor();
    await page.getByText('Another browser').first().waitFor({ state: 'detached' });
    expect((await app.request('GET', '/auth/me', { key: null, headers: elsewhere })).status).toBe(401);
    await sessionOf(app, { ...ada, password: 'a longer sentence of mine' });

    await page.reload();
    await page.getByRole('button', { name: /^Sign out session from/ }).click();
    await page.getByText('Session signed out.').waitFor();
    await page.getByLabel('Dark').check();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    expect(complaints.filter((each) => !each.includes('400'))).toEqual([]);
  }, 120_000);

  test('a developer is told why there are no keys, and whom to ask', async () => {
    const bob = await addPerson(host.app, { email: 'bob@example.com', name: 'Bob', role: 'developer' });
    const { page, complaints, go } = await host.open('/test/settings', { as: bob, fresh: true });
    await page.getByText('Only owners and admins can manage API keys.').waitFor();
    expect(await page.getByRole('button', { name: 'Create key' }).count()).toBe(0);
    await page.getByText('Your role here is Developer.').waitFor();
    await go('/test/settings/audit-log');
    await page.getByText('Only owners and admins can view the audit log.').waitFor();
    await go('/test/settings/team');
    await page.getByText('Only owners and admins can invite people and change roles.').waitFor();
    expect(await page.getByRole('button', { name: 'Invite' }).count()).toBe(0);
    expect(complaints).toEqual([]);
  }, 90_000);

  describe('every page looks right', () => {
    test.for([
      ['/test/settings', 'settings-keys'],
      ['/test/settings/team', 'settings-team'],
      ['/test/settings/audit-log', 'settings-audit'],
      ['/live/settings/usage', 'settings-usage'],
      ['/test/settings/organization', 'settings-organization'],
      ['/test/settings/profile', 'settings-profile'],
    ] as const)('%s', { timeout: 90_000 }, async ([path, name]) => {
      if (name === 'settings-usage') await sendInLive();
      expect(await inspect(host, path, name)).toEqual([]);
      if (name === 'settings-usage') expect(await shareDrawn('Email')).toBeCloseTo(5321 / 8402, 2);
    });

    /** How much of its bar the share of a channel fills. */
    async function shareDrawn(channel: string): Promise<number> {
      const { page } = await host.open('/live/settings/usage');
      const bar = `[...document.querySelectorAll('tr')].find((row) => row.innerText.includes('${channel}')).querySelector('[style^=width]')`;
      return page.evaluate<number>(`${bar}.offsetWidth / ${bar}.parentElement.offsetWidth`);
    }

    /** Counted as it would be by sends. */
    async function sendInLive() {
      const { rows } = await host.app.pool.query('select organization_id from environments where id = $1', [
        host.app.liveEnvironmentId,
      ]);
      await host.app.pool.query("update organizations set plan = 'free' where id = $1", [
        rows[0].organization_id,
      ]);
      for (const [channel, sends] of Object.entries({ email: 5321, sms: 640, in_app: 2410, webhook: 31 })) {
        await host.app.pool.query(
          `insert into usage_counters (organization_id, month, channel, shard, sends)
           values ($1, date_trunc('month', now() at time zone 'utc')::date, $2, 0, $3)`,
          [rows[0].organization_id, channel, sends],
        );
      }
    }
  });
});
