import {
  AuthenticationError,
  CarillonError,
  ConflictError,
  createClient,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  TimeoutError,
} from '@carillon/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp, waitUntil } from '../../server/test/harness/app.ts';

let app: TestApp;
let client: ReturnType<typeof createClient>;

beforeAll(async () => {
  app = await startTestApp();
  client = createClient({ base_url: app.url, api_key: app.testKey });
});
afterAll(() => app.stop());

const email = (address: string) => ({
  channel: 'email' as const,
  recipient: { address },
  subject: 'Hello',
  text_body: 'It rings.',
});
const failure = (promise: Promise<unknown>): Promise<CarillonError> =>
  promise.then(
    () => Promise.reject(new Error('it did not fail')),
    (error) => error,
  );

describe('a notification', () => {
  test('is sent, looked at, traced and deleted', async () => {
    const sent = await client.notifications.send(email('delivered@sandbox.test'));
    expect(sent).toMatchObject({ channel: 'email', recipient: { address: 'delivered@sandbox.test' } });
    expect(sent.idempotency_key).toMatch(/^[0-9a-f-]{36}$/);
    await waitUntil(async () => {
      const { status } = await client.notifications.get(sent.id);
      return status === 'delivered' ? true : new Error(status);
    }, 20_000);
    const [message] = (await client.sandbox.listMessages({ notification_id: sent.id }).page()).data;
    expect(message?.to).toBe('delivered@sandbox.test');
    expect((await client.notifications.trace(sent.id)).entries.length).toBeGreaterThan(0);
    expect(await client.notifications.delete(sent.id)).toBe(undefined);
    expect(await failure(client.notifications.get(sent.id))).toBeInstanceOf(NotFoundError);
  });

  test('with a key that the caller names is the same one the second time', async () => {
    const options = { idempotency_key: 'order-7' };
    const first = await client.notifications.send(email('a@sandbox.test'), options);
    const second = await client.notifications.send(email('a@sandbox.test'), options);
    expect(second.id).toBe(first.id);
    const other = await failure(client.notifications.send(email('b@sandbox.test'), options));
    expect(other).toBeInstanceOf(ConflictError);
    expect(other.code).toBe('idempotency_key_reused');
  });
});

describe('a list', () => {
  test('is walked over all its pages, once each', async () => {
    const keys = Array.from({ length: 7 }, (_none, index) => `list-${index}`);
    for (const key of keys) {
      await client.templates.create({ key, name: key, subject_template: 'x', html_body_template: 'x' });
    }
    const seen: string[] = [];
    for await (const { key } of client.templates.list({ limit: 3 })) seen.push(key);
    expect(seen).toEqual(keys.toReversed());
    const sizes: number[] = [];
    for await (const { data } of client.templates.list({ limit: 3 }).pages()) sizes.push(data.length);
    expect(sizes).toEqual([3, 3, 1]);
    const page = await client.templates.list({ limit: 3 }).page();
    expect(page.data.map(({ key }) => key)).toEqual(seen.slice(0, 3));
    expect(page.next_cursor).toBeTypeOf('string');
  });

  test('that is one page on the wire is walked alike', async () => {
    const kinds: string[] = [];
    for await (const { kind } of client.environments.list()) kinds.push(kind);
    expect(kinds).toEqual(['test']);
  });

  test('that is left early asks for no further page', async () => {
    let requests = 0;
    const counting = createClient({
      base_url: app.url,
      api_key: app.testKey,
      fetch: (input, init) => {
        requests += 1;
        return fetch(input, init);
      },
    });
    for await (const _template of counting.templates.list({ limit: 2 })) break;
    expect(requests).toBe(1);
  });
});

describe('a refusal', () => {
  test('is an error of its kind that says what is wrong, where, and in which request', async () => {
    const error = await failure(client.notifications.send(email('not an address')));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error).toBeInstanceOf(CarillonError);
    expect(error).toMatchObject({
      name: 'InvalidRequestError',
      status: 400,
      type: 'invalid_request_error',
      param: 'recipient.address',
    });
    expect(error.request_id).toBeTruthy();
    expect(error.message).not.toBe('');
  });

  test('of credentials names what is missing', async () => {
    expect(() => createClient({ base_url: app.url })).toThrow('api_key is missing');
    const nobody = createClient({ base_url: app.url, api_key: null });
    expect(await failure(nobody.me())).toMatchObject({ code: 'missing_credentials' });
    const stranger = createClient({ base_url: app.url, api_key: 'crl_test_nobody' });
    expect(await failure(stranger.me())).toBeInstanceOf(AuthenticationError);
    const { key } = await client.apiKeys.create({ name: 'reader', preset: 'read_only' });
    const reader = createClient({ base_url: app.url, api_key: key });
    const error = await failure(reader.notifications.send(email('a@sandbox.test')));
    expect(error).toBeInstanceOf(PermissionError);
    expect(error.message).toContain('notifications:send');
  });

  test('never repeats a key, not even a broken one', async () => {
    const secret = 'crl_test_secret\nwith-a-break';
    for (const make of [
      async () => createClient({ base_url: app.url, api_key: secret }),
      async () => createClient({ base_url: 'ftp://x', api_key: 'crl_test_secret' }),
      () => createClient({ base_url: 'http://127.0.0.1:1', api_key: 'crl_test_secret', max_retries: 0 }).me(),
    ]) {
      const error = await failure(make());
      expect(`${error.stack} ${JSON.stringify(error)}`).not.toContain('crl_test_secret');
    }
  });
});

describe('a workflow', () => {
  const body_json = (steps: unknown[]) => JSON.stringify({ trigger_data_schema: { type: 'object' }, steps });
  const start = async (key: string, steps: unknown[]): Promise<string> => {
    await client.workflows.create({ key, name: key });
    const { version } = await client.workflows.createVersion(key, { body_json: body_json(steps) });
    expect(await client.workflows.activateVersion(key, version)).toMatchObject({ valid: true });
    return (await client.workflows.trigger(key, { trigger_data: {} })).run_id;
  };

  test('is triggered once per key, waited for, and listed', async () => {
    const run = await start('short', [{ id: 'a', kind: 'noop' }]);
    const done = await client.runs.waitForCompletion(run, { timeout_ms: 30_000, poll_interval_ms: 100 });
    expect(done).toMatchObject({ id: run, status: 'completed' });
    const key = { idempotency_key: 'again' };
    const first = await client.workflows.trigger('short', { trigger_data: {} }, key);
    const second = await client.workflows.trigger('short', { trigger_data: {} }, key);
    expect(second.run_id).toBe(first.run_id);
    const seen: string[] = [];
    for await (const { id } of client.runs.list('short', { limit: 1 })) seen.push(id);
    expect(seen.toSorted()).toEqual([run, first.run_id].toSorted());
  });

  test('that takes longer than the caller waits goes on', async () => {
    const run = await start('long', [{ id: 'a', kind: 'wait_for_event', event: 'go', timeout: '1h' }]);
    const late = await failure(client.runs.waitForCompletion(run, { timeout_ms: 1, poll_interval_ms: 1 }));
    expect(late).toBeInstanceOf(TimeoutError);
    const abort = new AbortController();
    const waiting = client.runs.waitForCompletion(run, { signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await waitUntil(async () => {
      const { awoken_run_count } = await client.runs.postEvent(run, { event_name: 'go', event_data: {} });
      return awoken_run_count === 1 ? true : new Error('not waiting yet');
    }, 20_000);
    expect(await client.runs.waitForCompletion(run, { poll_interval_ms: 100 })).toMatchObject({
      status: 'completed',
    });
  });
});
