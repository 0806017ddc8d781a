import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findings } from './accessibility.ts';
import { chromiumPath, type Host, startHost } from './host-page.ts';

/** Looked at by people; not kept. */
const folder = fileURLToPath(new URL('../screenshots/', import.meta.url));

describe.skipIf(!chromiumPath)('in light and dark, in both directions, on a phone and on a desk', () => {
  let host: Host;
  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    host = await startHost();
    for (const category of [
      {
        key: 'product_news',
        name: 'Product news',
        description: 'What is new, about once a month.',
        default_channels: ['email', 'in_app'],
      },
      {
        key: 'orders',
        name: 'Orders',
        description: 'Confirmations, shipping, returns.',
        default_channels: ['email', 'in_app', 'sms'],
      },
      { key: 'security', name: 'Security alerts', default_channels: ['email'], is_critical: true },
      { key: 'digest', name: 'Weekly digest', default_channels: ['email'], default_opt_in: false },
    ])
      await host.app.request('POST', '/v1/preferences/categories', { body: category });
    for (const item of [
      {
        subject: 'Welcome aboard',
        html_body:
          '<p>Good to have you here. <a href="https://example.com/start">Start with the tour</a>.</p>',
      },
      {
        subject: 'Invoice 2026-118 is due',
        html_body: '<p>The amount is <strong>€ 240.00</strong>, payable until <em>30 November</em>.</p>',
        action_url: '/invoices/118',
      },
      {
        subject:
          'Grace Hopper mentioned you in “Release plan for the autumn and everything that has to happen before it”',
        html_body: '<blockquote>Could you have a look at the numbers before we send this out?</blockquote>',
      },
      {
        subject: 'Report finished',
        html_body:
          '<h2>Summary</h2><ul><li>12,400 sent</li><li>12,391 delivered</li><li>9 bounced</li></ul><p>Everything else is in the full report, which you find where it always is, together with the figures of the months before.</p>',
      },
      { subject: 'طلبك في الطريق', html_body: '<p>سيصل يوم الثلاثاء.</p>' },
      { subject: 'Order 7 has shipped', html_body: '<p>It is on its way.</p>', action_url: '/orders/7' },
    ]) {
      const id = await host.send('ada', item);
      await host.app.waitFor(id, ({ status }) => status === 'delivered');
      if (item.subject.startsWith('Welcome') || item.subject.startsWith('Report')) {
        const token = await host.token('ada');
        await host.app.request('POST', `/inbox/v1/notifications/${id}/read`, { key: token });
      }
    }
  }, 60_000);
  afterAll(() => host?.stop());

  const italian = `<script type="module">
    for (const element of document.querySelectorAll('carillon-inbox, carillon-preferences')) element.messages = {
      notifications: 'Notifiche', filterAll: 'Tutte', filterUnread: 'Da leggere', markAllRead: 'Segna tutte come lette', now: 'adesso' };
  </script>`;
  const inbox = (variant: string) => `<carillon-inbox variant="${variant}" USER></carillon-inbox>`;
  const ready = (page: Page) => page.getByRole('article', { name: 'Order 7 has shipped' }).waitFor();
  const switches = (page: Page) => page.getByRole('switch').first().waitFor();

  const views: {
    name: string;
    markup: string;
    root?: string;
    width?: number;
    touch?: boolean;
    user?: string;
    show(page: Page): Promise<unknown>;
  }[] = [
    {
      name: 'bell',
      markup: `<div style="text-align: end">${inbox('bell')}</div>`,
      async show(page) {
        await page.getByRole('button', { name: 'Notifications, 4 unread' }).click();
        await ready(page);
      },
    },
    { name: 'panel', markup: inbox('panel'), show: ready },
    {
      name: 'list',
      markup: `<div style="display: flex">${inbox('list')}</div>`,
      async show(page) {
        await ready(page);
        await page.getByRole('article', { name: 'Invoice' }).hover();
      },
    },
    { name: 'panel-rtl', markup: inbox('panel'), root: 'lang="ar" dir="rtl"', show: ready },
    { name: 'panel-italian', markup: inbox('panel') + italian, root: 'lang="it"', show: ready },
    { name: 'panel-phone', markup: inbox('panel'), width: 360, touch: true, show: ready },
    {
      name: 'panel-empty',
      markup: inbox('panel'),
      user: 'nobody',
      show: (page) => page.getByText('No notifications yet').waitFor(),
    },
    {
      name: 'preferences-table',
      markup: '<carillon-preferences variant="table" USER></carillon-preferences>',
      show: switches,
    },
    {
      name: 'preferences-cards',
      markup: '<carillon-preferences variant="cards" style="max-width: 420px" USER></carillon-preferences>',
      show: switches,
    },
    {
      name: 'preferences-auto-phone',
      markup: '<carillon-preferences USER></carillon-preferences>',
      width: 360,
      show: (page) => page.getByRole('group', { name: 'Orders' }).waitFor(),
    },
  ];

  for (const { name, markup, root, width, touch, user, show } of views) {
    test(`${name} can be used by everyone`, async () => {
      const context = await host.newContext({
        reducedMotion: 'reduce',
        hasTouch: touch ?? false,
        isMobile: touch ?? false,
        viewport: { width: width ?? 900, height: 700 },
      });
      const { page, complaints } = await host.open(context, markup, {
        ...(root ? { root } : {}),
        ...(user ? { user } : {}),
      });
      await show(page);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        // For people to look at, when they ask for them.
        if (process.env.PICTURES === '1')
          await page.screenshot({ path: `${folder}${name}-${colorScheme}.png` });
        expect(await findings(page)).toEqual([]);
      }
      expect(complaints).toEqual([]);
      await context.close();
    });
  }
});
