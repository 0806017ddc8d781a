import { readFileSync } from 'node:fs';
import { createClient, createInboxClient, type SendRequest } from '@carillon/sdk';
import { expect, test } from 'vitest';

interface Described {
  operationId: string;
  parameters?: { in: string; name: string; required: boolean }[];
  requestBody?: object;
}
const document: { paths: Record<string, Record<string, Described>> } = JSON.parse(
  readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'),
);
const operations = Object.entries(document.paths).flatMap(([path, verbs]) =>
  Object.entries(verbs).map(([verb, operation]) => ({ path, verb: verb.toUpperCase(), operation })),
);

/** Every method there is: its name, and how many arguments stand in its path. */
function methodsIn(group: object, prefix = ''): { name: string; call: (...args: unknown[]) => unknown }[] {
  return Object.entries(group).flatMap(([name, value]) =>
    typeof value === 'function'
      ? [{ name: prefix + name, call: value }]
      : methodsIn(value, `${prefix}${name}.`),
  );
}

/** Calls every method with more arguments than any has in its path; notes the requests that come out. */
async function requestsOf(client: (fetch: typeof globalThis.fetch) => object, own: string[]) {
  const seen: { verb: string; path: string; name: string }[] = [];
  let name = '';
  const fetch: typeof globalThis.fetch = async (input, init) => {
    seen.push({ name, verb: init?.method ?? '', path: new URL(String(input)).pathname });
    return Response.json({ data: [], items: [], next_cursor: null });
  };
  for (const method of methodsIn(client(fetch))) {
    if (own.includes(method.name)) continue;
    name = method.name;
    const answer = method.call('arg-0', 'arg-1', 'arg-2', 'arg-3') as { page?: () => unknown };
    await (answer.page ? answer.page() : answer);
  }
  return seen;
}

/** `/v1/things/{id}` as the arguments above fill it. */
const filled = (path: string): string => {
  let index = 0;
  return path.replaceAll(/\{\w+\}/g, () => `arg-${index++}`);
};

test('every operation of the API is one method, and every method one operation', async () => {
  const calls = await requestsOf(
    (fetch) => createClient({ api_key: null, fetch }),
    ['runs.waitForCompletion'],
  );
  const wanted = operations.filter(({ path }) => path.startsWith('/v1/'));
  expect(wanted.length).toBeGreaterThan(90);
  for (const { path, verb, operation } of wanted) {
    const names = calls
      .filter((call) => call.verb === verb && call.path === filled(path))
      .map(({ name }) => name);
    expect(names, `${verb} ${path} (${operation.operationId})`).toHaveLength(1);
  }
  const known = operations.map(({ verb, path }) => `${verb} ${filled(path)}`);
  for (const { verb, path, name } of calls) expect(known, name).toContain(`${verb} ${path}`);
});

test('every operation of the inbox is one method, the stream being `follow`', async () => {
  const calls = await requestsOf(
    (fetch) => createInboxClient({ base_url: 'http://inbox.test', token: 'token', fetch }),
    ['follow'],
  );
  const wanted = operations.filter(
    ({ path, operation }) => path.startsWith('/inbox/v1/') && operation.operationId !== 'streamInbox',
  );
  const asked = calls.map(({ verb, path }) => `${verb} ${path}`);
  expect(asked.toSorted()).toEqual(wanted.map(({ verb, path }) => `${verb} ${filled(path)}`).toSorted());
});

test('what is for programs outside of these is there as well, and nothing else is left out', async () => {
  const calls = await requestsOf(
    (fetch) => createClient({ api_key: null, fetch }),
    ['runs.waitForCompletion'],
  );
  const reachable = new Set(calls.map(({ verb, path }) => `${verb} ${path}`));
  const left = operations
    .filter(({ path }) => !path.startsWith('/inbox/'))
    .filter(({ verb, path }) => !reachable.has(`${verb} ${filled(path)}`))
    .map(({ path }) => path);
  // Pages, redirects, pixels, the scripts of pages, and what providers call.
  expect(left.filter((path) => !/^\/(docs|u|p|t|oauth|hooks|widgets)\b/.test(path))).toEqual([]);
});

test('parameters go where the operation has them: path, query or body', async () => {
  const seen: { url: string; init: RequestInit }[] = [];
  const client = createClient({
    api_key: null,
    base_url: 'http://api.test/under/',
    fetch: async (input, init = {}) => {
      seen.push({ url: String(input), init });
      return Response.json({});
    },
  });
  await client.templates.putBody('a/b c', 'email', { locale: 'it', subject_template: 'Ciao' });
  await client.notifications.list({ status: 'queued', limit: 5, channel: undefined }).page();
  expect(seen.map(({ url }) => url)).toEqual([
    'http://api.test/under/v1/templates/a%2Fb%20c/bodies/email?locale=it',
    'http://api.test/under/v1/notifications?status=queued&limit=5',
  ]);
  expect(seen[0]?.init.body).toBe('{"subject_template":"Ciao"}');
  expect(seen[1]?.init.body).toBe(undefined);
});

