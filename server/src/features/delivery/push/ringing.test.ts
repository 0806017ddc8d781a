import { beforeEach, describe, expect, it } from 'vitest';
import { waitUntil } from '../../../../test/harness/app.ts';
import { workKinds } from '../../../queue/index.ts';
import { decisionOf } from './ring.ts';
import { addTraceEntries } from './ring-store.ts';
import { kinds, usePush } from './test-harness.ts';

const push = usePush();

beforeEach(() => {
  for (const simulator of [push.webPush, push.apns, push.fcm]) {
    simulator.fault = null;
    simulator.faults.length = 0;
    simulator.received.length = 0;
  }
});

const isDone = (count: number) => (entries: unknown[]) => entries.length >= count;

describe('an item that arrives in an inbox', () => {
  it('rings every device of its user, and the trace has the outcome of each', async () => {
    const { endpoint, apnsToken, fcmToken, ids } = await push.addDevices('ada');
    await push.addDevices('somebody-else');
    const id = await push.send('ada');
    const entries = await push.trace(id, isDone(3));
    expect(entries.map(({ kind, provider_kind, verdict }) => [kind, provider_kind, verdict]).sort()).toEqual(
      kinds.map((kind) => ['attempt', kind, 'accepted']).sort(),
    );
    for (const [index, deviceId] of ids.entries())
      expect(entries.find(({ provider_kind }) => provider_kind === kinds[index])?.detail).toContain(deviceId);
    expect(push.webPush.received).toMatchObject([
      {
        endpoint,
        headers: { urgency: 'normal', ttl: '86400', topic: id.replaceAll('-', '') },
        payload: {
          type: 'ring',
          id,
          title: 'Order shipped',
          body: 'Your order is on its way.',
          url: 'https://shop.example/orders/1815',
        },
      },
    ]);
    expect(push.apns.received).toMatchObject([
      {
        token: apnsToken,
        payload: { aps: { alert: { title: 'Order shipped', body: 'Your order is on its way.' } } },
      },
    ]);
    expect(push.fcm.received).toMatchObject([
      {
        token: fcmToken,
        message: { notification: { title: 'Order shipped', body: 'Your order is on its way.' } },
      },
    ]);
    const { body } = await push.live('GET', '/v1/users/ada/devices');
    expect(body.data.map((device: { last_outcome: string }) => device.last_outcome)).toEqual([
      'accepted',
      'accepted',
      'accepted',
    ]);
    // The notification itself was delivered to the inbox.
    expect((await push.live('GET', `/v1/notifications/${id}`)).body.status).toBe('delivered');
  });

  it('rings with the urgency of its priority', async () => {
    await push.addDevices('urgent');
    const critical = await push.send('urgent', { priority: 'critical' });
    const bulk = await push.send('urgent', { priority: 'bulk' });
    await push.trace(critical, isDone(3));
    await push.trace(bulk, isDone(3));
    const urgencies = push.webPush.received.map(({ headers, payload }) => [payload.id, headers.urgency]);
    expect(Object.fromEntries(urgencies)).toEqual({ [critical]: 'high', [bulk]: 'low' });
  });

  it('does not ring during a freeze, unless it is critical', async () => {
    await push.addDevices('frozen');
    await push.save({ ...push.allServices(), ring: { mode: 'unseen', after_seconds: 60 } });
    const [id, critical] = [await push.send('frozen'), await push.send('frozen', { priority: 'critical' })];
    for (const each of [id, critical]) await push.app.waitFor(each, ({ status }) => status === 'delivered');
    await push.live('POST', '/v1/brake/freeze', { channel: 'in_app' });
    await push.app.pool.query('update queue_later set run_at = now() where kind = $1', [workKinds.push]);
    expect(await push.trace(id, isDone(1))).toEqual([
      expect.objectContaining({ verdict: 'not_rung', detail: 'The channel in_app is frozen.' }),
    ]);
    expect((await push.trace(critical, isDone(3))).map(({ kind }) => kind)).toEqual(Array(3).fill('attempt'));
    expect(push.pushesOf(id)).toEqual([]);
    await push.live('POST', '/v1/brake/unfreeze', { channel: 'in_app' });
    await push.save(push.allServices());
  });

  it('removes devices that are gone, and says so', async () => {
    const { endpoint, apnsToken, fcmToken } = await push.addDevices('gone');
    push.webPush.unsubscribe(endpoint);
    push.apns.gone.add(apnsToken);
    push.fcm.gone.add(fcmToken);
    const entries = await push.trace(await push.send('gone'), isDone(3));
    expect(entries.map(({ verdict }) => verdict)).toEqual(['gone', 'gone', 'gone']);
    expect((await push.live('GET', '/v1/users/gone/devices')).body.data).toEqual([]);
  });

  it('rings only the devices again that failed in passing, until they accept it', async () => {
    await push.addDevices('again');
    push.apns.faults.push({ status: 503, body: { reason: 'ServiceUnavailable' } }, { status: 500 });
    const id = await push.send('again');
    const entries = await push.trace(id, isDone(5));
    const verdicts = (kind: string) =>
      entries.filter(({ provider_kind }) => provider_kind === kind).map(({ verdict }) => verdict);
    expect(verdicts('apns')).toEqual(['retry', 'retry', 'accepted']);
    expect(verdicts('web_push')).toEqual(['accepted']);
    expect(push.pushesOf(id).sort()).toEqual([...kinds].sort());
  });

  it('gives up after the last retry, and on settings that a service refuses at once', async () => {
    await push.addDevices('refused');
    push.apns.fault = { status: 503 };
    push.fcm.fault = { status: 403, body: { error: { status: 'PERMISSION_DENIED', message: 'no' } } };
    const entries = await push.trace(await push.send('refused'), isDone(8));
    await push.idle();
    const verdicts = entries.map(({ provider_kind, verdict }) => `${provider_kind} ${verdict}`);
    expect(verdicts.filter((verdict) => verdict === 'apns retry').length).toBe(6);
    expect(verdicts.filter((verdict) => verdict.startsWith('fcm'))).toEqual(['fcm broken']);
  });

  it('ends in the sandbox in a Test environment', async () => {
    const { app } = push;
    await push.addDevices('tester', app.testKey);
    const id = await push.send('tester', {}, app.testKey);
    const entries = await push.trace(id, isDone(3), app.testKey);
    expect(new Set(entries.map(({ code }) => code))).toEqual(new Set(['sandbox']));
    expect(push.pushesOf(id)).toEqual([]);
    const { body } = await app.request('GET', '/v1/sandbox/messages');
    const kept = body.data.filter((message: { notification_id: string }) => message.notification_id === id);
    expect(kept.filter(({ payload }: { payload: { push?: object } }) => payload.push).length).toBe(3);
    const content = await app.request('GET', `/v1/notifications/${id}/content`);
    const own = kept.find(({ payload }: { payload: { push?: object } }) => !payload.push);
    expect(content.body.sandbox_message_id).toBe(own?.id ?? null);
  });
});

