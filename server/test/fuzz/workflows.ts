import type { Random } from './random.ts';
import { currentWorkflow, save, start } from './saved-workflow.ts';
import { liquid, recipients } from './templates.ts';
import type { Area } from './trial.ts';
import { hostileData, hostileText, hostileValue, type JsonObject, range } from './values.ts';

const paths = [
  'trigger.a',
  'trigger.b',
  'trigger.items',
  'trigger.name',
  'trigger',
  'run',
  'steps',
  'trigger.a.a',
];

/** Text in CEL. */
function cel(random: Random, depth = 3): string {
  const inner = (): string => cel(random, depth - 1);
  if (depth === 0) return random.pick([...paths, '1', '"a"', 'true', '[1, 2]', '1.5', 'x', 'null']);
  switch (random.below(12)) {
    case 0:
      return `${random.pick(paths)}.${random.pick(['all', 'exists', 'exists_one', 'filter', 'map'])}(x, ${inner()})`;
    case 1:
      return `(${inner()} ${random.pick(['==', '!=', '<', '>', '&&', '||', '+', '-', '*', '/', '%', 'in'])} ${inner()})`;
    case 2:
      return `(${inner()} ? ${inner()} : ${inner()})`;
    case 3:
      return `${inner()}.${random.pick(['contains', 'startsWith', 'endsWith', 'matches', 'split', 'indexOf', 'lastIndexOf'])}(${random.pick(['"a"', '"^(a+)+$"', '"(a|a)*b"', '"(.*a){20}"', 'trigger.b'])})`;
    case 4:
      return `size(${inner()})`;
    case 5:
      return `[${Array.from({ length: random.size(40) }, inner)
        .join(', ')
        .slice(0, 600)}]`;
    case 6:
      return `string(${inner()})`;
    case 7:
      return `timestamp(${random.pick(['"2026-01-01T00:00:00Z"', 'trigger.a'])})`;
    case 8:
      return `{"a": ${inner()}}`;
    case 9:
      return `!(${inner()})`;
    default:
      return inner();
  }
}

const long = (text: string, times: number): string => text.repeat(times).slice(0, 1_990);

export const expressions: Area = {
  name: 'expressions',
  perRound: 4,
  sampleEvery: 4,
  known: [
    {
      when: 'trigger.a.all(x, trigger.a.all(y, trigger.a.all(z, x == y || z == z)))',
      data: { a: range(15_000) },
    },
    { when: 'trigger.a.matches("^(a+)+$")', data: { a: `${'a'.repeat(40)}!` } },
    { when: 'trigger.a.matches("(.*a){12}$")', data: { a: `${'a'.repeat(2_000)}!` } },
    { when: 'trigger.a.map(x, trigger.a) == trigger.a.map(x, trigger.a)', data: { a: range(600) } },
    {
      when: 'trigger.a.exists(x, x + x == "b")',
      data: { a: Array.from({ length: 300 }, () => 'a'.repeat(300)) },
    },
    { when: 'trigger.a.exists(x, x.b == 1)', data: { a: range(15_000) } },
    {
      when: 'trigger.a.contains(trigger.b)',
      data: { a: 'a'.repeat(60_000), b: `${'a'.repeat(15_000)}b${'a'.repeat(15_000)}` },
    },
    { when: 'trigger.a.split("").size() > 5', data: { a: 'a'.repeat(90_000) } },
    { when: `${long('(', 30)}true${long(')', 30)}`, data: {} },
    { when: long('true && ', 260).slice(0, -4), data: {} },
    { when: long('trigger.a == 1 || ', 110).replace(/ \|\| \S*$/, ''), data: { a: { b: range(10_000) } } },
    { when: 'trigger.a == trigger.b', data: { a: range(12_000), b: range(12_000) } },
    { when: 'trigger.a.exists(x, x in trigger.a && string(x) == "")', data: { a: range(12_000) } },
    {
      when: 'trigger.a.exists(x, timestamp(x) == timestamp(x))',
      data: { a: Array.from({ length: 4_000 }, () => '2026-01-01T00:00:00Z') },
    },
  ],
  fresh: (random) => ({
    when: cel(random, 1 + random.below(5)).slice(0, 1_990),
    data: hostileData(random, 80_000),
  }),
  async run(trial, { when, data }) {
    const step = { id: 'a', kind: 'branch', branches: [{ when: when ?? '', goto: 'b' }] };
    const version = await save(trial, { steps: [step, { id: 'b', kind: 'noop' }] });
    if (!version) return;
    await trial.ask('POST workflow activate, dry run', 'POST', `${version}/activate`, { dry_run: true });
    await trial.ask('POST workflow simulate', 'POST', `${version}/simulate`, { trigger_data: data ?? {} });
  },
};

