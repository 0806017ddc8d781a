import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { workKinds } from '../../server/src/queue/index.ts';
import { waitUntil } from '../../server/test/harness/app.ts';
import { languages } from '../src/languages.ts';
import { snoozeChoices } from '../src/snooze-times.ts';
import { english, type MessageName } from '../src/texts.ts';
import { findings } from './accessibility.ts';
import { chromiumPath, type Host, startHost } from './host-page.ts';

const deadlineMs = 30_000;
const approve = { key: 'approve', label: 'Approve', style: 'primary' };

describe('the texts of every language', () => {
  const placeholders = (text: unknown): string[] =>
    [...JSON.stringify(text).matchAll(/\{\w+\}/g)].map(String).sort();

  test('are ten languages, each with the same placeholders as in English', () => {
    expect(['en', ...Object.keys(languages)].sort()).toEqual([
      'ar',
      'de',
      'en',
      'es',
      'fr',
      'it',
      'ja',
      'nl',
      'pl',
      'pt',
    ]);
    for (const [language, texts] of Object.entries(languages))
      for (const name of Object.keys(english) as MessageName[]) {
        const wanted = [...new Set(placeholders(english[name]))];
        expect([language, name, placeholders(texts[name])]).toEqual([language, name, wanted]);
        expect(JSON.stringify(texts[name])).not.toBe('""');
      }
  });
});

describe('the times that an item can be snoozed until', () => {
  const offered = (now: string) =>
    snoozeChoices(new Date(now)).map(({ name, until }) => {
      const local = new Date(until.getTime() - until.getTimezoneOffset() * 60_000);
      return `${name} ${local.toISOString().slice(0, 16)}`;
    });

  test('are in an hour, this evening while it is far, tomorrow and next Monday', () => {
    // A Wednesday morning, a Sunday evening, a Monday.
    expect(offered('2026-03-04T10:20')).toEqual([
      'snoozeHour 2026-03-04T11:20',
      'snoozeEvening 2026-03-04T18:00',
      'snoozeTomorrow 2026-03-05T09:00',
      'snoozeNextWeek 2026-03-09T09:00',
    ]);
    expect(offered('2026-03-08T21:00')).toEqual([
      'snoozeHour 2026-03-08T22:00',
      'snoozeTomorrow 2026-03-09T09:00',
      'snoozeNextWeek 2026-03-09T09:00',
    ]);
    expect(offered('2026-03-09T08:00').at(-1)).toBe('snoozeNextWeek 2026-03-16T09:00');
  });
});