describe('when an item rings', () => {
  const category = (key: string, mode: object | null) =>
    push.live('POST', '/v1/preferences/categories', {
      key,
      name: key,
      default_channels: ['in_app'],
      push: mode,
    });

  it('is a setting of its category: never, or only when it was not seen', async () => {
    await push.addDevices('settings');
    await category('quiet', { mode: 'never' });
    await category('patient', { mode: 'unseen', after_seconds: 1 });
    const quiet = await push.send('settings', { category: 'quiet' });
    const seen = await push.send('settings', { category: 'patient' });
    const unseen = await push.send('settings', { category: 'patient' });
    await waitUntil(async () => {
      const { body } = await push.as('settings', 'POST', `/inbox/v1/notifications/${seen}/read`);
      return body.is_read === true || new Error(JSON.stringify(body));
    }, 10_000);
    await push.trace(unseen, isDone(3));
    await push.idle();
    expect(push.pushesOf(quiet)).toEqual([]);
    expect(push.pushesOf(seen)).toEqual([]);
    expect(push.withdrawalsOf(seen)).toEqual([]);
    expect(push.pushesOf(unseen).sort()).toEqual([...kinds].sort());
  });

  it('is a setting of its template before that of its category', async () => {
    await push.addDevices('templates');
    await category('silent', { mode: 'never' });
    const created = await push.live('POST', '/v1/templates', {
      key: 'loud',
      name: 'Loud',
      bodies: [{ channel: 'in_app', subject_template: 'Hi {{ name }}', text_template: 'Hello.' }],
      push: { mode: 'always' },
    });
    expect(created.body.push).toEqual({ mode: 'always', after_seconds: null });
    const templated = {
      template_key: 'loud',
      template_data: { name: 'Ada' },
      subject: undefined,
      html_body: undefined,
    };
    const loud = await push.send('templates', { category: 'silent', ...templated });
    await push.trace(loud, isDone(3));
    expect(push.webPush.received.at(-1)?.payload).toMatchObject({ title: 'Hi Ada', body: 'Hello.' });
    await push.live('PATCH', '/v1/templates/loud', { push: null });
    const silent = await push.send('templates', { category: 'silent', ...templated });
    await push.live('PATCH', '/v1/templates/loud', { push: { mode: 'always' } });
    const again = await push.send('templates', { category: 'silent', ...templated });
    await push.trace(again, isDone(3));
    expect(push.pushesOf(silent)).toEqual([]);
  });

  it('is not while the inbox is open on a visible page', async () => {
    await push.addDevices('watching');
    const presence = (page: string, visible: boolean) =>
      push.as('watching', 'PUT', '/inbox/v1/presence', { page, visible });
    expect((await presence('one', true)).status).toBe(204);
    await presence('two', true);
    await presence('one', false);
    const id = await push.send('watching');
    const entries = await push.trace(id, isDone(1));
    expect(entries).toMatchObject([
      { kind: 'decision', verdict: 'not_rung', detail: 'The inbox is open on a visible page.' },
    ]);
    await presence('two', false);
    const later = await push.send('watching');
    await push.trace(later, isDone(3));
    expect(push.pushesOf(id)).toEqual([]);
    await push.as('watching', 'POST', `/inbox/v1/notifications/${id}/read`);
    await push.idle();
    expect(push.withdrawalsOf(id)).toEqual([]);
  });
});

