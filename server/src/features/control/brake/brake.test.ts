import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp, waitUntil } from '../../../../test/harness/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings: { CARILLON_BRAKE_RECIPIENT_LIMIT: '20' } });
});
afterAll(() => app.stop());

/** Waits until the answer is truthy. */
const until = <Answer>(ask: () => Promise<Answer>): Promise<NonNullable<Answer>> =>
  waitUntil(async () => ((await ask()) as NonNullable<Answer>) || new Error('not yet'));

const rulePath = (key: string): string => `/v1/brake/rules/${key}`;
const putRule = (key: string, rule: object) =>
  app.request('PUT', rulePath(key), { body: { name: key, ...rule } });

/** The category is made first: a rule that names none that exists is refused. */
async function putCategoryRule(category: string, rule: object) {
  const fields = { key: category, name: category, default_channels: ['email'] };
  await app.request('POST', '/v1/preferences/categories', { body: fields });
  const made = await putRule(category, { match: { category }, ...rule });
  expect(made).toMatchObject({ status: 201 });
}

interface SendOptions {
  address?: string;
  category?: string;
  priority?: string;
  user?: string;
}

async function send({
  address = 'delivered@sandbox.test',
  user,
  ...rest
}: SendOptions = {}): Promise<string> {
  const recipient = { address, ...(user && { external_user_id: user }) };
  const body = { channel: 'email', recipient, subject: 'Hello', text_body: 'Hi', ...rest };
  const answer = await app.request('POST', '/v1/notifications', { body });
  expect(answer).toMatchObject({ status: 202 });
  return answer.body.id;
}

const sendMany = async (count: number, options: SendOptions): Promise<string[]> => {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) ids.push(await send(options));
  return ids;
};

const traceOf = async (id: string) => (await app.request('GET', `/v1/notifications/${id}/trace`)).body;
const statusOf = async (id: string): Promise<string> =>
  (await app.request('GET', `/v1/notifications/${id}`)).body.status;
const isHeld = async (id: string): Promise<boolean> =>
  (await traceOf(id)).entries.at(-1)?.verdict === 'hold' && (await statusOf(id)) === 'queued';

/** Waits until each notification is sent or held, and returns the held ones. */
async function heldOf(ids: string[]): Promise<string[]> {
  const held = new Set<string>();
  for (const id of ids) {
    await until(async () => {
      if (await isHeld(id)) held.add(id);
      return held.has(id) || !['queued', 'sending'].includes(await statusOf(id));
    });
  }
  return ids.filter((id) => held.has(id));
}

const holdOf = async (hold: string) =>
  (await app.request('GET', '/v1/brake/holds')).body.data.find(
    (each: { hold: string }) => each.hold === hold,
  );

async function waitForRelease(id: string) {
  return until(async () => {
    const { body } = await app.request('GET', `/v1/brake/releases/${id}`);
    return body.status === 'running' ? null : body;
  });
}

