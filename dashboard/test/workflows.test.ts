import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withWorkflows } from '../../server/src/features/workflows/runs/test-harness.ts';
import { chromiumPath, type DashboardHost, inspect, screenshot, startDashboard } from './dashboard.ts';
import { addPerson } from './people.ts';

const email = { channel: 'email', recipient: { address: '{{ trigger.email }}' } };
const orderSchema = {
  type: 'object',
  required: ['order_id', 'email'],
  properties: {
    order_id: { type: 'string' },
    email: { type: 'string', format: 'email' },
    total: { type: 'number', default: 120 },
  },
};
const orderSteps = [
  { id: 'confirm', kind: 'send', ...email, subject: 'Order {{ trigger.order_id }}', text_body: 'Thank you.' },
  {
    id: 'payment',
    kind: 'wait_for_event',
    event: 'order.paid',
    match: { order_id: '{{ trigger.order_id }}' },
    timeout: '2d',
    on_timeout: 'how_much',
    next: 'thank',
  },
  {
    id: 'how_much',
    kind: 'branch',
    branches: [{ when: 'trigger.?total.orValue(0.0) > 100.0', goto: 'call' }],
    else: 'remind',
  },
  {
    id: 'call',
    kind: 'send',
    channel: 'sms',
    recipient: { address: '+15005550001' },
    text_body: 'Your order is waiting.',
    when: 'has(trigger.phone)',
    next: 'end',
  },
  { id: 'remind', kind: 'send', ...email, subject: 'It waits', text_body: 'Please pay.', next: 'end' },
  { id: 'thank', kind: 'send', ...email, subject: 'Paid', text_body: 'We received {{ event.amount }}.' },
];
const longMs = 120_000;