describe('an item that is read or archived', () => {
  it.each(['read', 'archive'])('is withdrawn from the devices: %s', async (verb) => {
    const user = `reader-${verb}`;
    await push.addDevices(user);
    const id = await push.send(user);
    await push.trace(id, isDone(3));
    await push.as(user, 'POST', `/inbox/v1/notifications/${id}/${verb}`);
    const entries = await push.trace(id, isDone(4));
    expect(entries.at(-1)).toMatchObject({
      verdict: 'withdrawn',
      detail: 'Withdrawn from 3 of 3 devices: the item was read or archived.',
    });
    expect(push.withdrawalsOf(id).sort()).toEqual([...kinds].sort());
    await push.as(user, 'POST', `/inbox/v1/notifications/${id}/unread`);
    await push.as(user, 'POST', `/inbox/v1/notifications/${id}/read`);
    await push.idle();
    expect(push.withdrawalsOf(id).length).toBe(3); // what was withdrawn is gone
  });

  it('is withdrawn with the others by one message, when all are read', async () => {
    await push.addDevices('all');
    const ids = await Promise.all(Array.from({ length: 5 }, () => push.send('all')));
    for (const id of ids) await push.trace(id, isDone(3));
    await push.as('all', 'POST', '/inbox/v1/notifications/mark-all-read', {});
    for (const id of ids) await push.trace(id, isDone(4));
    const withdrawals = push.webPush.received.filter(({ payload }) => payload.type === 'withdraw');
    expect(withdrawals.map(({ payload }) => [...payload.ids].sort())).toEqual([[...ids].sort()]);
  });

  it('is withdrawn with many others by several messages, which each have room for 50', async () => {
    await push.addDevices('many');
    const first = await push.send('many');
    await push.trace(first, isDone(3));
    const owner = [push.app.liveEnvironmentId, 'many'];
    await push.app.pool.query(
      `insert into inbox_items (id, environment_id, external_user_id, position, data, bytes, rung_at)
       select id, $1, $2, id, '{}', 0, now() from (select gen_random_uuid() as id from generate_series(1, 120)) n`,
      owner,
    );
    await push.app.pool.query(
      'update inboxes set unread = unread + 120 where environment_id = $1 and external_user_id = $2',
      owner,
    );
    await push.as('many', 'POST', '/inbox/v1/notifications/mark-all-read', {});
    await push.idle();
    const withdrawals = push.webPush.received.flatMap(({ payload }) =>
      payload.type === 'withdraw' ? [payload.ids] : [],
    );
    expect(withdrawals.map((ids) => ids.length).sort()).toEqual([21, 50, 50]);
    expect(new Set(withdrawals.flat()).size).toBe(121);
  });

  it('is withdrawn after the push, even when it is read while the devices ring', async () => {
    await push.addDevices('race');
    const order: string[] = [];
    let reading: Promise<unknown> | null = null;
    const { received } = push.webPush;
    const take = received.push.bind(received);
    received.push = (...pushes) => {
      for (const { payload } of pushes) {
        order.push(payload.type);
        // The item is read while the first push is on its way.
        if (payload.type === 'ring')
          reading ??= push.as('race', 'POST', `/inbox/v1/notifications/${payload.id}/read`);
      }
      return take(...pushes);
    };
    const id = await push.send('race');
    await push.trace(id, isDone(4));
    await reading;
    await push.idle();
    received.push = take;
    expect(order[0]).toBe('ring');
    expect(order.at(-1)).toBe('withdraw');
  });
});

