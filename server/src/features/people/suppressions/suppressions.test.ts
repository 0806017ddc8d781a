import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const add = (body: unknown, key = app.testKey) => app.request('POST', '/v1/suppressions', { body, key });
const at = (address: string) => `/v1/suppressions/${encodeURIComponent(address)}`;

async function send(address: string, more: object = {}) {
  const { body } = await app.request('POST', '/v1/notifications', {
    body: { channel: 'email', recipient: { address }, subject: 'Hello', text_body: 'Hi', ...more },
  });
  return body;
}

describe('the list', () => {
  test('takes an address once: 201, then 200 with the entry as it was', async () => {
    const first = await add({ address: 'Twice@Example.com' });
    expect(first.status).toBe(201);
    expect(first.body).toEqual({
      id: expect.any(String),
      address: 'twice@example.com',
      reason: 'manual_add',
      source: 'manual',
      diagnostic_detail: null,
      triggering_notification_id: null,
      suppressed_at: expect.stringMatching(/Z$/),
    });
    const again = await add({ address: 'twice@EXAMPLE.com', reason: 'complaint' });
    expect([again.status, again.body]).toEqual([200, first.body]);
  });

  test('finds every spelling of an address', async () => {
    await add({ address: 'Jörg@Bücher.example' });
    for (const spelling of ['jörg@bücher.example', 'JÖRG@xn--bcher-kva.example']) {
      expect((await app.request('GET', at(spelling))).body.address).toBe('jörg@xn--bcher-kva.example');
      const listed = await app.request('GET', `/v1/suppressions?address=${encodeURIComponent(spelling)}`);
      expect(listed.body.data).toHaveLength(1);
    }
    expect((await app.request('GET', at('jörg+tag@bücher.example'))).status).toBe(404);
  });

  test('is searched by what an address begins with, and takes every sign for itself', async () => {
    for (const address of ['under_score@prefix.test', 'undertaker@prefix.test', '+390612345678'])
      await add({ address });
    const found = async (search: string) => {
      const path = `/v1/suppressions?search=${encodeURIComponent(search)}`;
      return (await app.request('GET', path)).body.data.map(({ address }: { address: string }) => address);
    };
    expect(await found('Under')).toEqual(['undertaker@prefix.test', 'under_score@prefix.test']);
    expect(await found('under_')).toEqual(['under_score@prefix.test']);
    expect(await found('+3906')).toEqual(['+390612345678']);
    expect(await found('prefix')).toEqual([]);
    expect(await found('%')).toEqual([]);
    for (const search of ['', 'x'.repeat(201), '\0']) {
      const refused = await app.request('GET', `/v1/suppressions?search=${encodeURIComponent(search)}`);
      expect(refused).toMatchObject({ status: 400, body: { error: { param: 'search' } } });
    }
  });

  test('takes phone numbers, and gives up what is removed', async () => {
    expect((await add({ address: '+14155550123', reason: 'unsubscribed' })).body).toMatchObject({
      address: '+14155550123',
      reason: 'unsubscribed',
    });
    expect((await app.request('DELETE', at('+14155550123'))).status).toBe(204);
    expect((await app.request('GET', at('+14155550123'))).status).toBe(404);
    expect((await app.request('DELETE', at('+14155550123'))).status).toBe(404);
    expect((await add({ address: '+14155550123' })).status).toBe(201);
  });

  test('is newest first, 25 a page, with has_more and filters', async () => {
    for (let n = 0; n < 27; n += 1) await add({ address: `page${n}@example.com`, reason: 'complaint' });
    const first = await app.request('GET', '/v1/suppressions?reason=complaint');
    expect(first.body.data).toHaveLength(25);
    expect(first.body.has_more).toBe(true);
    expect(first.body.data[0].address).toBe('page26@example.com');
    const rest = await app.request(
      'GET',
      `/v1/suppressions?reason=complaint&cursor=${first.body.next_cursor}`,
    );
    expect(rest.body).toMatchObject({
      data: [{ address: 'page1@example.com' }, { address: 'page0@example.com' }],
      has_more: false,
      next_cursor: null,
    });
  });

  test('belongs to its environment', async () => {
    await add({ address: 'wall@example.com' });
    expect((await app.request('GET', at('wall@example.com'), { key: app.liveKey })).status).toBe(404);
    expect((await app.request('DELETE', at('wall@example.com'), { key: app.liveKey })).status).toBe(404);
    expect((await add({ address: 'wall@example.com' }, app.liveKey)).status).toBe(201);
  });

  test('takes one of twenty who add the same address at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => add({ address: 'race@example.com' })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  });

  test('what people change is in the audit log, without the address', async () => {
    const { body } = await add({ address: 'audited@example.com' });
    await app.request('DELETE', `${at('audited@example.com')}?note=asked%20for%20it`);
    const log = await app.request('GET', `/v1/audit-log?target=suppression:${body.id}`);
    expect(log.body.data.map((entry: { action: string }) => entry.action)).toEqual([
      'suppression.removed',
      'suppression.added',
    ]);
    expect(log.body.data[0].after).toEqual({ note: 'asked for it' });
    expect(JSON.stringify(log.body)).not.toContain('audited@');
  });
});

describe('bad input', () => {
  test.each([
    [{}, 'parameter_missing', 'address'],
    [{ address: '' }, 'parameter_invalid', 'address'],
    [{ address: 'ada' }, 'parameter_invalid', 'address'],
    [{ address: 'Ada <ada@example.com>' }, 'parameter_invalid', 'address'],
    [{ address: '0171 234' }, 'parameter_invalid', 'address'],
    [{ address: 5 }, 'parameter_invalid', 'address'],
    [{ address: `${'a'.repeat(400)}@example.com` }, 'parameter_invalid', 'address'],
    [{ address: 'ada@example.com', reason: 'dislike' }, 'parameter_invalid', 'reason'],
  ])('%j is refused', async (body, code, param) => {
    const answer = await add(body);
    expect([answer.status, answer.body.error.code, answer.body.error.param]).toEqual([400, code, param]);
  });

  test.each(['limit=0', 'limit=101', 'reason=category_opt_out', 'address=nobody'])(
    '?%s is refused',
    async (search) => {
      const { status, body } = await app.request('GET', `/v1/suppressions?${search}`);
      expect([status, body.error.param]).toEqual([400, search.split('=')[0]]);
    },
  );

  test('an address that cannot be one names nothing', async () => {
    for (const path of ['nobody', '%00', 'a%0Db@example.com', '%20'])
      expect((await app.request('GET', `/v1/suppressions/${path}`)).status).toBe(404);
  });
});

describe('refusals add themselves', () => {
  test.each([
    ['bounced+a@sandbox.test', 'bounced', 'hard_bounce'],
    ['complained+a@sandbox.test', 'complained', 'complaint'],
    ['no-such-user+a@sandbox.test', 'bounced', 'hard_bounce'],
  ])('%s ends %s and is suppressed as %s', async (address, status, reason) => {
    const { id } = await send(address);
    await app.waitFor(id, (n) => n.status === status);
    const { body } = await app.request('GET', at(address));
    expect(body).toMatchObject({
      address,
      reason,
      source: 'provider',
      triggering_notification_id: id,
      diagnostic_detail: expect.any(String),
    });
    const second = await send(address.toUpperCase());
    const held = await app.waitFor(second.id, (n) => n.status === 'suppressed');
    expect(held).toMatchObject({ suppression_reason: reason, attempt_count: 0 });
    expect(held.events.at(-1)).toMatchObject({ type: 'Suppressed', suppression_reason: reason });
    const trace = await app.request('GET', `/v1/notifications/${second.id}/trace`);
    expect(
      trace.body.entries.map((entry: { name: string; verdict: string }) => [entry.name, entry.verdict]),
    ).toEqual([
      ['still_wanted', 'pass'],
      ['suppression_list', 'suppress'],
    ]);
    await app.request('DELETE', at(address));
    const third = await send(address);
    await app.waitFor(third.id, (n) => n.status === status);
  });

  test("the sandbox's own addresses do their trick again and again", async () => {
    for (let n = 0; n < 2; n += 1) {
      const { id } = await send('bounced@sandbox.test');
      await app.waitFor(id, (seen) => seen.status === 'bounced');
    }
    expect((await app.request('GET', at('bounced@sandbox.test'))).status).toBe(404);
    await add({ address: 'bounced@sandbox.test' });
    const { id } = await send('bounced@sandbox.test');
    await app.waitFor(id, (seen) => seen.status === 'suppressed');
    await app.request('DELETE', at('bounced@sandbox.test'));
  });

  test('a refusal for reasons of policy suppresses nobody', async () => {
    const { id } = await send('refused+a@sandbox.test');
    await app.waitFor(id, (n) => n.status === 'failed');
    expect((await app.request('GET', at('refused+a@sandbox.test'))).status).toBe(404);
  });

  test('a receipt that comes later counts as well, unless it is a soft bounce', async () => {
    const receipt = async (address: string, soft: boolean) => {
      const { id } = await send(address);
      await app.waitFor(id, (n) => n.status === 'delivered');
      await app.pool.query(`update notifications set status = 'sent' where id = $1`, [id]);
      await app.deps.queue.enqueue(app.pool, [
        {
          kind: 'receipt',
          id: crypto.randomUUID(),
          lane: 'normal',
          environmentId: app.testEnvironmentId,
          note: { notification_id: id, type: 'Bounced', detail: '552 5.2.2 full', soft },
        },
      ]);
      app.deps.queue.ring('receipt');
      await app.waitFor(id, (n) => n.status === 'bounced');
      return (await app.request('GET', at(address))).status;
    };
    expect(await receipt('late@example.com', false)).toBe(200);
    expect(await receipt('full@example.com', true)).toBe(404);
  });

  test('an entry holds for every spelling of the address, and for the others not', async () => {
    await add({ address: 'Zoë@Bücher.example' });
    await add({ address: 'IRIS@example.com' });
    const ids = await Promise.all(
      ['zoë@xn--bcher-kva.example', 'ZOË@BÜCHER.example', 'Iris@Example.com', 'iris+x@example.com'].map(
        async (address) => (await send(address)).id,
      ),
    );
    const isFinal = ({ status }: { status: string }) => ['suppressed', 'delivered'].includes(status);
    const ends = await Promise.all(ids.map((id) => app.waitFor(id, isFinal)));
    expect(ends.map(({ suppression_reason }) => suppression_reason)).toEqual([
      'manual_add',
      'manual_add',
      'manual_add',
      null,
    ]);
  });

  test('a suppressed number gets no text message, and other channels are not concerned', async () => {
    await add({ address: '+14155550199' });
    const sms = await app.request('POST', '/v1/notifications', {
      body: { channel: 'sms', recipient: { address: '+14155550199' }, text_body: 'Hi' },
    });
    await app.waitFor(sms.body.id, (n) => n.status === 'suppressed');
    await add({ address: 'inapp@example.com' });
    const inApp = await app.request('POST', '/v1/notifications', {
      body: { channel: 'in_app', recipient: { address: 'inapp@example.com' }, html_body: 'Hi' },
    });
    const done = await app.waitFor(inApp.body.id, (n) => n.status !== 'queued' && n.status !== 'sending');
    expect(done.status).not.toBe('suppressed');
  });
});
