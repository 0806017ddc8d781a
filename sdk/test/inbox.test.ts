import {
  createClient,
  createInboxClient,
  type Following,
  type FollowOptions,
  type FollowState,
  type InboxEvent,
  mintInboxToken,
} from '@carillon/sdk';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp, waitUntil } from '../../server/test/harness/app.ts';
import { startLink } from './link.ts';

let app: TestApp;
let client: ReturnType<typeof createClient>;
let signingKey: string;

beforeAll(async () => {
  app = await startTestApp();
  client = createClient({ base_url: app.url, api_key: app.testKey });
  signingKey = (await client.inboxTokens.rotateKey(app.testEnvironmentId)).signing_key;
});
afterAll(() => app.stop());

let users = 0;
const newUser = (): string => `user ${++users}/ü`;
const send = async (user: string): Promise<string> => {
  const recipient = { external_user_id: user };
  const { id } = await client.notifications.send({ channel: 'in_app', recipient, html_body: '<p>Hi</p>' });
  await app.waitFor(id, ({ status }) => status === 'delivered');
  return id;
};
const mint = async (user: string, options: object = {}): Promise<string> =>
  (
    await mintInboxToken({
      signing_key: signingKey,
      environment_id: app.testEnvironmentId,
      external_user_id: user,
      scope: 'inbox prefs',
      ...options,
    })
  ).token;
const inboxOf = (user: string, base_url = app.url) =>
  createInboxClient({ base_url, token: () => mint(user), retry_delay_ms: 1 });

describe('a token made here', () => {
  test('is what the service makes', async () => {
    const user = newUser();
    const verified = await inboxOf(user).verifyToken();
    expect(verified).toMatchObject({
      external_user_id: user,
      environment_id: app.testEnvironmentId,
      scopes: ['inbox', 'prefs'],
    });
    const { token, expires_at } = await mintInboxToken({
      signing_key: signingKey,
      environment_id: app.testEnvironmentId,
      external_user_id: user,
      ttl_seconds: 60,
    });
    const mine = createInboxClient({ base_url: app.url, token });
    expect(await mine.verifyToken()).toMatchObject({ scopes: ['inbox'], expires_at });
    await expect(mine.preferences.get()).rejects.toMatchObject({ status: 403 });
  });

  test('is refused here when the service would refuse it', async () => {
    for (const [options, param] of [
      [{ ttl_seconds: 59 }, 'ttl_seconds'],
      [{ ttl_seconds: 86_401 }, 'ttl_seconds'],
      [{ external_user_id: '' }, 'external_user_id'],
      [{ external_user_id: 'a\nb' }, 'external_user_id'],
      [{ environment_id: 'test' }, 'environment_id'],
      [{ signing_key: '' }, 'signing_key'],
    ] as const) {
      await expect(mint('ada', options)).rejects.toMatchObject({ code: 'parameter_invalid', param });
    }
  });
});

describe('an inbox', () => {
  test('is read and marked', async () => {
    const user = newUser();
    const inbox = inboxOf(user);
    const ids = [await send(user), await send(user), await send(user)];
    const seen: string[] = [];
    for await (const { id } of inbox.feed({ limit: 2 })) seen.push(id);
    expect(seen).toEqual(ids.toReversed());
    const [first = ''] = ids;
    expect(await inbox.markRead(first)).toMatchObject({ id: first, is_read: true });
    expect(await inbox.unreadCount()).toEqual({ unread_count: 2 });
    await inbox.markUnread(first);
    await inbox.archive(first);
    expect(await inbox.markAllRead()).toEqual({ marked_count: 2, unread_count: 0 });
    expect((await inbox.feed({ status: 'read' }).page()).data).toHaveLength(2);
  });

  test('comes with the preferences of its user', async () => {
    const key = 'news';
    await client.categories.create({ key, name: 'News', default_channels: ['email'] });
    const inbox = inboxOf(newUser());
    await inbox.preferences.set(key, 'email', { opted_in: false });
    const { data } = await inbox.preferences.get();
    expect(data.find((each) => each.channel === 'email')).toMatchObject({
      category_key: key,
      opted_in: false,
    });
    await inbox.preferences.unsubscribeAll();
  });

  test('asks for another token when one is refused, once for all who need it', async () => {
    const user = newUser();
    const past = Date.now() - 3_600_000;
    const tokens = [await mint(user, { now_ms: past }), await mint(user)];
    let asked = 0;
    const token = async (): Promise<string> => tokens[asked++] ?? 'none';
    const inbox = createInboxClient({ base_url: app.url, token });
    await Promise.all([inbox.unreadCount(), inbox.feed().page(), inbox.verifyToken()]);
    expect(asked).toBe(2);
    const fixed = createInboxClient({ base_url: app.url, token: tokens[0] ?? '' });
    await expect(fixed.unreadCount()).rejects.toMatchObject({ code: 'expired_credentials' });
  });
});

const followings: Following[] = [];
afterEach(() => {
  for (const following of followings.splice(0)) following.close();
});

