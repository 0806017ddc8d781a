import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { liquidFilters } from '../src/features/templates/liquid-names.ts';
import { chromiumPath, type DashboardHost, inspect, screenshot, startDashboard } from './dashboard.ts';
import { addPerson } from './people.ts';

const limitMs = 120_000;

describe.skipIf(!chromiumPath)('templates', () => {
  let host: DashboardHost;
  beforeAll(async () => {
    host = await startDashboard();
  }, limitMs);
  afterAll(() => host?.stop());

  const get = async (key: string) => (await host.app.request('GET', `/v1/templates/${key}`)).body;
  const email = (html: string, more: object = {}) => ({
    channel: 'email',
    subject_template: 'Hello {{ name }}',
    html_template: html,
    ...more,
  });
  async function create(key: string, bodies: object[] = [email('<p>Hello {{ name }}</p>')]): Promise<void> {
    const { status, body } = await host.app.request('POST', '/v1/templates', {
      body: { key, name: `The ${key}`, bodies },
    });
    expect([status, body.error]).toEqual([201, undefined]);
  }
  const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
  const message = (page: Page) => page.frameLocator('iframe[title="The message"]').locator('body');
  const saved = (page: Page, version: number) =>
    page.getByText(`Saved as version ${version}.`).first().waitFor();

  test(
    'the first template is made from the empty list, written with a live preview, and saved',
    async () => {
      const { page, complaints } = await host.open('/test/templates');
      await page.getByText('No templates yet').waitFor();
      await screenshot(page, 'templates-empty-desktop-light');
      await page.getByRole('button', { name: 'New template' }).first().click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('Order shipped');
      await expect.poll(() => dialog.getByLabel('Key').inputValue()).toBe('order-shipped');
      await dialog.getByRole('button', { name: 'Create' }).click();
      await page.waitForURL('**/test/templates/order-shipped');
      await message(page).getByText('Hello Ada').waitFor();

      await field(page, 'Email · HTML').fill('<p>Dear {{ name | upcase }}</p>');
      await message(page).getByText('Dear ADA').waitFor();
      await field(page, 'Sample data').fill('{"name": "Grace"}');
      await message(page).getByText('Dear GRACE').waitFor();
      // The subject asks for an order that the sample data no longer has.
      await page.getByRole('button', { name: 'Add to sample data' }).click();
      await page.getByText('Your order number is on its way').waitFor();

      await field(page, 'Email · HTML').fill('<p>\n{% if name %}Dear {{ name }}</p>');
      await page.getByText('Showing the last valid preview.').waitFor();
      await page.getByRole('button', { name: 'Go to line 2' }).click();
      await expect.poll(() => page.locator('.cm-lintRange-error').count()).toBeGreaterThan(0);
      await page.keyboard.press('Control+s');
      await page.getByText('Not saved.').waitFor();
      await screenshot(page, 'templates-problem');
      expect((await get('order-shipped')).version).toBe(1);
      await page.getByRole('button', { name: 'Go to error' }).click();
      await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('Email · HTML');

      await field(page, 'Email · HTML').fill('<p>Dear {{ name }}</p>');
      await page.keyboard.press('Control+s');
      await saved(page, 2);
      expect((await get('order-shipped')).bodies[0].html_template).toBe('<p>Dear {{ name }}</p>');
      // The two refused requests are reported by the browser itself.
      expect(complaints.filter((each) => !each.includes('400'))).toEqual([]);
    },
    limitMs,
  );

  test(
    'variables, properties, filters and tags are completed, and Tab leaves the field',
    async () => {
      await create('completed');
      const { page, complaints } = await host.open('/test/templates/completed');
      await field(page, 'Sample data').fill('{"order": {"total": 7, "lines": [{"title": "A"}]}}');
      const html = field(page, 'Email · HTML');
      const options = page.locator('.cm-tooltip-autocomplete li');
      const typed = async (text: string, first: string) => {
        await html.fill('');
        await html.pressSequentially(text);
        await options
          .filter({ hasText: new RegExp(`^${first}`) })
          .first()
          .waitFor();
        await page.keyboard.press('Escape');
      };
      await typed('{{ or', 'order');
      await typed('{{ order.', 'total');
      await typed('{{ order.total | di', 'divided_by');
      await typed('{% as', 'assign');
      await html.fill('');
      await html.pressSequentially('{% for line in order.lines %}');
      expect(await html.innerText()).toBe('{% for line in order.lines %}');
      await page.keyboard.type('{{ line.');
      await options.filter({ hasText: 'title' }).first().waitFor();
      await screenshot(page, 'templates-completion');
      await options.filter({ hasText: 'title' }).first().click();
      await expect.poll(() => html.innerText()).toContain('{{ line.title');
      await page.keyboard.press('Tab');
      await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).not.toBe('Email · HTML');
      await html.click();
      await page.keyboard.press('Control+f');
      await page.getByRole('searchbox', { name: 'Find' }).fill('LINE');
      await page.getByText('1 of 3').waitFor();
      expect(complaints.filter((each) => !each.includes('400'))).toEqual([]);
    },
    limitMs,
  );

  test(
    'every filter that is offered is one that the service has',
    async () => {
      const use = (filter: string) => `{{ a | ${filter}: "b", "c" }}`;
      for (const filter of liquidFilters) {
        const { body } = await host.app.request('POST', '/v1/templates/preview', {
          body: { channel: 'sms', text_template: `Hi${use(filter)}` },
        });
        expect(`${filter}: ${body.error?.message ?? ''}`).not.toContain('undefined filter');
      }
    },
    limitMs,
  );

  test(
    'channels and languages are added and removed',
    async () => {
      await create('channels');
      const { page, complaints } = await host.open('/test/templates/channels');
      for (const channel of ['SMS', 'In-app', 'Webhook', 'Slack', 'Microsoft Teams', 'Discord']) {
        await page.getByRole('tab', { name: 'Add channel' }).click();
        await page.getByRole('button', { name: `Add ${channel}`, exact: true }).click();
        await page.getByRole('tab', { name: channel, selected: true }).waitFor();
        await page.locator('[data-channel]').waitFor();
      }
      await page.getByRole('tab', { name: 'Email' }).click();
      await page.getByRole('button', { name: 'Add language' }).click();
      await page.getByLabel('Language tag').fill('not a tag');
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByText('Enter a language tag such as de or pt-BR.').waitFor();
      await page.getByLabel('Language tag').fill('ar');
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await field(page, 'Email · ar · Subject').fill('مرحبا {{ name }}');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await saved(page, 2);
      const { bodies } = await get('channels');
      expect(
        bodies.map((body: { channel: string; locale: string | null }) => [body.channel, body.locale]),
      ).toEqual([
        ['email', null],
        ['email', 'ar'],
        ['in_app', null],
        ['webhook', null],
        ['sms', null],
        ['chatone', null],
        ['chattwo', null],
        ['chatthree', null],
      ]);
      await page.getByRole('button', { name: 'Remove ar' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove ar' }).click();
      await page.getByRole('tab', { name: 'SMS' }).click();
      await page.getByText('1 segment').waitFor();
      await page.getByRole('button', { name: 'Remove SMS' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove SMS' }).click();
      await page.keyboard.press('Control+s');
      await saved(page, 3);
      expect((await get('channels')).body_channels).toEqual([
        'email',
        'in-app',
        'webhook',
        'chatone',
        'chattwo',
        'chatthree',
      ]);
      expect(complaints).toEqual([]);
    },
    limitMs,
  );

  test(
    'two people edit one template: theirs is shown beside mine, and I choose',
    async () => {
      await create('shared');
      const { page } = await host.open('/test/templates/shared');
      const theirs = (html: string) =>
        host.app.request('PATCH', '/v1/templates/shared', { body: { html_body_template: html } });
      await field(page, 'Email · HTML').fill('<p>Mine</p>');
      await theirs('<p>Theirs</p>');
      await page.keyboard.press('Control+s');
      const dialog = page.getByRole('dialog');
      await dialog.getByText('This template was changed').waitFor();
      await field(page, 'Email · HTML: Saved (version 2)').getByText('Theirs').waitFor();
      await field(page, 'Email · HTML: Yours (unsaved)').getByText('Mine').waitFor();
      await screenshot(page, 'templates-conflict-desktop-light');
      expect((await get('shared')).html_body_template).toBe('<p>Theirs</p>');
      await dialog.getByRole('button', { name: 'Keep editing' }).click();
      await page.keyboard.press('Control+s');
      await dialog.getByRole('button', { name: 'Overwrite with yours' }).click();
      await saved(page, 3);
      expect((await get('shared')).html_body_template).toBe('<p>Mine</p>');

      await field(page, 'Email · HTML').fill('<p>Mine again</p>');
      await theirs('<p>Theirs again</p>');
      await page.keyboard.press('Control+s');
      await dialog.getByRole('button', { name: 'Use saved version' }).click();
      await message(page).getByText('Theirs again').waitFor();
      await expect.poll(() => page.getByText('Unsaved changes', { exact: true }).count()).toBe(0);
    },
    limitMs,
  );

  test(
    'a session that ends and a reload in the middle of an edit lose nothing',
    async () => {
      await create('kept');
      const { page } = await host.open('/test/templates/kept', { fresh: true });
      await field(page, 'Email · HTML').fill('<p>Before the end</p>');
      await message(page).getByText('Before the end').waitFor();
      const out = await page.context().request.post(`${host.url}/auth/logout`, {
        headers: { 'x-carillon-csrf': '1' },
      });
      expect(out.ok()).toBe(true);
      await page.keyboard.press('Control+s');
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Session expired').waitFor();
      await dialog.getByLabel('Email').fill(host.app.adminEmail);
      await dialog.getByLabel('Password').fill(host.app.adminPassword);
      await dialog.getByRole('button', { name: 'Sign in' }).click();
      await saved(page, 2);
      expect((await get('kept')).html_body_template).toBe('<p>Before the end</p>');

      await field(page, 'Email · HTML').fill('<p>Before the reload</p>');
      await page.getByText('Unsaved changes', { exact: true }).waitFor();
      page.on('dialog', (question) => void question.accept());
      await page.reload();
      await page.getByText('Your unsaved changes were restored.').waitFor();
      await message(page).getByText('Before the reload').waitFor();
      await page.getByRole('link', { name: 'Templates' }).first().click();
      await page.getByRole('button', { name: 'Keep editing' }).click();
      await page.getByRole('button', { name: 'Discard changes' }).click();
      await message(page).getByText('Before the end').waitFor();

      // What is shown is not asked for again as time goes by.
      let previews = 0;
      page.on('request', (request) => {
        if (request.url().endsWith('/templates/preview')) previews += 1;
      });
      await page.clock.install();
      await field(page, 'Email · HTML').fill('<p>Once</p>');
      for (let seconds = 0; seconds < 5; seconds += 1) {
        await page.clock.runFor(1_000);
        await message(page).getByText('Once').waitFor();
      }
      expect(previews).toBe(1);
    },
    limitMs,
  );

  test(
    'versions are compared with the current one and restored',
    async () => {
      await create('history');
      for (const word of ['second', 'third']) {
        await host.app.request('PATCH', '/v1/templates/history', {
          body: { html_body_template: `<p>Hello {{ name }}, the ${word}</p>` },
        });
      }
      expect(
        await inspect(host, '/test/templates/history?tab=history&version=1', 'templates-versions'),
      ).toEqual([]);
      const { page, complaints } = await host.open('/test/templates/history?tab=history');
      await page.getByRole('button', { name: /Version 2/ }).click();
      await field(page, 'Email · HTML: Version 2').getByText('the second').waitFor();
      await page.getByRole('button', { name: 'Restore this version' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Restore this version' }).click();
      await page.getByText('Version 2 restored as version 4.').first().waitFor();
      expect(await get('history')).toMatchObject({
        version: 4,
        html_body_template: '<p>Hello {{ name }}, the second</p>',
      });
      expect(complaints).toEqual([]);
    },
    limitMs,
  );

  test(
    'when items ring is set beside the in-app body, and kept with the version',
    async () => {
      await create('ringing', [{ channel: 'in_app', text_template: 'Hi' }]);
      const { page, complaints } = await host.open('/test/templates/ringing');
      const push = page.getByLabel('Push', { exact: true });
      const save = page.getByRole('button', { name: 'Save', exact: true });
      await push.selectOption('When not seen in time');
      const seconds = page.getByLabel('Seconds until it rings');
      await seconds.fill('');
      await page.getByText('Enter a whole number from 1 to 86,400.').waitFor();
      expect(await save.isDisabled()).toBe(true);
      await seconds.fill('90');
      await save.click();
      await saved(page, 2);
      expect((await get('ringing')).push).toEqual({ mode: 'unseen', after_seconds: 90 });
      await push.selectOption('As the category says');
      await save.click();
      await saved(page, 3);
      expect((await get('ringing')).push).toBeNull();
      await page.getByRole('button', { name: 'Send test' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('User id').fill('ada');
      await dialog.getByLabel('Tags').fill('orders');
      const sent = page.waitForResponse('**/v1/notifications');
      await dialog.getByRole('button', { name: 'Send', exact: true }).click();
      expect(await (await sent).json()).toMatchObject({ channel: 'in_app', tags: ['orders'] });
      await dialog.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('tab', { name: 'History' }).click();
      await page.getByRole('button', { name: /Version 2/ }).click();
      await field(page, 'Push: Version 2').getByText('When not seen within 90 seconds').waitFor();
      expect(complaints).toEqual([]);
      expect(await inspect(host, '/test/templates/ringing', 'templates-in-app')).toEqual([]);
    },
    limitMs,
  );

  test(
    'a test is sent with the sample data and leads to its notification',
    async () => {
      await create('sent');
      const { page } = await host.open('/test/templates/sent');
      await field(page, 'Sample data').fill('{"name": "Lin"}');
      await page.getByRole('button', { name: 'Send test' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Email address').fill('nobody');
      await dialog.getByRole('button', { name: 'Send', exact: true }).click();
      await dialog.getByRole('alert').waitFor();
      await dialog.getByLabel('Email address').fill('lin@example.com');
      await dialog.getByRole('button', { name: 'Send', exact: true }).click();
      const href = await dialog.getByRole('link', { name: 'Open notification' }).getAttribute('href');
      const id = href?.split('/').at(-1) ?? '';
      const sent = await host.app.waitFor(id, ({ status }) => status === 'sent' || status === 'delivered');
      expect(sent).toMatchObject({ subject: 'Hello Lin', recipient: { address: 'lin@example.com' } });
    },
    limitMs,
  );

  test(
    'promotion shows the difference first, and then changes Live',
    async () => {
      await create('promoted');
      await host.app.request('POST', '/v1/templates/promoted/promote');
      await host.app.request('PATCH', '/v1/templates/promoted', {
        body: { html_body_template: '<p>Better, {{ name }}</p>' },
      });
      const { page, complaints } = await host.open('/test/templates/promoted');
      await page.getByRole('button', { name: 'Promote to Live' }).click();
      await field(page, 'Email · HTML: Live now').getByText('Hello').waitFor();
      await field(page, 'Email · HTML: After').getByText('Better').waitFor();
      await screenshot(page, 'templates-promote-desktop-light');
      await page.getByRole('button', { name: 'Promote', exact: true }).click();
      await page.getByText('Promoted to Live.').first().waitFor();
      const live = await host.app.request('GET', '/v1/templates/promoted', { key: host.app.liveKey });
      expect(live.body.html_body_template).toBe('<p>Better, {{ name }}</p>');
      expect(complaints).toEqual([]);
    },
    limitMs,
  );

  test(
    'a template is deleted after a question; one that a workflow uses says which',
    async () => {
      await create('used');
      await create('unused');
      const recipient = { address: 'a@example.com' };
      const steps = [{ id: 'mail', kind: 'send', channel: 'email', recipient, template_key: 'used' }];
      for (const [path, body] of [
        ['', { key: 'welcome_flow', name: 'Welcome flow' }],
        ['/welcome_flow/versions', { body: { steps } }],
        ['/welcome_flow/versions/1/activate', {}],
      ] as const) {
        const made = await host.app.request('POST', `/v1/workflows${path}`, { body });
        expect([made.status, made.body.error]).toEqual([made.status === 200 ? 200 : 201, undefined]);
      }
      const { page, go } = await host.open('/test/templates/used');
      const remove = async () => {
        await page.getByRole('button', { name: 'More actions' }).click();
        await page.getByRole('menuitem', { name: 'Delete' }).click();
        await page.getByRole('button', { name: 'Delete template' }).click();
      };
      await remove();
      await page.getByText('Active workflows use this template: welcome_flow.').waitFor();
      await go('/test/templates/unused');
      await remove();
      await page.waitForURL('**/test/templates');
      expect((await host.app.request('GET', '/v1/templates/unused')).status).toBe(404);
    },
    limitMs,
  );

  test(
    'a viewer reads, and cannot write',
    async () => {
      await create('read-only');
      const viewer = await addPerson(host.app, { email: 'viewer@example.com', name: 'Vi', role: 'viewer' });
      const { page, complaints } = await host.open('/test/templates/read-only', { as: viewer });
      await page.getByText('Your role has read-only access.').waitFor();
      await message(page).getByText('Hello').waitFor();
      expect(await field(page, 'Email · HTML').getAttribute('aria-readonly')).toBe('true');
      expect(await page.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0);
      expect(complaints).toEqual([]);
    },
    limitMs,
  );

  test(
    'the list is searched, and an unknown template says so',
    async () => {
      await create('needle', []);
      const { page, go } = await host.open('/test/templates');
      await page.getByRole('searchbox').fill('needle');
      await page.getByRole('link', { name: 'The needle' }).waitFor();
      await expect.poll(() => page.locator('tr[data-row]').count()).toBe(1);
      await page.getByRole('searchbox').fill('haystack');
      await page.getByText('No templates match.').waitFor();
      await go('/test/templates/not-there');
      await page.getByText('Not found.').waitFor();
    },
    limitMs,
  );

  test(
    'hostile HTML and a very long name do nothing but stand there',
    async () => {
      const hostile =
        '<script>parent.document.title = "taken"; alert(1)</script><img src=x onerror="alert(2)"><form action="/auth/logout"><p>Harmless</p></form>';
      const name = `${'<b>Long</b> مرحبا '.repeat(10)}end`;
      await host.app.request('POST', '/v1/templates', {
        body: { key: 'hostile', name, bodies: [email(hostile)] },
      });
      const { page } = await host.open('/test/templates/hostile', { size: 'phone' });
      const alerts: string[] = [];
      page.on('dialog', (question) => {
        alerts.push(question.message());
        void question.dismiss();
      });
      await message(page).getByText('Harmless').waitFor();
      await page.getByRole('heading', { name }).waitFor();
      expect(alerts).toEqual([]);
      expect(await page.title()).toBe(`${name} · Carillon`);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    },
    limitMs,
  );

  test(
    'the pages look right everywhere',
    async () => {
      await create('a-template-with-a-rather-long-key-as-generators-make-them-0123456789', [
        email('<h1>Hello</h1><script>alert(1)</script><img src=x onerror=alert(1)>'),
        { channel: 'sms', text_template: 'Hi' },
        { channel: 'in_app', text_template: 'Hi' },
      ]);
      expect(await inspect(host, '/test/templates', 'templates-list')).toEqual([]);
      await create('pictured', [
        email(
          `<div style="font-family: sans-serif">
  <h1>Hello {{ name }}</h1>
  <p>Thank you for your order <strong>{{ order.number }}</strong>.</p>
  {% for line in order.lines %}
    <p>{{ line.title }}: {{ line.price }}</p>
  {% endfor %}
</div>`,
        ),
        email('<p>مرحبا {{ name }}</p>', { locale: 'ar', subject_template: 'مرحبا {{ name }}' }),
        { channel: 'sms', text_template: 'Hello {{ name }}, your order {{ order.number }} left us.' },
        {
          channel: 'chatone',
          structured_template: '[{"type":"section","text":{"type":"mrkdwn","text":"*{{ name }}*"}}]',
        },
      ]);
      expect(await inspect(host, '/test/templates/pictured', 'templates-editor')).toEqual([]);
      const { page } = await host.open('/test/templates/pictured');
      await message(page).getByText('title: price').waitFor();
      await screenshot(page, 'templates-written');
      await page.getByRole('tab', { name: 'Slack' }).click();
      await page.locator('[data-channel="chatone"]').waitFor();
      await screenshot(page, 'templates-chatone');
    },
    limitMs,
  );
});
