import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maxDepth } from '../kernel/json.ts';
import { inPlace } from '../threads/task.ts';
import type { Definition, Json, JsonObject, ValidationContext } from './contract.ts';
import { eventPatterns, matchKeyOf } from './match.ts';
import { parseDefinition } from './parse.ts';
import { definitionSchema } from './schema.ts';
import { checkDefinition, definitionTask, triggerDataTask, validateTriggerData } from './tasks.ts';
import { references, validateDefinition } from './validate.ts';

const world: ValidationContext = {
  templates: new Map([['welcome', new Set(['email', 'sms'])]]),
  categories: new Set(['news']),
  channels: new Set(['email', 'in_app', 'webhook', 'sms', 'chatone', 'chattwo', 'chatthree']),
  templatedChannels: new Set(['chatone', 'chattwo', 'chatthree']),
};

function parsed(body: Json): Definition {
  const result = parseDefinition(body);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.definition;
}

const structural = (body: unknown) => {
  const result = checkDefinition(body);
  return result.ok ? [] : result.problems.map(({ code, pointer }) => `${code} ${pointer}`);
};
const semantic = (...steps: Json[]) =>
  validateDefinition(parsed({ steps }), world).map(({ code, pointer }) => `${code} ${pointer}`);

const send = { id: 'send', kind: 'send', channel: 'email', recipient: { address: '{{ trigger.email }}' } };
const noop = (id: string, more: object = {}) => ({ id, kind: 'noop', ...more });

