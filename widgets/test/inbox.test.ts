import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../../server/test/harness/app.ts';
import { chromiumPath, type Host, startHost } from './host-page.ts';

const deadlineMs = 30_000;
const panel = '<carillon-inbox variant="panel" USER></carillon-inbox>';
const bell = '<carillon-inbox USER></carillon-inbox>';

describe.skipIf(!chromiumPath)('the inbox', { timeout: 60_000 }, () => {
  let host: Host;
  beforeAll(async () => {
    host = await startHost();
  }, 60_000);
  afterAll(() => host?.stop());

  let users = 0;
  const newUser = (): string => `user-${++users}`;
  const delivered = async (user: string, more: Record<string, unknown> = {}): Promise<string> => {
    const id = await host.send(user, more);
    await host.app.waitFor(id, ({ status }) => status === 'delivered');
    return id;
  };
  const unreadOf = async (user: string): Promise<number> =>
    (await host.app.request('GET', '/inbox/v1/unread-count', { key: await host.token(user) })).body
      .unread_count;

  test('shows what arrives, counts it, says it aloud, and tells the page', async () => {
    const user = newUser();
    const context = await host.newContext();
    const { page, complaints, events } = await host.open(context, panel + bell, { user });
    await page.getByText('No notifications yet').first().waitFor();
    const id = await host.send(user, { subject: 'Order 7 has shipped', action_url: '/orders/7' });
    await page.getByRole('article', { name: 'Order 7 has shipped' }).waitFor();
    await page.getByRole('button', { name: 'Notifications, 1 unread' }).waitFor();
    await page
      .getByRole('status')
      .filter({ hasText: 'New notification: Order 7 has shipped' })
      .first()
      .waitFor();
    expect(await events('notification')).toMatchObject([{ item: { id } }, { item: { id } }]); // one of each element
    expect((await events('unread-count')).at(-1)).toEqual({ unread_count: 1 });
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('shares one stream between tabs, and what is read in one is read in the other', async () => {
    const user = newUser();
    const context = await host.newContext();
    const streams = () => host.app.deps.metrics.openStreams.get().then(({ values }) => values[0]?.value);
    await waitUntil(
      async () => ((await streams()) === 0 ? true : new Error('others are still open')),
      deadlineMs,
    );
    await delivered(user, { subject: 'One' });
    await delivered(user, { subject: 'Two' });
    const first = await host.open(context, panel, { user });
    const second = await host.open(context, panel + bell, { user });
    for (const { page } of [first, second])
      await page.getByRole('article', { name: 'Unread: Two' }).waitFor();
    expect(await streams()).toBe(1);

    await second.page
      .getByRole('article', { name: 'One' })
      .getByRole('button', { name: 'Mark as read' })
      .click();
    await first.page.getByRole('article', { name: 'One' }).and(first.page.locator(':not(.unread)')).waitFor();
    await second.page.getByRole('button', { name: 'Notifications, 1 unread' }).waitFor();

    // The tab with the stream goes; the other one goes on, and misses nothing.
    await first.page.close();
    await delivered(user, { subject: 'Three' });
    await second.page.getByRole('article', { name: 'Three' }).waitFor({ timeout: deadlineMs });
    await second.page.getByRole('button', { name: 'Mark all as read' }).click();
    await second.page.getByRole('button', { name: 'Notifications', exact: true }).waitFor();
    await waitUntil(async () => ((await unreadOf(user)) === 0 ? true : new Error('not yet')), deadlineMs);
    expect(second.complaints).toEqual([]);
    await context.close();
  });

  test('can be used with the keyboard alone', async () => {
    const user = newUser();
    for (const subject of ['First', 'Second', 'Third'])
      await delivered(user, { subject, action_url: '#opened' });
    const context = await host.newContext();
    const { page, events } = await host.open(context, `${bell}<p><button>After</button></p>`, { user });
    const focused = () =>
      page.evaluate(`(() => { const at = document.activeElement.shadowRoot?.activeElement ?? document.activeElement;
        return at.getAttribute('aria-label') ?? (at.querySelector('bdi') ?? at).textContent.trim(); })()`);
    const focus = (expected: string) =>
      waitUntil(
        async () => ((await focused()) === expected ? true : new Error(`focus is at ${await focused()}`)),
        deadlineMs,
      );

    await page.getByRole('button', { name: 'Notifications, 3 unread' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Notifications' }).waitFor();
    await focus('Third'); // once it is there
    await page.keyboard.press('Escape');
    await focus('Notifications, 3 unread');
    await page.keyboard.press('Enter');
    await focus('Third');
    await page.keyboard.press('ArrowDown');
    await focus('Second');
    await page.keyboard.press('End');
    await focus('First');
    await page.keyboard.press('Home');
    await focus('Third');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab'); // into the row
    await focus('Mark as read');
    await page.keyboard.press('Enter');
    await focus('Mark as unread');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Delete');
    await focus('First'); // what has moved up
    await page.keyboard.press('Enter');
    await page.waitForURL('**/*#opened');
    expect(await events('open')).toMatchObject([{ item: { subject: 'First' } }]);
    await page.getByRole('button', { name: 'Notifications, 1 unread', includeHidden: true }).waitFor();
    await page.keyboard.press('Escape');
    await focus('Notifications, 1 unread');
    await page.keyboard.press('Tab');
    await focus('After');
    await context.close();
  });

  test('takes back what the service refuses', async () => {
    const user = newUser();
    await delivered(user, { subject: 'Stubborn' });
    const context = await host.newContext();
    await context.route('**/inbox/v1/notifications/**', (route) =>
      route.fulfill({ status: 500, body: 'no' }),
    );
    const { page, events } = await host.open(context, panel + bell, { user });
    const row = page.getByRole('article', { name: 'Stubborn' });
    await row.getByRole('button', { name: 'Mark as read' }).click();
    await row.and(page.locator(':not(.unread)')).waitFor(); // at once
    await page.getByText('Nothing was changed').first().waitFor();
    await page.getByRole('button', { name: 'Notifications, 1 unread' }).waitFor();
    await page.getByRole('article', { name: 'Unread: Stubborn' }).waitFor();
    await row.getByRole('button', { name: 'Archive' }).click();
    await waitUntil(
      async () => ((await events('error')).length === 2 ? true : new Error('no error yet')),
      deadlineMs,
    );
    await page.getByRole('article', { name: 'Unread: Stubborn' }).waitFor();
    expect(await unreadOf(user)).toBe(1);
    await context.close();
  });

  test('gets another token when the one it has expires, and loses nothing', async () => {
    const user = newUser();
    host.giveShortToken(user);
    const context = await host.newContext();
    const { page, events } = await host.open(context, panel, { user });
    await page.getByText('No notifications yet').waitFor();
    // The stream ends with its token; the next request is refused.
    await page.waitForResponse((response) => response.status() === 401, { timeout: deadlineMs });
    await delivered(user, { subject: 'While away' });
    const row = page.getByRole('article', { name: 'While away' });
    await row.waitFor({ timeout: deadlineMs });
    await row.getByRole('button', { name: 'Mark as read' }).click();
    await waitUntil(async () => ((await unreadOf(user)) === 0 ? true : new Error('not yet')), deadlineMs);
    expect(await events('error')).toEqual([]);
    await context.close();
  });

  test('waits for the page when its only token expires', async () => {
    const user = newUser();
    const context = await host.newContext();
    const token = await host.token(user, -60);
    const { page, events } = await host.open(
      context,
      `<carillon-inbox variant="panel" url="${host.app.url}" token="${token}"></carillon-inbox>`,
      { user },
    );
    await page.getByText('Your session has ended').waitFor({ timeout: deadlineMs });
    expect((await events('token-expired')).length).toBeGreaterThan(0);
    await delivered(user, { subject: 'Later' });
    await page.evaluate(`document.querySelector('carillon-inbox').token = '${await host.token(user)}'`);
    await page.getByRole('article', { name: 'Later' }).waitFor({ timeout: deadlineMs });
    await page.getByText('Your session has ended').waitFor({ state: 'detached' });
    await context.close();
  });

  test.each(['down', 'html'] as const)('outlives a service that is %s for a while', async (how) => {
    const user = newUser();
    await delivered(user, { subject: 'Before' });
    const context = await host.newContext();
    const { page, events } = await host.open(context, panel, { user });
    await page.getByRole('article', { name: 'Before' }).waitFor();
    host.interrupt(how);
    try {
      await page.getByText('No connection').waitFor({ timeout: deadlineMs });
      await delivered(user, { subject: 'Meanwhile' });
    } finally {
      host.interrupt(null);
    }
    await page.getByRole('article', { name: 'Meanwhile' }).waitFor({ timeout: deadlineMs });
    await page.getByText('No connection').waitFor({ state: 'detached' });
    expect((await events('connection')).map(({ connection }) => connection).at(-1)).toBe('live');
    await context.close();
  });

  test('catches up when the browser was offline', async () => {
    const user = newUser();
    const context = await host.newContext();
    const { page } = await host.open(context, panel, { user });
    await page.getByText('No notifications yet').waitFor();
    await context.setOffline(true);
    host.interrupt('down'); // a link that is open already does not notice by itself
    await delivered(user, { subject: 'Offline' });
    host.interrupt(null);
    await context.setOffline(false);
    await page.getByRole('article', { name: 'Offline' }).waitFor({ timeout: deadlineMs });
    await context.close();
  });

  test('looks now and then where the stream does not get through', async () => {
    const user = newUser();
    const context = await host.newContext();
    await context.route('**/inbox/v1/stream', (route) =>
      route.fulfill({ status: 502, body: '<h1>Bad gateway</h1>', contentType: 'text/html' }),
    );
    const { page, events } = await host.open(context, panel, { user });
    await page.getByText('No notifications yet').waitFor({ timeout: deadlineMs });
    await delivered(user, { subject: 'By polling' });
    await page.getByRole('article', { name: 'By polling' }).waitFor({ timeout: 45_000 });
    expect((await events('connection')).map(({ connection }) => connection)).toContain('polling');
    await context.close();
  });

  test('runs nothing that a body brings, also when nobody sanitised it', async () => {
    const user = newUser();
    const id = await delivered(user, {
      subject: '<img src=x onerror="document.title=1">Title',
      action_url: 'https://example.com/',
    });
    const evil = `<p onclick="document.title=1">Safe text</p><script>document.title=1</script><img src=x onerror="document.title=1">
      <svg onload="document.title=1"><script>document.title=1</script></svg><iframe srcdoc="<script>parent.document.title=1</script>"></iframe>
      <a href="javascript:document.title=1">bad link</a> <a href="https://example.com/" target="_top">good link</a>
      <form action="https://evil.example"><input name=a autofocus onfocus="document.title=1"></form><style>* { display: none }</style>
      <math><mtext><table><mglyph><style><img src=x onerror="document.title=1"></style></mglyph></table></mtext></math>
      <base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=https://evil.example"><div style="position:fixed" id="t" class="bell">box</div>`;
    await host.app.pool.query('update inbox_items set html_body = $2, action_url = $3 where id = $1', [
      id,
      evil,
      'javascript:document.title=1',
    ]);
    const context = await host.newContext();
    const { page } = await host.open(context, panel, { user });
    const row = page.getByRole('article');
    await row.getByText('Safe text').click({ force: true });
    await row.getByText('bad link').click({ force: true });
    const link = row.getByRole('link', { name: 'good link' });
    expect([await link.getAttribute('rel'), await link.getAttribute('target')]).toEqual([
      'noopener noreferrer nofollow',
      '_blank',
    ]);
    expect(await row.getByRole('link').count()).toBe(1);
    expect(
      await row
        .locator('script, style, iframe, svg svg, form, input, base, meta, [onerror], [style], math')
        .count(),
    ).toBe(0);
    expect(await row.getByRole('button', { name: 'Title' }).innerText()).toContain('<img src=x');
    expect(await page.title()).toBe('Host');
    await context.close();
  });

  test('tells the age of news also when the clock of the user is hours off', async () => {
    for (const hours of [-5, 5]) {
      const user = newUser();
      await delivered(user, { subject: 'Fresh' });
      const context = await host.newContext();
      await context.addInitScript(`{ const real = Date.now; Date.now = () => real() + ${hours} * 3600e3; }`);
      const { page } = await host.open(context, panel, { user });
      const row = page.getByRole('article', { name: 'Fresh' });
      await row.waitFor();
      expect(await row.locator('time').innerText()).toMatch(/^(now|1m ago)$/);
      await context.close();
    }
  });

  test('stays quick with a hundred thousand items', async () => {
    const user = newUser();
    const ids = `('01' || lpad(to_hex(1700000000 + n), 10, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid`;
    await host.app.pool.query(
      `insert into inbox_items (id, environment_id, external_user_id, position, subject, html_body, data, bytes)
       select ${ids}, $1, $2, ${ids}, 'Item ' || n, '<p>' || repeat('text ', (n % 40)::int) || '</p>', '{}', 100
       from generate_series(1, 100000) n`,
      [host.app.testEnvironmentId, user],
    );
    await host.app.pool.query(
      'insert into inboxes (environment_id, external_user_id, unread) values ($1, $2, 100000)',
      [host.app.testEnvironmentId, user],
    );
    const context = await host.newContext();
    const { page, complaints } = await host.open(context, panel + bell, { user });
    await page.getByRole('article', { name: 'Item 100000' }).waitFor();
    await page.getByRole('button', { name: 'Notifications, 100,000 unread' }).waitFor();
    const rows = page.getByRole('article');
    // A reader who keeps scrolling: the page holds a window of rows, and they follow each other without a gap.
    let lowest = 100_000;
    while (lowest > 99_600) {
      await page
        .locator('.scroller')
        .first()
        .evaluate((scroller) => scroller.scrollBy(0, 3_000));
      lowest = await waitUntil(async () => {
        const seen = (await rows.locator('bdi').allInnerTexts()).map((text) => Number(text.slice(5)));
        const last = seen.at(-1) ?? lowest;
        return last < lowest ? last : new Error(`still at ${last}`);
      }, deadlineMs);
      const shown = (await rows.locator('bdi').allInnerTexts()).map((text) => Number(text.slice(5)));
      expect(shown).toEqual(shown.map((_value, index) => (shown[0] ?? 0) - index));
      expect(shown.length).toBeLessThan(60);
    }
    // What arrives meanwhile does not move what is being read.
    const top = await rows.nth(5).boundingBox();
    const name = await rows.nth(5).locator('bdi').innerText();
    await delivered(user, { subject: 'Newest' });
    await page.getByRole('button', { name: '1 new' }).waitFor();
    const after = await page.getByRole('article', { name: name, exact: false }).first().boundingBox();
    expect(Math.abs((after?.y ?? 0) - (top?.y ?? 0))).toBeLessThan(2);
    await page.getByRole('button', { name: '1 new' }).click();
    await page.getByRole('article', { name: 'Newest' }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('lets the page decide what opening means, and shows unread ones alone', async () => {
    const user = newUser();
    for (const subject of ['Old', 'New']) await delivered(user, { subject, action_url: '#gone' });
    const context = await host.newContext();
    const { page } = await host.open(context, panel, {
      user,
      head: `<script>addEventListener('carillon-open', (event) => event.preventDefault())</script>`,
    });
    await page.getByRole('article', { name: 'Old' }).click();
    await page.getByRole('article', { name: 'Old' }).and(page.locator(':not(.unread)')).waitFor();
    expect(page.url()).not.toContain('#gone');
    await page.getByRole('button', { name: 'Unread', exact: true }).click();
    await page.getByRole('article', { name: 'Old' }).waitFor({ state: 'detached' });
    await page.getByRole('article', { name: 'New' }).waitFor();
    await context.close();
  });

  test('keeps to a strict policy of the page, and is what its hash says', async () => {
    const user = newUser();
    await delivered(user, { subject: 'Strict', html_body: '<p>Plain</p>' });
    const { body: manifest } = await host.app.request('GET', '/widgets/manifest.json');
    const { file, integrity } = manifest['inbox.js'];
    const source = `${host.app.url}/widgets/${file}`;
    const policy = `default-src 'none'; script-src ${host.app.url}; connect-src 'self' ${host.app.url}; require-trusted-types-for 'script'; trusted-types lit-html carillon 'allow-duplicates'`;
    const context = await host.newContext();
    const { page, complaints } = await host.open(
      context,
      `<carillon-inbox variant="panel" token-url="/token?user=${user}"></carillon-inbox>
       <carillon-preferences token-url="/token?user=${user}"></carillon-preferences>`,
      {
        scripts: false,
        head: `<meta http-equiv="Content-Security-Policy" content="${policy}">
          <script type="module" crossorigin integrity="${integrity}" src="${source}"></script>
          <script type="module" crossorigin src="${host.app.url}/widgets/preferences.js"></script>`,
      },
    );
    await page.getByText('No preferences yet.').waitFor();
    await page.getByRole('article', { name: 'Strict' }).getByText('Plain').waitFor();
    expect(complaints.filter((each) => !each.includes('data:,'))).toEqual([]);
    await context.close();
  });
});