describe('a rule', () => {
  test('is created, read, listed, replaced and deleted, and each change is in the audit log', async () => {
    const made = await putRule('crud', {
      scope: 'environment',
      window: 'hour',
      limit: 1_000_000,
      is_enabled: false,
    });
    expect(made).toMatchObject({
      status: 201,
      body: {
        key: 'crud',
        action: 'hold',
        hold_expires_hours: 72,
        unit: 'messages',
        is_default: false,
        match: {},
      },
    });
    expect((await app.request('GET', rulePath('crud'))).body).toEqual(made.body);
    expect((await app.request('GET', '/v1/brake/rules')).body.data).toContainEqual(made.body);
    const changed = await putRule('crud', { scope: 'key', window: 'day', limit: 5, is_enabled: false });
    expect(changed).toMatchObject({ status: 200, body: { scope: 'key', window: 'day', limit: 5 } });
    expect(await app.request('DELETE', rulePath('crud'))).toMatchObject({ status: 204 });
    expect(await app.request('GET', rulePath('crud'))).toMatchObject({ status: 404 });
    const log = await app.request('GET', '/v1/audit-log?target=brake_rule:crud');
    expect(log.body.data.map(({ action }: { action: string }) => action)).toEqual([
      'brake_rule.deleted',
      'brake_rule.updated',
      'brake_rule.created',
    ]);
  });

  test.each([
    ['limit', { scope: 'environment', window: 'hour', limit: 0 }],
    ['limit', { scope: 'environment', window: 'hour', limit: 1e12 }],
    ['limit', { scope: 'environment', window: 'hour', limit: 1.5 }],
    ['limit', { scope: 'environment', window: 'hour', limit: -1 }],
    ['name', { scope: 'environment', window: 'hour', limit: 1, name: 'Clears\u001b[2Jthe screen' }],
    ['window', { scope: 'environment', limit: 1 }],
    ['window', { scope: 'environment', limit: 1, window: 'year' }],
    ['scope', { scope: 'planet', limit: 1, window: 'hour' }],
    ['scope', { scope: 'chain', limit: 3 }],
    ['action', { scope: 'environment', window: 'hour', limit: 1, action: 'refuse' }],
    ['per_template', { scope: 'environment', window: 'hour', limit: 1, per_template: true }],
    ['hold_expires_hours', { scope: 'environment', window: 'hour', limit: 1, hold_expires_hours: 0 }],
    ['match.channel', { scope: 'environment', window: 'hour', limit: 1, match: { channel: 'pigeon' } }],
    ['match.country', { scope: 'environment', window: 'hour', limit: 1, match: { country: 'IT' } }],
  ])('with a bad %s is refused by the name of the field: %j', async (param, rule) => {
    expect(await putRule('bad', rule)).toMatchObject({ status: 400, body: { error: { param } } });
  });

  test('that names what does not exist is refused, with the name that was meant', async () => {
    await putCategoryRule('offers', { scope: 'recipient', window: 'hour', limit: 9 });
    const other = '00000000-0000-7000-8000-000000000000';
    for (const [match, param, hint] of [
      [{ category: 'Offers' }, 'match.category', 'Did you mean offers?'],
      [{ category: 'weather' }, 'match.category', 'no category weather.'],
      [{ template_key: 'nothing' }, 'match.template_key', 'no template nothing.'],
      [{ workflow_key: 'nothing' }, 'match.workflow_key', 'no workflow nothing.'],
      [{ key_id: other }, 'match.key_id', 'no API key'],
    ] as const)
      expect(await putRule('bad', { scope: 'recipient', window: 'hour', limit: 1, match })).toMatchObject({
        status: 400,
        body: { error: { param, message: expect.stringContaining(hint) } },
      });
    expect((await app.request('DELETE', rulePath('offers'))).status).toBe(204);
  });

  test('of the defaults is in force in Live and can be replaced, not deleted', async () => {
    const list = await app.request('GET', '/v1/brake/rules', { key: app.liveKey });
    const keys = list.body.data.map(({ key }: { key: string }) => key);
    expect(keys).toEqual(['repeated_messages', 'spike', 'workflow_loop']);
    const path = rulePath('repeated_messages');
    const options = { key: app.liveKey };
    expect(await app.request('DELETE', path, options)).toMatchObject({
      status: 409,
      body: { error: { code: 'brake_rule_default' } },
    });
    const off = { name: 'Off', scope: 'recipient', window: 'hour', limit: 20, is_enabled: false };
    expect(await app.request('PUT', path, { ...options, body: off })).toMatchObject({ status: 201 });
    expect((await app.request('GET', path, options)).body).toMatchObject({
      is_default: false,
      is_enabled: false,
    });
    expect(await app.request('DELETE', path, options)).toMatchObject({ status: 204 });
    expect((await app.request('GET', path, options)).body).toMatchObject({
      is_default: true,
      is_enabled: true,
    });
  });
});