function randomStep(random: Random, id: string): JsonObject {
  const text = (): string =>
    random.chance(0.5) ? liquid(random, 2).slice(0, 4_000) : hostileText(random, 2_000);
  const base: JsonObject = { id, ...(random.chance(0.3) ? { when: cel(random, 2).slice(0, 1_990) } : {}) };
  switch (random.below(7)) {
    case 0:
      return {
        ...base,
        kind: 'send',
        channel: 'email',
        recipient: recipients.email ?? {},
        subject: text(),
        html_body: text(),
      };
    case 1:
      return { ...base, kind: 'delay', duration: random.pick(['1h', '0s', '{{ trigger.a }}', text()]) };
    case 2:
      return {
        ...base,
        kind: 'branch',
        branches: Array.from({ length: random.size(50) }, () => ({
          when: cel(random, 2).slice(0, 500),
          goto: 's0',
        })),
      };
    case 3:
      return {
        ...base,
        kind: 'wait_for_event',
        event: 'paid',
        match: { [random.pick(['a', 'a.b', 'items.0', hostileText(random, 200)])]: text() },
        timeout: '1h',
      };
    case 4:
      return { ...base, kind: 'digest', key: text(), window: '1h' };
    case 5:
      return {
        ...base,
        kind: 'fetch',
        url: 'https://example.com/{{ trigger.a }}',
        body: hostileValue(random, 3_000),
        headers: { 'x-a': text() },
      };
    default:
      return { ...base, kind: random.pick(['noop', 'cancel', 'nothing']) };
  }
}

const steps = (count: number, one: (index: number) => JsonObject): JsonObject[] =>
  Array.from({ length: count }, (_, index) => one(index));

/** Whole definitions: read, checked, simulated with events. */
export const workflows: Area = {
  name: 'workflows',
  sampleEvery: 4,
  known: [
    {
      steps: steps(500, (n) => ({ id: `s${n}`, kind: 'noop', when: `true${' && true'.repeat(15)}` })),
      data: {},
    },
    {
      steps: steps(60, (n) => ({
        id: `s${n}`,
        kind: 'branch',
        branches: [{ when: 'trigger.a.all(x, trigger.a.all(y, x <= y || true))', goto: 'end' }],
      })),
      data: { a: range(400) },
    },
    {
      steps: steps(450, (n) => ({
        id: `s${n}`,
        kind: 'send',
        channel: 'email',
        recipient: { address: '{{ trigger.a }}' },
        subject: '{{ trigger.a | upcase }}',
        text_body: '{% for i in (1..9) %}{{ i }}{% endfor %}',
      })),
      data: { a: 'x' },
    },
    {
      steps: [
        {
          id: 'a',
          kind: 'send',
          channel: 'email',
          recipient: { address: 'x@example.com' },
          subject: 'x',
          text_body: '{% for i in (1..90000) %}{{ trigger.a | sha256 }}{% endfor %}',
        },
      ],
      data: { a: 'x' },
    },
    {
      steps: [{ id: 'a', kind: 'digest', key: steps(1_900, () => ({ a: '{{ trigger }}' })), window: '1h' }],
      data: { a: 'x' },
    },
    {
      steps: [
        {
          id: 'a',
          kind: 'fetch',
          url: 'https://example.com',
          body: steps(900, () => ({ a: '{{ trigger.a }}' })),
        },
      ],
      data: { a: range(900) },
    },
    {
      steps: steps(400, (n) => ({
        id: `s${n}`,
        kind: 'wait_for_event',
        event: 'paid',
        match: { [`a.${n}`]: '{{ trigger.a }}' },
        timeout: '1h',
      })),
      data: { a: 'x' },
      events: steps(90, (n) => ({ event_name: 'paid', event_data: { a: range(100 + n) } })),
    },
    {
      steps: steps(60, (n) => ({
        id: `s${n}`,
        kind: 'wait_for_event',
        event: 'paid',
        match: { a: '{{ trigger.a }}', [`b${n % 3}`]: '1' },
        timeout: '1h',
      })),
      data: { a: 'x' },
      events: steps(60, () => ({ event_name: 'paid', event_data: { a: range(300), b0: 1, b1: 1 } })),
    },
  ],
  fresh: (random) => ({
    steps: steps(random.size(60), (index) => randomStep(random, `s${index}`)),
    data: hostileData(random, 20_000),
    ...(random.chance(0.4)
      ? {
          events: steps(random.size(30), () => ({
            event_name: 'paid',
            event_data: hostileData(random, 500),
          })),
        }
      : {}),
    ...(random.chance(0.3)
      ? { responses: { s0: hostileValue(random, 5_000), s1: hostileValue(random, 5_000) } }
      : {}),
  }),
  async run(trial, { steps, data, events, responses }) {
    const version = await save(trial, { steps: steps ?? [] });
    if (!version) return;
    await trial.ask('POST workflow activate, dry run', 'POST', `${version}/activate`, { dry_run: true });
    await trial.ask('POST workflow simulate', 'POST', `${version}/simulate`, {
      trigger_data: data ?? {},
      ...(events ? { events } : {}),
      ...(responses ? { responses } : {}),
    });
  },
};