describe.skipIf(!chromiumPath)('workflows', () => {
  let host: DashboardHost;
  let flows: ReturnType<typeof withWorkflows>;
  beforeAll(async () => {
    host = await startDashboard();
    flows = withWorkflows(host.app);
  }, 240_000);
  afterAll(() => host?.stop());

  const get = async (path: string, key?: string) => {
    const { status, body } = await host.app.request('GET', path, key === undefined ? {} : { key });
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  const bodyOf = async (key: string, version: number) =>
    JSON.parse((await get(`/v1/workflows/${key}/versions/${version}`)).body_json);
  const node = (page: Page, id: string) => page.getByRole('button', { name: new RegExp(`^Step ${id}\\b`) });
  const pick = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

  test(
    'an empty list teaches; a workflow begins from a starter, is activated, and is found again',
    async () => {
      const { page, complaints } = await host.open('/test/workflows');
      await page.getByText('No workflows yet').waitFor();
      await page.getByRole('button', { name: 'Create workflow' }).first().click();
      await page.getByLabel('Name').fill('Late payment');
      await page.getByLabel('Wait for an event').check();
      await pick(page, 'Create');
      await page.waitForURL('**/test/workflows/late_payment');
      await node(page, 'payment').waitFor();
      await node(page, 'remind').waitFor();
      const activations: string[] = [];
      page.on('request', (each) => each.url().endsWith('/activate') && activations.push(each.url()));
      const activate = page.getByRole('button', { name: 'Activate version 1' });
      await activate.dispatchEvent('click', { detail: 2 }); // as of a double click on the button that stood there before
      await activate.click();
      await page.getByText('Version 1 activated.').waitFor();
      expect(activations).toHaveLength(1);
      expect(await get('/v1/workflows/late_payment')).toMatchObject({ status: 'active', active_version: 1 });

      await page.getByLabel('Back').getByRole('link', { name: 'Workflows' }).click();
      await page.getByLabel('Search workflows').fill('late');
      await page.waitForURL(/search=late/);
      await page.getByRole('link', { name: /Late payment/ }).waitFor();
      await page.getByLabel('Search workflows').fill('nothing like it');
      await page.getByText('No workflows match.').waitFor();
      expect(complaints).toEqual([]);
    },
    longMs,
  );

  test(
    'steps are edited in fields, references follow, and saving is a new version',
    async () => {
      await flows.define('edited', orderSteps, orderSchema);
      const { page, complaints } = await host.open('/test/workflows/edited');
      await pick(page, 'Steps');
      await node(page, 'payment').click();
      await page.getByLabel('Id', { exact: true }).fill('paid');
      await page.getByLabel('Id', { exact: true }).press('Enter');
      await node(page, 'paid').waitFor();
      await page.getByLabel('Wait at most').fill('3d');
      await screenshot(page, 'workflow-step');
      await page.getByRole('button', { name: 'Add a step after this one' }).click();
      await page.getByRole('menuitem', { name: /^Delay/ }).click();
      await page.getByLabel('Duration').fill('4h');
      await pick(page, 'Move up');
      await pick(page, 'All steps');
      await page
        .getByRole('list', { name: 'Steps in order' })
        .getByRole('button', { name: /^remind/ })
        .click();
      await pick(page, 'Remove');
      await page
        .getByRole('list', { name: 'Steps in order' })
        .getByRole('button', { name: /^thank/ })
        .click();
      await page.getByLabel('Channel', { exact: true }).selectOption('in_app');
      await page.getByLabel('Tags').fill("orders, {{ trigger.tags | join: ', ' }}");
      await pick(page, 'Add button');
      await page.getByLabel('Label').fill('Receipt');
      await page.getByLabel('Key', { exact: true }).fill('receipt');
      await page.getByText('Unsaved changes').waitFor();
      await page.keyboard.press('Control+s');
      await page.getByText('Saved as version 2.').waitFor();

      const { steps } = await bodyOf('edited', 2);
      expect(steps.map(({ id }: { id: string }) => id)).toEqual([
        'confirm',
        'delay',
        'paid',
        'how_much',
        'call',
        'thank',
      ]);
      expect(steps[1]).toEqual({ id: 'delay', kind: 'delay', duration: '4h' });
      expect(steps[2].timeout).toBe('3d');
      expect(steps[3].else).toBe('end');
      expect(steps[5]).toMatchObject({
        tags: ['orders', "{{ trigger.tags | join: ', ' }}"],
        actions: [{ key: 'receipt', label: 'Receipt' }],
      });
      expect(complaints).toEqual([]);
    },
    longMs,
  );

  test(
    'the JSON is edited with completion; a mistake keeps the last graph, and a problem is shown at its step',
    async () => {
      await flows.define('typed', orderSteps, orderSchema);
      const { page, complaints } = await host.open('/test/workflows/typed');
      const code = page.getByRole('textbox', { name: 'Workflow as JSON' });
      /** Behind the brace that opens the step: a property is written in front of its others. */
      const goInto = async (id: string) => {
        await pick(page, 'Steps');
        await node(page, id).click();
        await pick(page, 'Show in JSON');
        await code.and(page.locator(':focus')).waitFor();
        await page.keyboard.press('ArrowRight');
      };
      await goInto('thank');
      await page.keyboard.type('"cate');
      await page.getByText(/Invalid JSON at line/).waitFor();
      await node(page, 'thank').waitFor();
      await page.getByRole('option', { name: 'category' }).click();
      await page.keyboard.type('"nobody_knows",');
      await page.getByText(/Invalid JSON/).waitFor({ state: 'detached' });
      await pick(page, 'Save');
      await page.getByText('Saved as version 2.').waitFor();
      const problem = page.getByRole('list', { name: '1 problem' }).getByRole('button');
      await problem.waitFor();
      expect(await problem.textContent()).toContain('/steps/5/category');
      await page.getByRole('button', { name: /^Step thank\b.*1 problem/ }).waitFor();

      await pick(page, 'Activate version 2');
      await page.getByText(/Version 2 cannot be activated/).waitFor();
      expect((await get('/v1/workflows/typed')).active_version).toBe(1);

      await problem.click();
      const selected = page.locator('.react-flow__node.selected');
      await selected.filter({ hasText: 'thank' }).waitFor();
      // The cursor in the JSON selects too: none before the steps, the last one at their end.
      await code.and(page.locator(':focus')).waitFor();
      await page.keyboard.press('Control+Home');
      await selected.waitFor({ state: 'detached' });
      await page.keyboard.press('Control+End');
      for (let line = 0; line < 3; line++) await page.keyboard.press('ArrowUp');
      await selected.filter({ hasText: 'thank' }).waitFor();

      // A shape that the service refuses is shown where it is.
      await goInto('confirm');
      await page.keyboard.type('"wait_for": 5,');
      await pick(page, 'Save');
      await page.getByText('/steps/0/wait_for', { exact: true }).waitFor();
      expect((await get('/v1/workflows/typed')).latest_version).toBe(2);

      await page.getByRole('link', { name: 'Runs', exact: true }).click();
      await page.getByText('You have unsaved changes.').waitFor();
      await pick(page, 'Keep editing');
      await pick(page, 'Discard changes');
      await page.getByRole('dialog').getByRole('button', { name: 'Discard changes' }).click();
      await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
      expect(complaints.filter((each) => !each.includes('400'))).toEqual([]);
    },
    longMs,
  );

  test(
    'a reload loses nothing of a draft, and a version that somebody else saves meanwhile is told of',
    async () => {
      await flows.define('kept', [{ id: 'rest', kind: 'noop' }]);
      const { page, complaints } = await host.open('/test/workflows/kept');
      await pick(page, 'Steps');
      await node(page, 'rest').click();
      await page.getByLabel('Only if').fill('true');
      await page.getByText('Unsaved changes').waitFor();
      page.on('dialog', (dialog) => void dialog.accept());
      await page.reload();
      await page.getByText('Your unsaved changes were restored.').waitFor();
      await page.getByText('only if true').first().waitFor();

      const { status } = await host.app.request('POST', '/v1/workflows/kept/versions', {
        body: { body_json: JSON.stringify({ steps: [{ id: 'theirs', kind: 'noop' }] }) },
      });
      expect(status).toBe(201);
      await page.reload();
      await page.getByText('Version 2 was saved while you were editing').waitFor();
      await pick(page, 'Save');
      await page.getByText('Saved as version 3.').waitFor();
      expect((await bodyOf('kept', 3)).steps).toEqual([{ id: 'rest', kind: 'noop', when: 'true' }]);
      await page.reload();
      await page.getByText('only if true').first().waitFor();
      expect(await page.getByText('Your unsaved changes').count()).toBe(0);
      expect(complaints).toEqual([]);
    },
    longMs,
  );

  test(
    'a simulation plays on the graph with its clock, and sends nothing',
    async () => {
      await flows.define('played', orderSteps, orderSchema);
      const { page, complaints } = await host.open('/test/workflows/played?tab=simulate');
      await page.getByRole('button', { name: 'Remove event 1' }).click();
      await page.getByLabel('Start time').fill('2030-03-01T09:00');
      await pick(page, 'Simulate');
      await page.getByText('Step payment started').waitFor();
      await page.getByLabel('Speed').selectOption('4');
      await page.getByText('Step call: Sent').waitFor();
      await page.getByText('2 d after the start').waitFor();
      await page.getByText('Mar 3, 2030').first().waitFor();
      const states = (id: string) => node(page, id).textContent();
      expect(await states('payment')).toContain('Timed out');
      expect(await states('call')).toContain('Sent');
      expect(await states('thank')).not.toContain('Sent');
      await screenshot(page, 'workflow-simulated');
      await page.getByLabel('Position').fill('0');
      await page.getByText('Triggered', { exact: true }).waitFor();
      await pick(page, 'Next step');
      await page.getByText('Step confirm: Sent').waitFor();

      await pick(page, 'Add an event');
      await page.getByLabel('When').fill('5h');
      await pick(page, 'Simulate');
      await page.getByText('Step thank: Sent').waitFor();
      await page.getByText('5 h after the start').first().waitFor();
      expect((await get('/v1/workflows/played/runs')).items).toEqual([]);

      // Changes are saved first, since only what is saved can be simulated.
      await page.getByRole('link', { name: 'Build', exact: true }).click();
      await pick(page, 'Steps');
      await node(page, 'thank').click();
      await page.getByLabel('Only if').fill('event.amount > 10.0');
      await page.getByRole('link', { name: 'Simulate', exact: true }).click();
      await page.getByLabel('Data', { exact: true }).fill('{"order_id": "order_1", "amount": 5}');
      await pick(page, 'Save and simulate');
      await page.getByText('Step thank: Skipped').waitFor();
      expect((await bodyOf('played', 2)).steps[5].when).toBe('event.amount > 10.0');
      expect(complaints).toEqual([]);
    },
    longMs,
  );

  test(
    'a trigger leads to its run; the run waits, an event wakes it, another one is cancelled',
    async () => {
      await flows.define('watched', orderSteps, orderSchema);
      const { page, complaints } = await host.open('/test/workflows/watched');
      await pick(page, 'Trigger…');
      await page.getByLabel('Trigger data').fill('{"order_id": 5}');
      await pick(page, 'Start run');
      await page.getByText(/trigger_data does not match/).waitFor();
      const data = { order_id: 'A1', email: 'delivered@sandbox.test', external_user_id: 'ada' };
      await page.getByLabel('Trigger data').fill(JSON.stringify(data));
      await pick(page, 'Start run');
      await page.waitForURL('**/test/runs/*');
      const id = page.url().split('/').at(-1) ?? '';
      await page.getByText('Waiting for event order.paid.').waitFor();
      await page.getByRole('button', { name: /^Step payment\b.*Waiting/ }).waitFor();

      await pick(page, 'Post event…');
      expect(await page.getByLabel('Event', { exact: true }).inputValue()).toBe('order.paid');
      await page.getByLabel('Event data').fill('{"order_id": "A1", "amount": 42}');
      await pick(page, 'Post event');
      await page.getByText('1 run resumed.').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
      await flows.reaches(id, 'completed');
      await page.getByRole('button', { name: /^Step thank\b.*Sent/ }).waitFor();
      await node(page, 'payment').click();
      await page.getByRole('region', { name: 'Output' }).getByText('42').waitFor();
      await page.getByRole('button', { name: /^thank/ }).click();
      const link = page.getByRole('link', { name: 'Open notification' });
      const run = await flows.run(id);
      expect(await link.getAttribute('href')).toBe(
        `/test/notifications/${run.steps.at(-1)?.notification_id}`,
      );

      const other = await flows.trigger('watched', { ...data, order_id: 'A2' });
      await page.getByRole('link', { name: 'Runs', exact: true }).click();
      await page.getByRole('link', { name: other }).click();
      await pick(page, 'Cancel run');
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel run' }).click();
      await flows.reaches(other, 'cancelled');
      await page.getByText('Cancelled', { exact: true }).first().waitFor();

      await page.getByRole('link', { name: 'Runs', exact: true }).click();
      await page.getByLabel('Status').selectOption('completed');
      await page.getByRole('link', { name: other }).waitFor({ state: 'detached' });
      await page.getByRole('link', { name: id }).waitFor();
      await page.getByLabel('User id').fill('nobody');
      await page.getByText('No runs match.').waitFor();
      expect(page.url()).toContain('external_user_id=nobody');
      expect(complaints.filter((each) => !each.includes('422'))).toEqual([]);
    },
    longMs,
  );

  test(
    'versions are compared and restored; the active one is promoted with its difference shown first; disabling asks',
    async () => {
      await flows.define('moved', orderSteps, orderSchema);
      await flows.define('moved', orderSteps.slice(-1), orderSchema);
      const { page, complaints } = await host.open('/test/workflows/moved?tab=versions');
      await page.getByRole('heading', { name: 'Changes' }).waitFor();
      await page.getByText('how_much').first().waitFor();
      await page
        .getByRole('row', { name: /Version 1/ })
        .getByRole('button', { name: 'Restore' })
        .click();
      await page.getByText('Version 1 restored as version 3.').waitFor();
      expect((await bodyOf('moved', 3)).steps).toHaveLength(orderSteps.length);
      await page
        .getByRole('row', { name: /Version 3/ })
        .getByRole('button', { name: 'Activate' })
        .click();
      await page.getByRole('dialog').getByRole('button', { name: 'Activate' }).click();
      await page.getByText('Version 3 activated.').waitFor();

      await pick(page, 'More');
      await page.getByRole('menuitem', { name: 'Promote to Live…' }).click();
      await page.getByText('This workflow does not exist in Live yet.').waitFor();
      await page.getByText('how_much').first().waitFor();
      await screenshot(page, 'workflow-promote');
      await page.getByRole('dialog').getByRole('button', { name: 'Promote to Live' }).click();
      await page.getByText('Promoted to Live as version 1.').waitFor();
      expect((await get('/v1/workflows/moved', host.app.liveKey)).active_version).toBe(1);

      await pick(page, 'More');
      await page.getByRole('menuitem', { name: 'Disable…' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
      await page.getByText('Workflow disabled.').waitFor();
      expect((await get('/v1/workflows/moved')).status).toBe('disabled');
      expect(complaints).toEqual([]);
    },
    longMs,
  );

  test(
    'a viewer reads and simulates, and finds nothing to write with',
    async () => {
      await flows.define('read_only', orderSteps, orderSchema);
      const viewer = await addPerson(host.app, { email: 'vi@example.com', name: 'Vi', role: 'viewer' });
      const { page, complaints, go } = await host.open('/test/workflows', { as: viewer });
      await page
        .getByRole('link', { name: /read_only/ })
        .first()
        .waitFor();
      expect(await page.getByRole('button', { name: 'Create workflow' }).count()).toBe(0);
      await go('/test/workflows/read_only');
      await page.getByText('Your role has read-only access').waitFor();
      await pick(page, 'Steps');
      await node(page, 'payment').click();
      expect(await page.getByLabel('Event', { exact: true }).isDisabled()).toBe(true);
      for (const name of ['Save', 'Trigger…', 'More', 'Remove']) {
        expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
      }
      await page.getByRole('link', { name: 'Simulate', exact: true }).click();
      await pick(page, 'Simulate');
      await page.getByText('Step thank: Sent').waitFor();
      expect(complaints).toEqual([]);
    },
    longMs,
  );

  test(
    'what does not exist says so',
    async () => {
      const { page, go } = await host.open('/test/workflows/nowhere');
      await page.getByText('Not found.').waitFor();
      await go('/test/runs/01890000-0000-7000-8000-000000000000');
      await page.getByText('Not found.').waitFor();
    },
    longMs,
  );

  test('every page looks right everywhere', async () => {
    await flows.define('order_payment', orderSteps.slice(5), orderSchema);
    await flows.define('order_payment', orderSteps, orderSchema);
    await host.app.request('PATCH', '/v1/workflows/order_payment', {
      body: { name: 'Order payment', description: 'Thanks for a payment, or reminds.' },
    });
    const data = { email: 'delivered@sandbox.test', total: 250 };
    const runs: string[] = [];
    for (const user of ['ada', 'عبد الرحمن', 'u'.repeat(200)]) {
      runs.push(
        await flows.trigger('order_payment', { ...data, order_id: user.slice(0, 4), external_user_id: user }),
      );
    }
    const [first = '', second = ''] = runs;
    await flows.reaches(first, 'waiting');
    await flows.postToRun(first, 'order.paid', { order_id: 'ada', amount: 42 });
    await flows.reaches(first, 'completed');
    await flows.reaches(second, 'waiting');
    await flows.define('refunds', orderSteps.slice(-1));
    const failing = await flows.trigger('refunds', { email: 'no address' });
    expect((await flows.reaches(failing, 'failed')).failure_reason).toBeTruthy();

    const pages: [path: string, picture: string][] = [
      ['/test/workflows', 'workflows'],
      ['/test/workflows/order_payment', 'workflow'],
      ['/test/workflows/order_payment?tab=simulate', 'workflow-simulate'],
      ['/test/workflows/order_payment?tab=versions', 'workflow-versions'],
      ['/test/workflows/order_payment/runs', 'workflow-runs'],
      [`/test/runs/${second}`, 'run'],
      [`/test/runs/${failing}`, 'run-failed'],
    ];
    const found: string[] = [];
    for (const [path, picture] of pages) {
      found.push(...(await inspect(host, path, picture)).map((each) => `${picture}: ${each}`));
    }
    expect(found).toEqual([]);
  }, 240_000);
});
