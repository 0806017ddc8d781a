import type { Random } from './random.ts';
import type { Operation } from './service.ts';
import type { Credentials, FuzzTarget } from './target.ts';
import type { Area, Trial } from './trial.ts';
import { hostileData, hostileText, hostileValue, type Json, type JsonObject, mutate } from './values.ts';

/** Streams have no end to wait for, and signing out would end the session that the others use. */
const leftOut = /stream|logout/i;
const someId = '01890000-0000-7000-8000-000000000000';

/** A whole chain of providers whose settings are templates, each almost as long as it may be. */
const httpProviders = Array.from({ length: 10 }, () => ({
  kind: 'http',
  from_number: '+14155550100',
  config: {
    url: 'https://gateway.example/',
    body: '{{a[b[c[d]]]}}'.repeat(200) + 'x'.repeat(5_000),
  },
}));

/** What exists, so that inputs come further than "not found": by what stands before the parameter in the path. */
interface Fixtures {
  ids: Record<string, string>;
  cookie: string;
  inboxToken: string;
}

/**
 * Every operation, with valid credentials and a body that its own schema describes, grown; and every list, which shows what the
 * inputs of all areas have left.
 */
export async function createRouteAreas(target: FuzzTarget): Promise<{ routes: Area; lists: Area }> {
  const fixtures = await prepare(target);
  const operations = new Map(
    target.operations
      .filter(({ operation }) => !leftOut.test(operation))
      .map((each) => [each.operation, each]),
  );
  const names = [...operations.keys()];
  const bodied = names.filter((name) => operations.get(name)?.body || operations.get(name)?.rawBody);
  const list = JSON.stringify(Array.from({ length: 16_000 }, (_, n) => n));
  const run: Area['run'] = async (trial, { operation: name, body, query, param }) => {
    const operation = operations.get(String(name));
    if (operation) await call(trial, fixtures, operation, { body, query, param });
  };

  const routes: Area = {
    name: 'routes',
    perRound: 20,
    // A plain body for each, and for each with one: much of everything in a field that it does not know, and one long text.
    known: [
      ...names.map((operation) => ({ operation })),
      ...bodied.map((operation) => ({ operation, body: { unknown: JSON.parse(list) } })),
      ...bodied.map((operation) => ({ operation, body: { unknown: '<b>'.repeat(30_000) } })),
      ...bodied.map((operation) => ({ operation, body: deep(99) })),
      { operation: 'replaceSmsProviders', body: { providers: httpProviders } },
    ],
    fresh(random) {
      const operation = operations.get(
        random.chance(0.7) ? random.pick(bodied) : random.pick(names),
      ) as Operation;
      return {
        operation: operation.operation,
        ...(operation.body || operation.rawBody ? { body: bodyFor(operation, random) } : {}),
        ...(operation.query ? { query: queryFor(operation, random) } : {}),
        ...(random.chance(0.1) ? { param: hostileText(random, 1_500) } : {}),
      };
    },
    run,
  };
  const listed = names.filter(
    (name) => 'limit' in ((operations.get(name)?.query as Schema)?.properties ?? {}),
  );
  const known = listed.map((operation) => ({ operation, query: { limit: 100 } }));
  return { routes, lists: { name: 'lists', perRound: 2, known, fresh: (random) => random.pick(known), run } };
}

function deep(levels: number): Json {
  let value: Json = 1;
  for (let level = 0; level < levels; level += 1) value = level % 2 ? [value] : { a: value };
  return { a: value };
}

async function call(
  trial: Trial,
  { ids, cookie, inboxToken }: Fixtures,
  { method, path, operation, access, rawBody, body: schema }: Operation,
  input: { body?: Json | undefined; query?: Json | undefined; param?: Json | undefined },
): Promise<void> {
  // Fixtures stay: what would take one away is asked to take away what is not there.
  const destroys = method === 'DELETE' || /rotate|revoke|restore/.test(operation);
  const filled = path.replace(/([^/]+)\/:(\w+)/g, (_whole, before: string, name: string) => {
    if (input.param !== undefined)
      return `${before}/${encodeURIComponent(String(input.param).slice(0, 1_500).toWellFormed())}`;
    return `${before}/${(destroys ? undefined : (ids[name] ?? ids[before])) ?? someId}`;
  });
  const query = Object.entries((input.query ?? {}) as JsonObject).map(
    ([name, value]) =>
      `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(String(value).slice(0, 8_000).toWellFormed())}`,
  );
  const body = schema
    ? (input.body ?? {})
    : rawBody && input.body !== undefined
      ? rawOf(input.body)
      : undefined;
  const by: Credentials =
    access === 'session' ? { cookie } : String(access).startsWith('recipient') ? { key: inboxToken } : {};
  await trial.ask(operation, method, query.length > 0 ? `${filled}?${query.join('&')}` : filled, body, by);
}

const rawOf = (body: Json): Buffer => Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));

type Schema = Record<string, unknown> & {
  properties?: Record<string, Schema>;
  items?: Schema;
  type?: string;
};

function bodyFor(operation: Operation, random: Random): Json {
  if (operation.rawBody) return random.chance(0.5) ? hostileText(random) : hostileValue(random);
  const plain = valueFor(operation.body as Schema, random, 4);
  return random.chance(0.7) ? mutate(plain, random) : plain;
}

function queryFor(operation: Operation, random: Random): Json {
  return valueFor(operation.query as Schema, random, 1);
}