describe('over a limit', () => {
  test('sends to a recipient are held, and the trace names the rule; other recipients and critical sends pass', async () => {
    await app.request('POST', '/v1/preferences/categories', {
      body: { key: 'limited', name: 'Limited', default_channels: ['email'] },
    });
    await putRule('per_recipient', {
      scope: 'recipient',
      window: 'hour',
      limit: 3,
      match: { category: 'limited' },
    });
    expect(await heldOf(await sendMany(3, { category: 'limited' }))).toEqual([]);
    // One after the other, because a release begins with what was held first.
    const held = [
      ...(await heldOf(await sendMany(1, { category: 'limited' }))),
      ...(await heldOf(await sendMany(1, { category: 'limited' }))),
    ];
    expect(held).toHaveLength(2);
    const trace = await traceOf(held[0] ?? '');
    expect(trace.entries.at(-1)).toMatchObject({ name: 'brake', verdict: 'hold' });
    expect(trace.summary).toContain('The rule per_recipient allows 3 messages per hour for each recipient');
    expect(
      await heldOf(await sendMany(1, { category: 'limited', address: 'slow+other@sandbox.test' })),
    ).toEqual([]);
    expect(await heldOf(await sendMany(1, { category: 'limited', priority: 'critical' }))).toEqual([]);

    const hold = await holdOf('per_recipient');
    expect(hold).toMatchObject({ count: 2, is_capped: false, rule_name: 'per_recipient' });
    expect(hold.samples.map((each: { notification_id: string }) => each.notification_id).sort()).toEqual(
      held,
    );
    const preview = await app.request('GET', '/v1/brake/holds/per_recipient');
    expect(preview.body).toMatchObject({
      count: 2,
      recipients: 1,
      by_channel: [{ channel: 'email', count: 2 }],
      samples: [{ subject: 'Hello', text: 'Hi', error: null }, {}],
    });

    const first = await app.request('POST', '/v1/brake/holds/per_recipient/release', {
      body: { action: 'release', limit: 1 },
    });
    expect(first).toMatchObject({ status: 202, body: { status: 'running', total: 1, action: 'release' } });
    expect(await waitForRelease(first.body.id)).toMatchObject({ status: 'done', done: 1, total: 1 });
    await app.waitFor(held[0] ?? '', ({ status }) => status === 'delivered');
    expect((await traceOf(held[0] ?? '')).entries).toContainEqual(
      expect.objectContaining({ name: 'brake', verdict: 'released' }),
    );
    expect(await holdOf('per_recipient')).toMatchObject({ count: 1 });

    // Cancelled twice at once: the second finds nothing left.
    const cancel = () =>
      app.request('POST', '/v1/brake/holds/per_recipient/release', { body: { action: 'cancel' } });
    const jobs = await Promise.all([cancel(), cancel()]);
    const done = await Promise.all(jobs.map(({ body }) => waitForRelease(body.id)));
    expect(done.reduce((sum, each) => sum + each.done, 0)).toBe(1);
    const ended = await app.waitFor(held[1] ?? '', ({ status }) => status === 'suppressed');
    expect(ended).toMatchObject({ suppression_reason: 'held_cancelled' });
    expect(await holdOf('per_recipient')).toBeUndefined();
  });

  test('a hold that nobody releases in time is suppressed as held_expired', async () => {
    await putCategoryRule('short', { scope: 'recipient', window: 'hour', limit: 1 });
    const [held = ''] = await heldOf(await sendMany(2, { category: 'short' }));
    await app.pool.query(
      `update queue_later set run_at = now(), note = jsonb_set(note, '{held,expires}', '1') where id = $1`,
      [held],
    );
    const ended = await app.waitFor(held, ({ status }) => status === 'suppressed');
    expect(ended.suppression_reason).toBe('held_expired');
  });

  test('a held notification that is changed stays held', async () => {
    await putCategoryRule('patched', { scope: 'recipient', window: 'hour', limit: 1 });
    const [held = ''] = await heldOf(await sendMany(2, { category: 'patched' }));
    const soon = new Date(Date.now() + 300).toISOString();
    const changed = await app.request('PATCH', `/v1/notifications/${held}`, {
      body: { subject: 'Changed', send_at: soon },
    });
    expect(changed).toMatchObject({ status: 200 });
    await until(async () => (await holdOf('patched'))?.samples[0]?.expires_at > soon);
    await until(async () => {
      const { rows } = await app.pool.query('select run_at from queue_later where id = $1', [held]);
      return rows[0]?.run_at > new Date(Date.now() + 3_600_000);
    });
    expect(await isHeld(held)).toBe(true);
  });

  test('a frequency cap delays until the window opens, or suppresses', async () => {
    const cap = { scope: 'recipient', window: 'day', limit: 2 };
    await putCategoryRule('capped_delay', { ...cap, action: 'delay' });
    await putCategoryRule('capped_suppress', { ...cap, action: 'suppress' });
    const sent = await sendMany(3, { category: 'capped_suppress', user: 'ada' });
    // Sends of one moment are judged in any order, so the suppressed one need not be the last.
    const ended = await Promise.all(
      sent.map((id) => app.waitFor(id, ({ status }) => ['delivered', 'suppressed'].includes(status))),
    );
    expect(ended.map(({ suppression_reason: reason }) => reason ?? '').sort()).toEqual([
      '',
      '',
      'frequency_capped',
    ]);

    const [delayed = ''] = await heldOf(await sendMany(3, { category: 'capped_delay', user: 'ada' }));
    const { next_attempt_at: opens, summary } = await traceOf(delayed);
    expect(summary).toContain('delayed until');
    expect(Date.parse(opens) - Date.now()).toBeGreaterThan(23 * 3_600_000);
    expect(Date.parse(opens) - Date.now()).toBeLessThan(25 * 3_600_000);
    // The window has moved on by a day.
    await app.pool.query(
      `update brake_counts set slot_at = slot_at - interval '25 hours', past = 0, past_slots = null, past_amounts = null`,
    );
    await app.pool.query('update queue_later set run_at = now() where id = $1', [delayed]);
    await app.waitFor(delayed, ({ status }) => status === 'delivered');
  });

  test('one address under many user ids and spellings, and one user with many addresses, are one recipient', async () => {
    await putCategoryRule('spelled', { scope: 'recipient', window: 'day', limit: 1, action: 'suppress' });
    const ended = async (options: SendOptions) => {
      const id = await send({ category: 'spelled', ...options });
      return (await app.waitFor(id, ({ status }) => ['delivered', 'suppressed'].includes(status))).status;
    };
    const address = 'jos\u00e9@m\u00fcnchen.example';
    expect(await ended({ address, user: 'zo\u00eb' })).toBe('delivered');
    expect(await ended({ address: address.normalize('NFD'), user: 'other-1' })).toBe('suppressed');
    expect(await ended({ address: 'Jos\u00e9@xn--mnchen-3ya.example', user: 'other-2' })).toBe('suppressed');
    expect(await ended({ address: 'else@example.com', user: 'zoe\u0308' })).toBe('suppressed');
    expect(await ended({ address: 'else@example.com', user: 'other-3' })).toBe('delivered');
  });

  test('the default rule holds repetitions in Test too, except to addresses of the sandbox', async () => {
    const template = { key: 'repeated', name: 'Repeated', subject_template: 'Hi', html_body_template: 'Hi' };
    expect((await app.request('POST', '/v1/templates', { body: template })).status).toBe(201);
    const sendAll = (address: string) =>
      app.request('POST', '/v1/notifications/batch', {
        body: {
          notifications: Array.from({ length: 21 }, () => ({
            ...{ channel: 'email', recipient: { address }, template_key: 'repeated' },
          })),
        },
      });
    const idsOf = async (address: string): Promise<string[]> =>
      (await sendAll(address)).body.data.map(
        (each: { notification: { id: string } }) => each.notification.id,
      );
    expect(await heldOf(await idsOf('delivered+often@sandbox.test'))).toEqual([]);
    expect(await heldOf(await idsOf('often@example.com'))).toHaveLength(1);
    expect(await holdOf('repeated_messages')).toMatchObject({ count: 1 });
  });

  test('a rule that only notifies stops nothing and is shown as engaged', async () => {
    await putCategoryRule('watched', { scope: 'category', window: 'hour', limit: 1, action: 'notify' });
    expect(await heldOf(await sendMany(3, { category: 'watched' }))).toEqual([]);
    const engaged = await until(async () =>
      (await app.request('GET', '/v1/brake')).body.engaged.find(
        (each: { rule: string }) => each.rule === 'watched',
      ),
    );
    expect(engaged.detail).toContain('1 message per hour for each category');
  });
});

test('a preview counts a person who is held on two channels once', async () => {
  await app.request('POST', '/v1/brake/freeze', { body: {} });
  const external_user_id = 'two-channels';
  for (const more of [
    { channel: 'email', recipient: { external_user_id, address: 'two@example.com' } },
    { channel: 'in_app', recipient: { external_user_id } },
  ])
    await app.request('POST', '/v1/notifications', {
      body: { ...more, subject: 'Hi', text_body: 'Hi', html_body: '<p>Hi</p>' },
    });
  await waitUntil(async () => {
    const hold = await holdOf('freeze:all');
    return hold?.count === 2 || new Error(JSON.stringify(hold));
  });
  const preview = await app.request('GET', '/v1/brake/holds/freeze:all');
  expect(preview.body).toMatchObject({ count: 2, recipients: 1 });
  expect(preview.body.by_channel).toHaveLength(2);
  await app.request('POST', '/v1/brake/unfreeze', { body: {} });
});