test('a change may be meant for one version, and is then made once: again, it would conflict with itself', async () => {
  const seen: (string | null)[] = [];
  const client = createClient({
    api_key: null,
    retry_delay_ms: 1,
    max_retries: 1,
    fetch: async (_input, init) => {
      seen.push(new Headers(init?.headers).get('if-match'));
      throw new TypeError('the answer was lost');
    },
  });
  await expect(client.templates.update('welcome', { name: 'Hi' }, { if_match: 3 })).rejects.toThrow('lost');
  expect(seen.splice(0)).toEqual(['"3"']);
  await expect(client.templates.putBody('welcome', 'sms', {}, { if_match: 12 })).rejects.toThrow('lost');
  await expect(client.templates.restoreVersion('welcome', 1, { if_match: 4 })).rejects.toThrow('lost');
  expect(seen.splice(0)).toEqual(['"12"', '"4"']);
  await expect(client.templates.update('welcome', { name: 'Hi' })).rejects.toThrow('lost');
  expect(seen).toEqual([null, null]);
});

test('a call outlives its page when it asks for that', async () => {
  const seen: unknown[] = [];
  const client = createInboxClient({
    base_url: 'http://inbox.test',
    token: 'token',
    async fetch(_input, init) {
      seen.push(init?.keepalive);
      return new Response(null, { status: 204 });
    },
  });
  await client.inbox.setInboxPresence({ page: 'p', visible: false }, { keepalive: true });
  await client.inbox.setInboxPresence({ page: 'p', visible: false });
  expect(seen).toEqual([true, undefined]);
});

const unsent: typeof globalThis.fetch = () => {
  throw new Error('sent');
};

test('an argument that cannot stand in a path is refused before anything is sent', async () => {
  const client = createClient({ api_key: null, fetch: unsent });
  // The last two are for those who write JavaScript.
  for (const id of ['', '.', '..', 'a\ud800', undefined, {}] as string[]) {
    await expect(client.notifications.delete(id)).rejects.toMatchObject({
      code: 'parameter_invalid',
      param: 'id',
    });
  }
});

test('a parameter that JSON cannot say is refused by name before anything is sent', async () => {
  const client = createClient({ api_key: null, fetch: unsent });
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  for (const trigger_data of [{ amount: 5n }, circle]) {
    await expect(client.workflows.trigger('paid', { trigger_data })).rejects.toMatchObject({
      code: 'parameter_invalid',
      param: 'trigger_data',
    });
  }
});

const smallest = { channel: 'webhook', recipient: { address: 'http://a.test' } } as const;

test('a send demands what its channel needs', () => {
  const check = (_request: SendRequest): void => {};
  const recipient = { address: 'ada@example.com' };
  check({ channel: 'email', recipient, template_key: 'welcome' });
  check({ channel: 'email', recipient, subject: 'Hello', text_body: 'Hello.' });
  check({ channel: 'in_app', recipient: { external_user_id: 'ada' }, text_body: 'Hello.' });
  check(smallest);
  // @ts-expect-error without content
  check({ channel: 'email', recipient, subject: 'Hello' });
  // @ts-expect-error without a subject
  check({ channel: 'email', recipient, text_body: 'Hello.' });
  // @ts-expect-error without a recipient
  check({ channel: 'sms', recipient: {}, text_body: 'Hello.' });
  // @ts-expect-error chat channels take templates only
  check({ channel: 'chatone', recipient: { chatone_user_id: 'U1' }, text_body: 'Hello.' });
  // @ts-expect-error a name that no field has
  check({ channel: 'sms', recipient, text: 'Hello.' });
  expect(check).toBeTypeOf('function'); // the assertions above are those of the compiler
});

test('a key or a header that cannot be sent is refused by name before anything is sent', async () => {
  const client = createClient({ api_key: null, fetch: unsent });
  const refusal = (param: string) => ({ code: 'parameter_invalid', param });
  for (const text of ['order-€', 'a\nb', 'a\u0001b']) {
    await expect(client.notifications.send(smallest, { idempotency_key: text })).rejects.toMatchObject(
      refusal('idempotency_key'),
    );
    await expect(client.me({ headers: { 'x-a': text } })).rejects.toMatchObject(refusal('x-a'));
    expect(() => createClient({ api_key: null, headers: { 'x-a': text } })).toThrow('x-a must be');
    expect(() => createClient({ api_key: null, user_agent: text })).toThrow('user_agent must be');
  }
  await expect(client.me({ headers: { 'x a': '1' } })).rejects.toMatchObject(refusal('x a'));
});

test('a number that limits nothing is refused, for the client and for a call', async () => {
  const client = createClient({ api_key: null, fetch: unsent });
  const inbox = createInboxClient({ base_url: 'http://inbox.test', token: 'token', fetch: unsent });
  const on_event = () => {};
  for (const value of [Number.NaN, -1, '5'] as number[]) {
    for (const [param, use] of [
      ['timeout_ms', async () => createClient({ api_key: null, timeout_ms: value })],
      ['timeout_ms', () => client.me({ timeout_ms: value })],
      ['timeout_ms', () => client.runs.waitForCompletion('r1', { timeout_ms: value })],
      ['max_retries', async () => createClient({ api_key: null, max_retries: value })],
      ['max_retries', () => client.me({ max_retries: value })],
      ['retry_delay_ms', async () => createClient({ api_key: null, retry_delay_ms: value })],
      ['poll_interval_ms', () => client.runs.waitForCompletion('r1', { poll_interval_ms: value })],
      ['poll_interval_ms', async () => inbox.follow({ on_event, poll_interval_ms: value })],
      ['reconnect_delay_ms', async () => inbox.follow({ on_event, reconnect_delay_ms: value })],
    ] as const) {
      await expect(use()).rejects.toMatchObject({ code: 'parameter_invalid', param });
    }
  }
  await expect(client.me({ timeout_ms: 0 })).rejects.toThrow('timeout_ms must be a number, at least 1.');
});