/** Follows and keeps everything it was told. */
function listen(inbox: ReturnType<typeof inboxOf>, options: Partial<FollowOptions> = {}) {
  const events: InboxEvent[] = [];
  const states: FollowState[] = [];
  const errors: unknown[] = [];
  const following = inbox.follow({
    on_event: (event) => events.push(event),
    on_state: (state) => states.push(state),
    on_error: (error) => errors.push(error),
    reconnect_delay_ms: 5,
    poll_interval_ms: 20,
    ...options,
  });
  followings.push(following);
  const until = (what: string, holds: () => boolean) =>
    waitUntil(
      async () => (holds() ? true : new Error(`${what}: ${states} ${JSON.stringify(events)} ${errors}`)),
      25_000,
    );
  const arrived = (): string[] =>
    events.flatMap((event) => (event.type === 'notification.arrived' ? [event.data.id] : []));
  return { events, states, errors, following, until, arrived };
}

describe('following', () => {
  test('tells what happens, over breaks, once each and in order', async () => {
    const user = newUser();
    const link = await startLink(app.url, () => 'hand on');
    const { until, arrived, events, states, following } = listen(inboxOf(user, link.url));
    await until('open', () => states.at(-1) === 'streaming');
    const ids = [await send(user)];
    await until('the first', () => arrived().length === 1);
    for (let round = 2; round < 5; round += 1) {
      link.cut();
      ids.push(await send(user));
      await until(`number ${round}`, () => arrived().length === round);
    }
    following.reconnect();
    ids.push(await send(user));
    await until('the last', () => arrived().length === 5);
    expect(arrived()).toEqual(ids);
    expect(events.some(({ type }) => type === 'reset')).toBe(false);
    await inboxOf(user).markRead(ids[0] ?? '');
    await until('read', () => events.some(({ type }) => type === 'notification.read'));
    following.close();
    expect(states.at(-1)).toBe('closed');
    await link.stop();
  });

  test('goes on from an event that another one saw', async () => {
    const user = newUser();
    const first = listen(inboxOf(user));
    await first.until('open', () => first.events.length > 0);
    first.following.close();
    const id = await send(user);
    const last_event_id = first.events.at(-1)?.id;
    const second = listen(inboxOf(user), { last_event_id });
    await second.until('arrived', () => second.arrived().length === 1);
    expect(second.arrived()).toEqual([id]);
  });

  test('outlives its token', async () => {
    const user = newUser();
    const past = Date.now() - 58_000;
    // It expires in two seconds, in the middle of the stream.
    const tokens = [await mint(user, { now_ms: past, ttl_seconds: 60 })];
    const token = async (): Promise<string> => tokens.shift() ?? mint(user);
    const inbox = createInboxClient({ base_url: app.url, token });
    const { until, states, arrived } = listen(inbox);
    await until('back', () => states.filter((state) => state === 'streaming').length === 2);
    const id = await send(user);
    await until('arrived', () => arrived().length === 1);
    expect(arrived()).toEqual([id]);
  });

  test('looks at the feed where streams do not get through, and returns to the stream when they do', async () => {
    const user = newUser();
    let blocked = true;
    const inbox = createInboxClient({
      base_url: app.url,
      token: () => mint(user),
      fetch: async (input, init) =>
        blocked && String(input).includes('/stream')
          ? new Response('<html>no streams here</html>', { headers: { 'content-type': 'text/html' } })
          : fetch(input, init),
    });
    const { until, states, events, arrived } = listen(inbox);
    await until('polling', () => states.at(-1) === 'polling');
    expect(events[0]).toEqual({ type: 'reset', data: { unread_count: 0 } });
    const first = await send(user);
    await until('arrived', () => arrived().length === 1);
    await inboxOf(user).markRead(first);
    await until('read', () => events.some(({ type }) => type === 'notification.read'));
    blocked = false;
    await until('streaming', () => states.at(-1) === 'streaming');
    expect(events.at(-1)).toMatchObject({ type: 'reset', data: { unread_count: 0 } });
    const second = await send(user);
    await until('arrived again', () => arrived().length === 2);
    expect(arrived()).toEqual([first, second]);
  });

  test('waits for a service that is down', async () => {
    const user = newUser();
    let down = true;
    const inbox = createInboxClient({
      base_url: app.url,
      token: () => mint(user),
      fetch: async (input, init) => {
        if (down) throw new TypeError('fetch failed');
        return fetch(input, init);
      },
    });
    const { until, states, errors, arrived } = listen(inbox);
    await until('some failures', () => errors.length > 5);
    expect(states).toEqual(['connecting']);
    down = false;
    await until('streaming', () => states.at(-1) === 'streaming');
    const id = await send(user);
    await until('arrived', () => arrived().length === 1);
    expect(arrived()).toEqual([id]);
  });

  test('ends when there is nothing to hope for', async () => {
    const user = newUser();
    const expired = await mint(user, { now_ms: Date.now() - 3_600_000 });
    const scopeless = await mint(user, { scope: 'prefs' });
    for (const [token, status] of [
      [expired, 401],
      [scopeless, 403],
    ] as const) {
      const { until, states, errors } = listen(createInboxClient({ base_url: app.url, token }));
      await until('closed', () => states.at(-1) === 'closed');
      expect(errors).toEqual([expect.objectContaining({ status })]);
    }
    const abort = new AbortController();
    const { states } = listen(inboxOf(user), { signal: abort.signal });
    abort.abort();
    expect(states).toEqual(['connecting', 'closed']);
  });
});