describe('the shape of a body', () => {
  test.each<[unknown, string]>([
    ['not json', 'invalid_json '],
    ['', 'invalid_json '],
    ['null', 'invalid_field '],
    ['[]', 'invalid_field '],
    [7, 'invalid_field '],
    [undefined, 'invalid_field '],
    [{}, 'missing_field /steps'],
    [{ steps: {} }, 'invalid_field /steps'],
    [{ steps: [] }, 'invalid_field /steps'],
    [{ steps: [5] }, 'invalid_field /steps/0'],
    [{ steps: [{ kind: 'noop' }] }, 'missing_field /steps/0/id'],
    [{ steps: [{ id: 'a' }] }, 'missing_field /steps/0/kind'],
    [{ steps: [{ id: 5, kind: 'noop' }] }, 'invalid_field /steps/0/id'],
    [{ steps: [noop('a b')] }, 'invalid_field /steps/0/id'],
    [{ steps: [noop('constructor')] }, 'invalid_field /steps/0/id'],
    [{ steps: [noop('__proto__')] }, 'invalid_field /steps/0/id'],
    [{ steps: [noop('a', { when: true })] }, 'invalid_field /steps/0/when'],
    [{ steps: [{ id: 'a', kind: 'send', recipient: {} }] }, 'missing_field /steps/0/channel'],
    [{ steps: [{ ...send, recipient: 'x' }] }, 'invalid_field /steps/0/recipient'],
    [{ steps: [{ ...send, wait_for: 'read' }] }, 'invalid_field /steps/0/wait_for'],
    [{ steps: [{ id: 'a', kind: 'delay', duration: 5 }] }, 'invalid_field /steps/0/duration'],
    [{ steps: [{ id: 'a', kind: 'delay', at: '25:00', timezone: 'UTC' }] }, 'invalid_field /steps/0/at'],
    [
      { steps: [{ id: 'a', kind: 'delay', window: { start: '09:00' } }] },
      'missing_field /steps/0/window/end',
    ],
    [
      { steps: [{ id: 'a', kind: 'delay', window: { start: '09:00', end: '10:00', days: ['mon'] } }] },
      'invalid_field /steps/0/window/days/0',
    ],
    [{ steps: [{ id: 'a', kind: 'throttle', key: 'k', window: '1h' }] }, 'missing_field /steps/0/limit'],
    [
      { steps: [{ id: 'a', kind: 'throttle', key: 'k', limit: 1, window: '1h', mode: 'drop' }] },
      'invalid_field /steps/0/mode',
    ],
    [{ steps: [{ id: 'a', kind: 'branch' }] }, 'missing_field /steps/0/branches'],
    [
      { steps: [{ id: 'a', kind: 'branch', branches: [{ when: 'true' }] }] },
      'missing_field /steps/0/branches/0/goto',
    ],
    [{ steps: [{ id: 'a', kind: 'wait_for_event', event: 'e', match: [] }] }, 'invalid_field /steps/0/match'],
    [{ steps: [{ id: 'a', kind: 'digest', window: '1h' }] }, 'missing_field /steps/0/key'],
    [
      { steps: [{ id: 'a', kind: 'digest', key: 'k', window: '1h', max_items: '5' }] },
      'invalid_field /steps/0/max_items',
    ],
    [{ steps: [{ id: 'a', kind: 'fetch' }] }, 'missing_field /steps/0/url'],
    [
      { steps: [{ id: 'a', kind: 'fetch', url: 'https://x', method: 'TRACE' }] },
      'invalid_field /steps/0/method',
    ],
    [{ steps: [noop('a')], trigger_data_schema: 'x' }, 'invalid_field /trigger_data_schema'],
    [{ steps: [noop('a')], trigger_data_schema: { type: 'nonsense' } }, 'invalid_field /trigger_data_schema'],
    [
      { steps: [noop('a')], trigger_data_schema: { $ref: 'https://example.com/s.json' } },
      'invalid_field /trigger_data_schema',
    ],
    [
      { steps: [noop('a')], trigger_data_schema: { properties: { a: { pattern: '(' } } } },
      'invalid_field /trigger_data_schema',
    ],
    [{ steps: Array.from({ length: 10_000 }, (_, index) => noop(`s${index}`)) }, 'too_large '],
    [{ steps: Array.from({ length: 501 }, (_, index) => noop(`s${index}`)) }, 'invalid_field /steps'],
    [JSON.stringify({ steps: [noop('a')], x: 'x'.repeat(5_000_000) }), 'too_large '],
  ])('%.80j', (body, problem) => expect(structural(body)).toContain(problem));

  test('a body of templates is refused before they are read', () => {
    const many = Array.from({ length: 2_001 }, () => '{{ trigger.x }}');
    expect(structural({ steps: [noop('a', { many })] })).toEqual(['too_large ']);
    expect(structural({ steps: [noop('a', { many: many.slice(1) })] })).toEqual([]);
  });

  test('a body nested too deeply is refused before anything recurses', () => {
    const deep = `{"steps":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect(structural(deep)[0]).toMatch(/^too_deep \/steps/);
  });

  test('a text and the value it stands for are the same; unknown fields and kinds are no problem', () => {
    const body = { steps: [noop('a', { colour: 'red' }), { id: 'b', kind: 'teleport' }], $comment: 'x' };
    expect(parsed(body)).toEqual(parsed(JSON.stringify(body)));
  });

  test('all problems are named, up to twenty', () => {
    expect(structural({ steps: [{ id: 'a' }, { kind: 'noop' }] })).toEqual([
      'missing_field /steps/0/kind',
      'missing_field /steps/1/id',
    ]);
    expect(structural({ steps: Array.from({ length: 100 }, () => ({})) })).toHaveLength(20);
  });

  test('any JSON is either parsed or refused with a pointer into it, as the published schema says', () => {
    const accepts = new Ajv2020({ strict: false }).compile(definitionSchema);
    const anything = fc.oneof(fc.jsonValue(), bodies());
    fc.assert(
      fc.property(anything, (body) => {
        const result = parseDefinition(body);
        expect(result.ok).toBe(accepts(body));
        expect(parseDefinition(JSON.stringify(body)).ok).toBe(result.ok);
        if (result.ok) validateDefinition(result.definition, world);
      }),
      { numRuns: 300 },
    );
  });
});

/** Bodies that are nearly right. */
function bodies(): fc.Arbitrary<Json> {
  const id = fc.constantFrom('a', 'b', 'c', 'end', 'nowhere', 'a b', '');
  const text = fc.constantFrom(
    'true',
    'trigger.x',
    '1 +',
    '{{ trigger.x }}',
    '{{ x',
    '5m',
    'P1D',
    'UTC',
    '09:00',
    'email',
  );
  const value = fc.oneof(id, text, fc.jsonValue({ maxDepth: 2 }));
  const names = [
    'when',
    'next',
    'channel',
    'recipient',
    'template_key',
    'duration',
    'until',
    'at',
    'timezone',
    'branches',
    'else',
    'event',
    'match',
    'timeout',
    'on_timeout',
    'key',
    'window',
    'max_items',
    'url',
    'method',
    'headers',
    'body',
    'wait_for',
    'lookback',
  ];
  const step = fc
    .tuple(
      fc.record({
        id,
        kind: fc.constantFrom(
          'send',
          'delay',
          'branch',
          'wait_for_event',
          'digest',
          'fetch',
          'cancel',
          'noop',
          'other',
        ),
      }),
      fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 5 }),
    )
    .map(([base, more]) => ({ ...more, ...base }));
  return fc.record({ steps: fc.array(step, { maxLength: 6 }) }) as fc.Arbitrary<Json>;
}

describe('validation', () => {
  test.each<[string, Json[]]>([
    ['duplicate_step_id /steps/1/id', [noop('a'), noop('a')]],
    ['unknown_kind /steps/0/kind', [{ id: 'a', kind: 'teleport' }]],
    ['unknown_channel /steps/0/channel', [{ ...send, channel: 'pigeon', text_body: 'x' }]],
    ['content_required /steps/0', [send]],
    ['content_required /steps/0', [{ ...send, channel: 'chatone', text_body: 'x' }]],
    ['template_not_found /steps/0/template_key', [{ ...send, template_key: 'nope' }]],
    [
      'template_body_missing /steps/0/template_key',
      [{ ...send, channel: 'in_app', template_key: 'welcome' }],
    ],
    ['unknown_category /steps/0/category', [{ ...send, template_key: 'welcome', category: 'nope' }]],
    [
      'invalid_expression /steps/0/template_data/a/1',
      [{ ...send, template_key: 'welcome', template_data: { a: [1, '{{ x'] } }],
    ],
    ['invalid_duration /steps/0/timeout', [{ ...send, template_key: 'welcome', timeout: 'soon' }]],
    ['delay_requires_duration_or_until /steps/0', [{ id: 'a', kind: 'delay' }]],
    [
      'delay_duration_xor_until /steps/0',
      [{ id: 'a', kind: 'delay', duration: '5m', until: '2026-01-01T00:00:00Z' }],
    ],
    ['invalid_duration /steps/0/duration', [{ id: 'a', kind: 'delay', duration: '5 minutes' }]],
    ['invalid_duration /steps/0/duration', [{ id: 'a', kind: 'delay', duration: '-5m' }]],
    ['invalid_duration /steps/0/duration', [{ id: 'a', kind: 'delay', duration: 'P2Y' }]],
    ['invalid_expression /steps/0/until', [{ id: 'a', kind: 'delay', until: 'next tuesday' }]],
    ['invalid_expression /steps/0/until', [{ id: 'a', kind: 'delay', until: '1 + 1' }]],
    ['at_requires_timezone /steps/0/at', [{ id: 'a', kind: 'delay', at: '09:00' }]],
    [
      'delay_at_xor_window /steps/0',
      [
        {
          id: 'a',
          kind: 'delay',
          at: '09:00',
          timezone: 'recipient',
          window: { start: '09:00', end: '17:00' },
        },
      ],
    ],
    [
      'invalid_window /steps/0/window',
      [{ id: 'a', kind: 'delay', window: { start: '09:00', end: '09:00' } }],
    ],
    [
      'unknown_timezone /steps/0/fallback_timezone',
      [{ id: 'a', kind: 'delay', window: { start: '09:00', end: '17:00' }, fallback_timezone: 'Mars/Base' }],
    ],
    ['invalid_limit /steps/0/limit', [{ id: 'a', kind: 'throttle', key: 'k', limit: 0, window: '1h' }]],
    ['invalid_limit /steps/0/limit', [{ id: 'a', kind: 'throttle', key: 'k', limit: 1e12, window: '1h' }]],
    ['invalid_duration /steps/0/window', [{ id: 'a', kind: 'throttle', key: 'k', limit: 1, window: 'soon' }]],
    [
      'goto_target_not_found /steps/0/on_limit',
      [{ id: 'a', kind: 'throttle', key: 'k', limit: 1, window: '1h', on_limit: 'nowhere' }],
    ],
    ['unknown_timezone /steps/0/timezone', [{ id: 'a', kind: 'delay', at: '09:00', timezone: 'Mars/Base' }]],
    ['unknown_timezone /steps/0/timezone', [{ id: 'a', kind: 'delay', at: '09:00', timezone: '+02:00' }]],
    ['invalid_expression /steps/0/when', [noop('a', { when: '1 +' })]],
    ['invalid_expression /steps/0/when', [noop('a', { when: '"yes"' })]],
    ['invalid_expression /steps/0/when', [noop('a', { when: 'secret == 1' })]],
    [
      'invalid_expression /steps/0/branches/1/when',
      [
        {
          id: 'a',
          kind: 'branch',
          branches: [
            { when: 'true', goto: 'end' },
            { when: '(', goto: 'end' },
          ],
        },
      ],
    ],
    [
      'goto_target_not_found /steps/0/branches/0/goto',
      [{ id: 'a', kind: 'branch', branches: [{ when: 'true', goto: 'nope' }] }],
    ],
    [
      'goto_target_not_found /steps/0/else',
      [{ id: 'a', kind: 'branch', branches: [{ when: 'true', goto: 'end' }], else: 'nope' }],
    ],
    ['goto_target_not_found /steps/0/next', [noop('a', { next: 'nope' })]],
    [
      'goto_target_not_found /steps/0/on_timeout',
      [{ id: 'a', kind: 'wait_for_event', event: 'e', on_timeout: 'nope' }],
    ],
    [
      'goto_target_not_found /steps/0/on_error',
      [{ id: 'a', kind: 'fetch', url: 'https://x.test', on_error: 'nope' }],
    ],
    ['event_required /steps/0/event', [{ id: 'a', kind: 'wait_for_event' }]],
    ['event_required /steps/0/event', [{ id: 'a', kind: 'wait_for_event', event: '' }]],
    ['event_required /steps/0/event', [{ id: 'a', kind: 'wait_for_event', event: '{{ trigger.x }}' }]],
    [
      'invalid_duration /steps/0/timeout',
      [{ id: 'a', kind: 'wait_for_event', event: 'e', timeout: 'never' }],
    ],
    [
      'invalid_expression /steps/0/match/a..b',
      [{ id: 'a', kind: 'wait_for_event', event: 'e', match: { 'a..b': 1 } }],
    ],
    [
      'invalid_expression /steps/0/match/a',
      [{ id: 'a', kind: 'wait_for_event', event: 'e', match: { a: '{{ x' } }],
    ],
    [
      'invalid_max_items /steps/0/max_items',
      [{ id: 'a', kind: 'digest', key: 'k', window: '1h', max_items: 0 }],
    ],
    [
      'invalid_max_items /steps/0/max_items',
      [{ id: 'a', kind: 'digest', key: 'k', window: '1h', max_items: 1.5 }],
    ],
    [
      'invalid_max_items /steps/0/max_items',
      [{ id: 'a', kind: 'digest', key: 'k', window: '1h', max_items: 1_001 }],
    ],
    ['invalid_duration /steps/0/window', [{ id: 'a', kind: 'digest', key: 'k', window: 'a while' }]],
    ['invalid_expression /steps/0/url', [{ id: 'a', kind: 'fetch', url: 'https://x.test/{{ trigger.' }]],
    [
      'invalid_expression /steps/0/headers/X A',
      [{ id: 'a', kind: 'fetch', url: 'https://x.test', headers: { 'X A': 'x' } }],
    ],
    ...[
      'Connection',
      'Content-Length',
      'Expect',
      'Host',
      'Idempotency-Key',
      'Keep-Alive',
      'TE',
      'Trailer',
      'TRANSFER-ENCODING',
      'Upgrade',
      'Proxy',
      'Proxy-Authorization',
      'Proxy-Connection',
      'Forwarded',
      'Via',
      'X-Forwarded-For',
      'x-forwarded-host',
      'X_Forwarded_Proto',
      'X-Real-IP',
      'True-Client-IP',
    ].map((name): [string, Json[]] => [
      `invalid_expression /steps/0/headers/${name}`,
      [{ id: 'a', kind: 'fetch', url: 'https://x.test', headers: { [name]: 'x' } }],
    ]),
    ['unreachable_step /steps/1', [noop('a', { next: 'c' }), noop('b'), noop('c')]],
    ['unreachable_step /steps/1', [{ id: 'a', kind: 'cancel' }, noop('b')]],
    ['unreachable_step /steps/1', [noop('a', { next: 'end' }), noop('b')]],
    [
      'unreachable_step /steps/1',
      [{ id: 'a', kind: 'branch', branches: [{ when: 'true', goto: 'c' }], else: 'c' }, noop('b'), noop('c')],
    ],
    ['synchronous_cycle /steps/0', [noop('a', { next: 'a' })]],
    ['synchronous_cycle /steps/0', [noop('a'), noop('b', { next: 'a' })]],
    [
      'synchronous_cycle /steps/0',
      [
        { id: 'a', kind: 'fetch', url: 'https://x.test' },
        { id: 'b', kind: 'branch', branches: [{ when: 'true', goto: 'a' }] },
      ],
    ],
    [
      'synchronous_cycle /steps/0',
      [{ id: 'a', kind: 'delay', duration: '1d', when: 'trigger.x == 1' }, noop('b', { next: 'a' })],
    ],
  ])('%s', (problem, steps) => expect(semantic(...steps)).toContain(problem));

  test.each<[string, Json[]]>([
    [
      'a loop that pauses',
      [
        { id: 'a', kind: 'delay', duration: '1d' },
        { ...send, template_key: 'welcome' },
        { id: 'b', kind: 'branch', branches: [{ when: 'trigger.x == 1', goto: 'a' }] },
      ],
    ],
    [
      'a delay that goes to itself',
      [{ id: 'a', kind: 'delay', at: '09:00', timezone: 'Europe/Rome', next: 'a' }],
    ],
    [
      'a timeout that goes back',
      [
        { id: 'a', kind: 'wait_for_event', event: 'paid', timeout: '1d', on_timeout: 'remind', next: 'end' },
        noop('remind', { next: 'a' }),
      ],
    ],
    [
      'values that only the run knows',
      [
        { ...send, template_key: '{{ trigger.t }}', category: '{{ trigger.c }}' },
        { id: 'd', kind: 'delay', duration: '{{ trigger.wait }}' },
        { id: 'e', kind: 'delay', until: 'timestamp(trigger.due) - duration("24h")' },
        { id: 'f', kind: 'delay', at: '09:00', timezone: '{{ trigger.zone }}' },
      ],
    ],
    ['a step called end', [noop('a', { next: 'end' }), noop('end')]],
    ['a guarded cancel', [{ id: 'a', kind: 'cancel', when: 'trigger.x == 1' }, noop('b')]],
  ])('allows %s', (_, steps) => expect(semantic(...steps)).toEqual([]));

  test('a graph of 500 steps with many roads is analysed at once', () => {
    const steps = Array.from({ length: 500 }, (_, index) => ({
      id: `s${index}`,
      kind: 'branch',
      branches: Array.from({ length: 3 }, (_, road) => ({
        when: 'true',
        goto: `s${Math.min(499, index + road + 1)}`,
      })),
    }));
    const last = steps.length - 1;
    expect(semantic(...steps)).toEqual([`synchronous_cycle /steps/${last}`]);
  });

  test('what it names outside itself is listed, as far as it is fixed', () => {
    const steps = [
      { ...send, template_key: 'welcome', category: 'news' },
      { ...send, id: 'b', template_key: '{{ trigger.t }}' },
    ];
    expect(references(parsed({ steps }))).toEqual({ templateKeys: ['welcome'], categories: ['news'] });
  });
});

describe('matching', () => {
  test('the key of an event is that of a wait with the same values', () => {
    const key = matchKeyOf(['order.id'], { order: { id: 5 } });
    expect(key).toBe(matchKeyOf(['order.id'], { order: { id: 5.0, other: 1 }, x: 1 }));
    expect(key).not.toBe(matchKeyOf(['order.id'], { order: { id: '5' } }));
    expect(key).not.toBe(matchKeyOf(['order'], { order: { id: 5 } }));
    expect(matchKeyOf(['a'], { a: { x: 1, y: [2] } })).toBe(matchKeyOf(['a'], { a: { y: [2], x: 1 } }));
    expect(matchKeyOf(['a'], { a: [1, 2] })).not.toBe(matchKeyOf(['a'], { a: [2, 1] }));
    expect(matchKeyOf(['a', 'b'], { a: 1, b: 2 })).toBe(matchKeyOf(['b', 'a'], { b: 2, a: 1 }));
    expect(matchKeyOf(['l.1.x'], { l: [0, { x: 7 }] })).toBe(matchKeyOf(['l.1.x'], { l: [9, { x: 7 }, 3] }));
    expect(matchKeyOf([], {})).toBe(matchKeyOf([], { anything: 1 }));
  });

  test('a missing path matches nothing; null is a value', () => {
    for (const data of [{}, { a: null }, { a: 'text' }, { a: [1] }, { a: { c: 1 } }] satisfies JsonObject[])
      expect(matchKeyOf(['a.b'], data)).toBeNull();
    expect(matchKeyOf(['a'], { a: null })).not.toBeNull();
    for (const path of ['constructor', '__proto__', 'toString', 'a.length', 'l.length', 'l.-1'])
      expect(matchKeyOf([path], { a: 'x', l: [1] })).toBeNull();
  });

  test('data that is nested deeper than the stack matches nothing', () => {
    let deep: Json = [];
    for (let depth = 0; depth < 100_000; depth++) deep = [deep];
    expect(matchKeyOf(['a'], { a: deep })).toBeNull();
    expect(matchKeyOf(['b'], { a: deep, b: 1 })).toBe(matchKeyOf(['b'], { b: 1 }));
  });

  test('the patterns of a definition are distinct', () => {
    const wait = (id: string, match: JsonObject, more: JsonObject = {}) => ({
      id,
      kind: 'wait_for_event',
      event: 'paid',
      match,
      ...more,
    });
    const definition = parsed({
      steps: [
        wait('a', { x: 1, 'o.id': 2 }),
        wait('b', { 'o.id': 'other', x: 1 }, { lookback: true }),
        wait('c', {}),
        { id: 'd', kind: 'wait_for_event', event: 'shipped' },
      ],
    });
    expect(eventPatterns(definition)).toEqual([
      { eventName: 'paid', paths: ['o.id', 'x'], lookback: true },
      { eventName: 'paid', paths: [], lookback: false },
      { eventName: 'shipped', paths: [], lookback: false },
    ]);
  });
});

describe('trigger data', () => {
  const check = (schema: Json, data: unknown) =>
    validateTriggerData(
      inPlace,
      'me',
      parsed({ trigger_data_schema: schema, steps: [noop('a')] } as Json),
      data,
    );
  const pointers = async (schema: Json, data: unknown) =>
    (await check(schema, data)).map(({ pointer }) => pointer);

  test('violations have pointers, ten at most', async () => {
    const schema = {
      type: 'object',
      required: ['email'],
      properties: { email: { type: 'string', format: 'email' }, items: { items: { type: 'integer' } } },
    };
    expect(await check(schema, { email: 'a@b.test', items: [1] })).toEqual([]);
    expect(await pointers(schema, { items: ['x'] })).toEqual(['/email', '/items/0']);
    expect(await check(schema, { email: 'nope' })).toHaveLength(1);
    expect(await pointers({ required: ['a/b~c'] }, {})).toEqual(['/a~1b~0c']);
    expect(await pointers(schema, [])).toEqual(['']);
    const many = { email: 'a@b.test', items: Array.from({ length: 50 }, () => 'x') };
    expect(await check(schema, many)).toHaveLength(10);
  });
  test('without a schema anything goes, and false lets nothing through', async () => {
    const free = parsed({ steps: [noop('a')] });
    expect(await validateTriggerData(inPlace, 'me', free, { x: 1 })).toEqual([]);
    expect(await check(false, {})).toHaveLength(1);
  });
  test('two schemas with the same $id do not meet, and references stay within', async () => {
    const schema = (type: string) => ({
      $id: 'https://example.com/s',
      $ref: '#/$defs/x',
      $defs: { x: { $id: 'https://example.com/x', properties: { a: { type } } } },
    });
    expect(await check(schema('string'), { a: 'x' })).toEqual([]);
    expect(await check(schema('number'), { a: 1 })).toEqual([]);
    expect(await check(schema('string'), { a: 1 })).toHaveLength(1);
  });
  test('a pattern that would backtrack for ever is checked in linear time', async () => {
    const schema = { properties: { a: { pattern: '^(a+)+$' } } };
    expect(await pointers(schema, { a: `${'a'.repeat(5_000)}b` })).toEqual(['/a']);
    expect(await check(schema, { a: 'a'.repeat(5_000) })).toEqual([]);
  });
  test('several patterns are told apart', async () => {
    const schema = {
      properties: { a: { pattern: '^a$' }, b: { pattern: '^b$' } },
      patternProperties: { '^n_': { type: 'number' } },
    };
    expect(await check(schema, { a: 'a', b: 'b', n_x: 1 })).toEqual([]);
    expect(await pointers(schema, { a: 'b', b: 'a', n_x: 'x' })).toEqual(['/a', '/b', '/n_x']);
  });
  test.each([
    ['(?=a)b', 'look-ahead'],
    ['(?<!a)b', 'look-behind'],
    ['(a)\\1', 'back-references'],
    ['(?<n>a)\\k<n>', 'back-references'],
    ['a{2000}', 'at most 1000'],
  ])('the pattern %s is refused when it is saved, with its place and a reason', (pattern, reason) => {
    const schemas = [
      [{ properties: { 'a/b': { items: { pattern } } } }, '/properties/a~1b/items/pattern'],
      [{ patternProperties: { [pattern]: {} } }, `/patternProperties/${pattern}`],
    ] as const;
    for (const [schema, pointer] of schemas) {
      const result = checkDefinition({ steps: [noop('a')], trigger_data_schema: schema });
      expect(result).toMatchObject({ ok: false, problems: [{ code: 'invalid_field' }] });
      const [problem] = result.ok ? [] : result.problems;
      expect(problem?.pointer).toBe(`/trigger_data_schema${pointer}`);
      expect(problem?.message).toContain(reason);
    }
  });
  test('a version that was saved with such a pattern goes on working', async () => {
    const schema = { properties: { a: { pattern: '^(?=.*x)a' } } };
    expect(await check(schema, { a: 'aax' })).toEqual([]);
    expect(await pointers(schema, { a: 'aa' })).toEqual(['/a']);
  });
  test('what may take long is left to a thread', () => {
    const isLight = (schema: JsonObject, data: unknown) =>
      triggerDataTask.isLight({
        schema,
        schemaText: JSON.stringify(schema),
        data,
        dataText: JSON.stringify(data),
      });
    expect(isLight({ required: ['email'], properties: { email: { format: 'email' } } }, { email: 'x' })).toBe(
      true,
    );
    expect(isLight({ pattern: 'a' }, {})).toBe(false);
    expect(isLight({ items: { patternProperties: { a: {} } } }, {})).toBe(false);
    expect(isLight({ allOf: [{ $ref: '#/$defs/a' }] }, {})).toBe(false);
    expect(isLight({ items: { uniqueItems: true } }, {})).toBe(false);
    expect(isLight({ properties: { a: { type: 'string' } } }, { a: 'x'.repeat(100_000) })).toBe(false);
    expect(definitionTask.isLight(JSON.stringify({ steps: [noop('a')] }))).toBe(true);
    expect(definitionTask.isLight('{"trigger_data_schema":{},"steps":[]}')).toBe(false);
    expect(definitionTask.isLight('{"trigger\\u005fdata_schema":{},"steps":[]}')).toBe(false);
  });
  test('recursive schemas meet data nested as deeply as a body may be', async () => {
    let data: Json = {};
    for (let depth = 1; depth < maxDepth; depth++) data = { child: data };
    expect(await check({ properties: { child: { $ref: '#' } } }, data)).toEqual([]);
  });
});