it('an item that returns from a snooze rings again', async () => {
  await push.addDevices('snoozer');
  const id = await push.send('snoozer');
  await push.trace(id, isDone(3));
  const until = new Date(Date.now() + 3_600_000).toISOString();
  await push.as('snoozer', 'POST', `/inbox/v1/notifications/${id}/snooze`, { until });
  await push.trace(id, isDone(4));
  expect(push.withdrawalsOf(id).length).toBe(3);
  await push.app.pool.query('update queue_later set run_at = now() where kind = $1', [
    workKinds.inbox_return,
  ]);
  const entries = await push.trace(id, isDone(7));
  expect(entries.slice(4).map(({ verdict }) => verdict)).toEqual(['accepted', 'accepted', 'accepted']);
  expect(push.pushesOf(id).length).toBe(6);
  await push.as('snoozer', 'POST', `/inbox/v1/notifications/${id}/read`);
  await push.trace(id, isDone(8));
  expect(push.withdrawalsOf(id).length).toBe(6);
});

it('a withdrawal that has to be repeated leaves the second ring of an item alone', async () => {
  await push.addDevices('offline');
  const id = await push.send('offline');
  await push.trace(id, isDone(3));
  push.apns.faults.push({ status: 503, headers: { 'retry-after': '3600' } });
  const until = new Date(Date.now() + 3_600_000).toISOString();
  await push.as('offline', 'POST', `/inbox/v1/notifications/${id}/snooze`, { until });
  await push.trace(id, isDone(4));
  const isDue = (kind: number) =>
    push.app.pool.query('update queue_later set run_at = now() where kind = $1', [kind]);
  await isDue(workKinds.inbox_return);
  await push.trace(id, isDone(7));
  await isDue(workKinds.push);
  await push.idle();
  expect(push.withdrawalsOf(id).sort()).toEqual(['fcm', 'web_push']);
  await push.trace(id, (entries) => entries.length === 7);
});

it('an item that rings again and again has a trace that ends', async () => {
  const id = await push.send('rung-often');
  await push.app.waitFor(id, ({ status }) => status === 'delivered');
  const length = async () => {
    const { rows } = await push.app.pool.query(
      'select length(history) as length from notifications where id = $1',
      [id],
    );
    return rows[0].length;
  };
  const entry = decisionOf('withdrawn', 'Withdrawn.', Date.now());
  const addition = { id, environment_id: push.app.liveEnvironmentId, trace: Array(200).fill(entry) };
  for (let times = 0; times < 20; times += 1) await addTraceEntries(push.app.pool, [addition]);
  expect(await length()).toBeGreaterThanOrEqual(64_000);
  expect(await length()).toBeLessThan(80_000);
});

it('an environment without push settings writes no work, and no device rings', async () => {
  await push.addDevices('none');
  await push.live('DELETE', push.settingsPath());
  const id = await push.send('none');
  await push.app.waitFor(id, ({ status }) => status === 'delivered');
  await push.idle();
  expect(push.pushesOf(id)).toEqual([]);
  await push.save(push.allServices());
});