describe.skipIf(!chromiumPath)('the inbox', { timeout: 60_000 }, () => {
  let host: Host;
  beforeAll(async () => {
    host = await startHost();
    await host.app.request('POST', '/v1/preferences/categories', {
      body: { key: 'billing', name: 'Billing', default_channels: ['in_app'] },
    });
  }, 60_000);
  afterAll(() => host?.stop());

  let users = 0;
  const newUser = (): string => `reader-${++users}`;
  const delivered = async (user: string, more: Record<string, unknown> = {}): Promise<string> => {
    const id = await host.send(user, more);
    await host.app.waitFor(id, ({ status }) => status === 'delivered');
    return id;
  };
  const itemOf = async (user: string, id: string) =>
    (await host.app.request('GET', `/inbox/v1/notifications/${id}`, { key: await host.token(user) })).body;
  const panel = (more = '') => `<carillon-inbox variant="panel" ${more} USER></carillon-inbox>`;
  const tabs = `tabs='[{"label": "Billing", "category": "billing"}, {"label": "Team", "tag": "team"}]'`;

  test('shows tabs with their counts, which the keyboard and screen readers can use', async () => {
    const user = newUser();
    await delivered(user, { subject: 'Invoice 7', category: 'billing' });
    await delivered(user, { subject: 'Standup', tags: ['team'] });
    const context = await host.newContext();
    const { page, complaints } = await host.open(context, panel(tabs), { user });
    await page.getByRole('tab', { name: 'All, 2 unread', selected: true }).waitFor();
    await page.getByRole('tab', { name: 'Billing, 1 unread' }).click();
    await page.getByRole('article', { name: 'Invoice 7' }).waitFor();
    await page.getByRole('tabpanel', { name: 'Billing, 1 unread' }).waitFor();
    expect(await page.getByRole('article').count()).toBe(1);
    expect(await findings(page)).toEqual([]);

    // What arrives is counted in its tab, and shown where it belongs.
    await delivered(user, { subject: 'Retrospective', tags: ['team'] });
    await page.getByRole('tab', { name: 'Team, 2 unread' }).waitFor();
    expect(await page.getByRole('article').count()).toBe(1);
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tab', { name: 'Team, 2 unread', selected: true }).waitFor();
    await page.getByRole('article', { name: 'Retrospective' }).waitFor();
    await page.getByRole('button', { name: 'Mark all as read' }).click();
    await page.getByRole('tab', { name: 'Team', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Archive read notifications' }).click();
    await page.getByText('No notifications yet').waitFor();
    await page.keyboard.press('Tab');
    await page.getByRole('tab', { name: 'All, 1 unread' }).click();
    await page.getByRole('article', { name: 'Invoice 7' }).waitFor();

    // A tab stays the current one under another label; when it is gone, all items are shown.
    const setTabs = (list: string) =>
      page.evaluate(`document.querySelector('carillon-inbox').tabs = ${list}`);
    await page.getByRole('tab', { name: 'Team' }).click();
    await setTabs(`[{ label: 'Crew', tag: 'team' }, { label: 'Billing', category: 'billing' }]`);
    await page.getByRole('tab', { name: 'Crew', selected: true }).waitFor();
    expect(await page.getByRole('article').count()).toBe(0);
    await setTabs(`[{ label: 'Billing', category: 'billing' }]`);
    await page.getByRole('tab', { name: 'All, 1 unread', selected: true }).waitFor();
    await page.getByRole('article', { name: 'Invoice 7' }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('snoozes with the keyboard, and shows the item again when it returns', async () => {
    const user = newUser();
    const id = await delivered(user, { subject: 'Later, please' });
    await delivered(user, { subject: 'Now' });
    const context = await host.newContext();
    const markup = `<carillon-inbox USER></carillon-inbox>`;
    const { page, events, complaints } = await host.open(context, markup, { user });
    await page.getByRole('button', { name: 'Notifications, 2 unread' }).click();
    const row = page.getByRole('article', { name: 'Later, please' });
    await row.getByRole('button', { name: 'Snooze' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menu', { name: 'Snooze' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page
      .getByRole('menu')
      .waitFor({ state: 'detached' })
      .catch(() => {});
    await page.getByRole('dialog', { name: 'Notifications' }).waitFor(); // the panel is still open
    await page.keyboard.press('Enter'); // the focus is back at the button
    await page.getByRole('menuitem', { name: 'In an hour' }).waitFor();
    await page.keyboard.press('End');
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await row.waitFor({ state: 'detached' });
    await waitUntil(
      async () => ((await events('change')).length > 0 ? true : new Error('not accepted yet')),
      deadlineMs,
    );
    expect(await events('change')).toEqual([{ id, as: 'snooze' }]);
    expect((await itemOf(user, id)).snoozed_until).not.toBe(null);

    await page.getByRole('button', { name: 'Snoozed', exact: true }).click();
    await page.getByText('Snoozed until').first().waitFor();
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await page.getByRole('article', { name: 'Now' }).waitFor();
    await host.app.pool.query('update queue_later set run_at = now() where kind = $1', [
      workKinds.inbox_return,
    ]);
    await page.getByRole('article', { name: 'Unread: Later, please' }).waitFor({ timeout: deadlineMs });
    const first = page.getByRole('article').first();
    expect(await first.getAttribute('data-id')).toBe(id);
    await page.getByRole('status').filter({ hasText: 'New notification: Later, please' }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('records the action that was chosen, here and in every other page', async () => {
    const user = newUser();
    const plain = await delivered(user, {
      subject: 'Approve?',
      actions: [approve, { key: 'decline', label: 'Decline' }],
    });
    const linked = await delivered(user, {
      subject: 'Pay?',
      actions: [{ key: 'pay', label: 'Pay', url: '#paid', style: 'danger' }],
    });
    const context = await host.newContext();
    const one = await host.open(context, panel(), { user });
    const two = await host.open(context, panel(), { user });
    const row = (page: typeof one.page, name: string) => page.getByRole('article', { name });
    await row(two.page, 'Approve?').getByRole('button', { name: 'Decline' }).waitFor();
    expect(await findings(one.page)).toEqual([]);
    await row(one.page, 'Approve?').getByRole('button', { name: 'Approve', exact: true }).click();
    for (const { page } of [one, two])
      await row(page, 'Approve?').getByText('Chosen: Approve').waitFor({ timeout: deadlineMs });
    expect((await itemOf(user, plain)).action_taken.key).toBe('approve');
    expect(await row(two.page, 'Approve?').getByRole('button', { name: 'Decline' }).count()).toBe(0);

    await row(one.page, 'Pay?').getByRole('link', { name: 'Pay' }).click();
    await one.page.waitForURL('**/*#paid');
    expect((await itemOf(user, linked)).action_taken.key).toBe('pay');
    expect(await one.events('action')).toMatchObject([
      { item: { id: plain }, action: { key: 'approve' } },
      { item: { id: linked }, action: { key: 'pay', url: '#paid' } },
    ]);
    expect(one.complaints).toEqual([]);
    await context.close();
  });

  test('speaks the language of the page or of its own attribute, and Arabic runs from right to left', async () => {
    const user = newUser();
    await delivered(user, { subject: 'Hallo' });
    const context = await host.newContext();
    const { page } = await host.open(context, panel() + panel('lang="ar" id="arabic"'), {
      user,
      root: 'lang="de"',
    });
    await page.getByRole('heading', { name: 'Benachrichtigungen' }).waitFor();
    await page.getByRole('button', { name: 'Als gelesen markieren', exact: true }).first().waitFor();
    const arabic = page.locator('#arabic');
    await arabic.getByRole('heading', { name: 'الإشعارات' }).waitFor();
    const sides = (await page.evaluate(`(() => {
      const root = document.querySelector('#arabic').shadowRoot;
      const leftOf = (name) => root.querySelector(name).getBoundingClientRect().left;
      return { title: leftOf('.title'), time: leftOf('time') };
    })()`)) as { title: number; time: number };
    expect(sides.time).toBeLessThan(sides.title);
    expect(await findings(page)).toEqual([]);
    await context.close();
  });
});