/** Something that the schema takes, more or less; its texts and objects are hostile ones. */
function valueFor(schema: Schema, random: Random, depth: number): Json {
  const choices = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined;
  if (choices) return valueFor(random.pick(choices), random, depth);
  if (schema.const !== undefined) return schema.const as Json;
  if (Array.isArray(schema.enum)) return random.pick(schema.enum as Json[]);
  const type = Array.isArray(schema.type) ? random.pick(schema.type as string[]) : schema.type;
  switch (type) {
    case 'object':
      return objectFor(schema, random, depth);
    case 'array': {
      const most = Number(schema.maxItems ?? 200);
      const one = valueFor(schema.items ?? {}, random, depth - 1);
      return Array.from({ length: random.size(Math.min(most, 200)) }, () => one);
    }
    case 'string':
      return textFor(schema, random);
    case 'integer':
    case 'number':
      return Number(schema.minimum ?? 0) + random.below(Math.min(100, Number(schema.maximum ?? 100)));
    case 'boolean':
      return random.chance(0.5);
    case 'null':
      return null;
    default:
      return depth > 0 ? hostileValue(random, 10_000) : 1;
  }
}

function objectFor(schema: Schema, random: Random, depth: number): Json {
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length === 0) return depth > 0 ? hostileData(random, 30_000) : {};
  const required = new Set((schema.required ?? []) as string[]);
  return Object.fromEntries(
    properties
      .filter(([name]) => required.has(name) || random.chance(0.6))
      .map(([name, property]) => [name, valueFor(property, random, depth - 1)]),
  );
}

const samples = [
  ...[
    'fuzz',
    'delivered@sandbox.test',
    'ada',
    'https://example.com/x',
    '2027-01-01T00:00:00Z',
    someId,
    'Europe/Rome',
    '22:00',
  ],
  ...['+15005550006', 'news', 'email', 'a.b', 'de-AT', '1h'],
];

function textFor(schema: Schema, random: Random): string {
  const most = Math.min(Number(schema.maxLength ?? 30_000), 30_000);
  const pattern = typeof schema.pattern === 'string' ? new RegExp(schema.pattern, 'u') : null;
  const fitting = samples.filter((each) => each.length <= most && (pattern?.test(each) ?? true));
  if (fitting.length > 0 && random.chance(pattern || schema.format ? 0.9 : 0.4)) return random.pick(fitting);
  return hostileText(random, most).slice(0, most).toWellFormed();
}

async function prepare(target: FuzzTarget): Promise<Fixtures> {
  const ids: Record<string, string> = {
    externalUserId: 'ada',
    channel: 'email',
    version: '1',
    provider: 'sendgrid',
  };
  const make = async (
    before: string,
    path: string,
    body: JsonObject,
    read: (made: JsonObject) => Json | undefined,
  ) => {
    const made = await target.request('POST', path, body);
    if (made.status >= 300) throw new Error(`${path}: ${made.status} ${JSON.stringify(made.body)}`);
    ids[before] = String(read(made.body as JsonObject));
  };
  await make(
    'templates',
    '/v1/templates',
    { key: 'fuzz', name: 'F', subject_template: 'x', html_body_template: '<p>x' },
    () => 'fuzz',
  );
  await make('workflows', '/v1/workflows', { key: 'fuzz', name: 'F' }, () => 'fuzz');
  const steps = [{ id: 'wait', kind: 'wait_for_event', event: 'paid', timeout: '1d' }];
  await target.request('POST', '/v1/workflows/fuzz/versions', { body: { steps } });
  await target.request('POST', '/v1/workflows/fuzz/versions/1/activate', {});
  await make('runs', '/v1/workflows/fuzz/trigger', { trigger_data: {} }, ({ run_id }) => run_id);
  await make(
    'categories',
    '/v1/preferences/categories',
    { key: 'news', name: 'News', default_channels: ['email'] },
    () => 'news',
  );
  ids.categoryKey = 'news';
  const email = {
    channel: 'email',
    recipient: { address: 'delivered@sandbox.test' },
    subject: 'x',
    text_body: 'x',
  };
  await make('notifications', '/v1/notifications', email, ({ id }) => id);
  await make('suppressions', '/v1/suppressions', { address: 'gone@example.com' }, () => 'gone%40example.com');
  await make(
    'webhook-endpoints',
    '/v1/webhook-endpoints',
    { url: 'https://example.com/hook' },
    ({ id }) => id,
  );
  const chattwo = 'https://prod-1.westus.logic.azure.com:443/workflows/x/triggers/manual/paths/invoke?sig=x';
  await make('chattwo-endpoints', '/v1/chattwo-endpoints', chatEndpoint(chattwo), ({ id }) => id);
  const chatthree = 'https://discord.com/api/webhooks/1/x';
  await make('chatthree-endpoints', '/v1/chatthree-endpoints', chatEndpoint(chatthree), ({ id }) => id);
  const token = await target.request('POST', '/v1/inbox/tokens', {
    external_user_id: 'ada',
    ttl_seconds: 86_400,
  });
  const me = await target.request('GET', '/v1/me');
  ids.envId = String(me.body.environment_id);
  ids.organizationId = String(me.body.organization_id);
  return { ids, cookie: await target.signIn(), inboxToken: String(token.body.token) };
}

const chatEndpoint = (webhook_url: string): JsonObject => ({ key: 'fuzz', label: 'Fuzz', webhook_url });