/** Started for real: what the worker does with a run, and with the events that wake it. */
export const runs: Area = {
  name: 'runs and events',
  known: [
    {
      steps: steps(300, (n) => ({
        id: `s${n}`,
        kind: 'wait_for_event',
        event: 'paid',
        match: { a: '{{ trigger.a }}', [`b.${n}`]: '{{ trigger.b }}' },
        timeout: '1h',
      })),
      data: { a: range(9_000), b: 1 },
      event: { a: range(9_000), b: range(300) },
    },
    {
      steps: steps(60, (n) => ({
        id: `s${n}`,
        kind: 'branch',
        branches: [{ when: 'trigger.a.all(x, trigger.a.all(y, x <= y || true))', goto: 'end' }],
      })),
      data: { a: range(400) },
    },
    {
      steps: [
        { id: 'a', kind: 'digest', key: '{{ trigger.a | json | sha256 }}', window: '1s', max_items: 1 },
        {
          id: 'b',
          kind: 'send',
          channel: 'email',
          recipient: { address: 'delivered@sandbox.test' },
          subject: 'x',
          html_body: '{% for i in digest.items %}{{ i | json }}{% endfor %}',
        },
      ],
      data: { a: range(15_000) },
    },
    {
      steps: steps(20, (n) => ({
        id: `s${n}`,
        kind: 'send',
        channel: 'email',
        recipient: { address: 'delivered@sandbox.test' },
        subject: 'x',
        html_body: '{{ trigger.a | raw }}',
      })),
      data: { a: '<b>'.repeat(20_000) },
    },
    {
      steps: [
        {
          id: 'a',
          kind: 'send',
          channel: 'email',
          recipient: { address: 'delivered@sandbox.test' },
          subject: 'x',
          text_body: '{% for i in (1..90000) %}{{ trigger.a | sha256 }}{% endfor %}',
        },
      ],
      data: { a: 'x' },
    },
  ],
  fresh: (random) => ({
    steps: steps(random.size(40), (index) => randomStep(random, `s${index}`)).filter(
      ({ kind }) => kind !== 'delay',
    ),
    data: hostileData(random, 20_000),
    event: hostileData(random, 20_000),
  }),
  async run(trial, { steps, data, event }) {
    const version = await save(trial, { steps: steps ?? [] });
    if (!version) return;
    const activated = await trial.ask('POST workflow activate', 'POST', `${version}/activate`, {});
    if (activated.status >= 300 || !activated.body.valid) return;
    await start(trial, data ?? {});
    await trial.ask('POST workflow event', 'POST', `/v1/workflows/${currentWorkflow()}/events`, {
      event_name: 'paid',
      event_data: event ?? {},
    });
    await trial.afterwards('run', async () => true);
    await trial.ask('GET workflow runs', 'GET', `/v1/workflows/${currentWorkflow()}/runs?limit=100`);
  },
};
