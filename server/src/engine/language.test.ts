import { DateTime } from 'luxon';
import { describe, expect, test } from 'vitest';
import { createBudget } from '../templating/budget.ts';
import { HeavyWork } from '../threads/effort.ts';
import type { Json } from './contract.ts';
import { compileExpression, ExpressionFault, type ExpressionScope, newMeter } from './expression.ts';
import { nextLocalTime, parseDuration, parseTimestamp } from './time.ts';
import { createTemplates, evaluateValue, templateFaults, ValueFault } from './value.ts';

const scope = (trigger: Json, more: Partial<ExpressionScope> = {}): ExpressionScope => ({
  trigger,
  steps: {},
  event: null,
  digest: null,
  run: { id: 'r' },
  ...more,
});

/** Processor time, so that a busy machine does not fail the tests. */
function spentMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

describe('durations', () => {
  test.each([
    ['30s', 30_000],
    ['15m', 900_000],
    ['2h', 7_200_000],
    ['3d', 259_200_000],
    ['2w', 1_209_600_000],
    ['1h30m', 5_400_000],
    ['0s', 0],
    ['PT15M', 900_000],
    ['P3DT4H', 273_600_000],
    ['P2W', 1_209_600_000],
    ['PT0.5S', 500],
    ['P366D', 366 * 86_400_000],
  ])('%s is %d ms', (text, ms) => expect(parseDuration(text)).toBe(ms));

  test.each([
    '',
    'P',
    'PT',
    'P1DT',
    '15',
    'm',
    '1.5h',
    '-5m',
    'P1M',
    'P1Y',
    'P367D',
    '999999999d',
    '5 m',
    'PT5',
    '15M',
    ' 15m',
  ])('%j is none', (text) => expect(parseDuration(text)).toBeNull());
});

describe('the hour on the wall', () => {
  const at = (iso: string) => DateTime.fromISO(iso).toMillis();
  const next = (after: string, time: string, zone: string) =>
    new Date(nextLocalTime(at(after), time, zone)).toISOString();

  test('is today when it is still to come, else tomorrow, and never now', () => {
    expect(next('2026-01-10T06:00:00Z', '09:00', 'Europe/Rome')).toBe('2026-01-10T08:00:00.000Z');
    expect(next('2026-01-10T09:30:00Z', '09:00', 'Europe/Rome')).toBe('2026-01-11T08:00:00.000Z');
    expect(next('2026-01-10T08:00:00Z', '09:00', 'Europe/Rome')).toBe('2026-01-11T08:00:00.000Z');
  });
  test('follows the clocks when they change', () => {
    expect(next('2026-03-28T12:00:00Z', '09:00', 'Europe/Rome')).toBe('2026-03-29T07:00:00.000Z');
  });
  test('is the first moment after the gap when the clocks skip it', () => {
    expect(next('2026-03-28T12:00:00Z', '02:30', 'Europe/Rome')).toBe('2026-03-29T01:00:00.000Z');
    expect(next('2026-03-29T01:00:00Z', '02:30', 'Europe/Rome')).toBe('2026-03-30T00:30:00.000Z');
    expect(next('2026-10-03T12:00:00Z', '02:15', 'Australia/Lord_Howe')).toBe('2026-10-03T15:30:00.000Z');
    expect(next('2026-09-05T12:00:00Z', '00:30', 'America/Santiago')).toBe('2026-09-06T04:00:00.000Z');
  });
  test('is the first of two when the clocks show it twice', () => {
    expect(next('2026-10-24T12:00:00Z', '02:30', 'Europe/Rome')).toBe('2026-10-25T00:30:00.000Z');
    expect(next('2026-10-25T00:30:00Z', '02:30', 'Europe/Rome')).toBe('2026-10-26T01:30:00.000Z');
  });
  test('survives a date that never was', () => {
    expect(next('2011-12-29T22:00:00Z', '09:00', 'Pacific/Apia')).toBe('2011-12-30T19:00:00.000Z');
  });
  test('timestamps need a date and a time; without an offset they are in the zone', () => {
    expect(parseTimestamp('2026-01-10T09:00:00+01:00')).toBe(at('2026-01-10T08:00:00Z'));
    expect(parseTimestamp('2026-01-10T09:00', 'Europe/Rome')).toBe(at('2026-01-10T08:00:00Z'));
    for (const text of ['2026-01-10', 'tomorrow', '', '2026-13-01T00:00Z', '1767225600'])
      expect(parseTimestamp(text)).toBeNull();
  });
});

describe('expressions', () => {
  const evaluate = (source: string, trigger: Json = {}, more: Partial<ExpressionScope> = {}) =>
    compileExpression(source).evaluate(scope(trigger, more), newMeter());

  test.each<[string, Json, unknown]>([
    ['trigger.amount > 100', { amount: 100.5 }, true],
    ['trigger.amount == 100', { amount: 100 }, true],
    ['trigger.amount + 1 == 101 && trigger.amount % 2 == 0', { amount: 100 }, true],
    ['trigger.price * 2 > 20', { price: 10.5 }, true],
    ['trigger.plan in ["pro", "team"]', { plan: 'pro' }, true],
    ['trigger.n in [1, 2]', { n: 2 }, true],
    ['trigger.a == "1"', { a: 1 }, false],
    ['trigger.a == null', { a: null }, true],
    ['trigger.items.exists(i, i.qty > 1)', { items: [{ qty: 1 }, { qty: 2 }] }, true],
    ['size(trigger.items) == 2', { items: [1, 2] }, true],
    ['trigger.o == {"a": [1, "x"]}', { o: { a: [1, 'x'] } }, true],
    ['has(trigger.a) && trigger.a', {}, false],
    ['trigger.?a.orValue("x") == "x"', {}, true],
    ['trigger.email.endsWith("@example.com")', { email: 'a@example.com' }, true],
    ['trigger.code.matches("^[A-Z]{2}$")', { code: 'AB' }, true],
    [
      'timestamp(trigger.due) - duration("24h") < timestamp("2026-01-02T00:00:00Z")',
      { due: '2026-01-02T12:00:00Z' },
      true,
    ],
  ])('%s', (source, trigger, result) => expect(evaluate(source, trigger)).toBe(result));

  test('what is not there is a fault with a hint, not false', () => {
    expect(() => evaluate('trigger.missing == 1')).toThrow('there is no "missing" (check with has()');
    expect(() => evaluate('steps.a.output.x == 1')).toThrow(ExpressionFault);
    expect(() => evaluate('event.x == 1')).toThrow(ExpressionFault);
  });

  test('a field called constructor hides nothing but itself', () => {
    const team = { constructor: 'Ferrari', name: 'x', cars: [{ constructor: 1, n: 2 }] };
    expect(evaluate('trigger.name == "x" && trigger.cars[0].n == 2', team)).toBe(true);
    expect(evaluate('trigger.team.name == "x" && size(trigger.team) == 2', { team })).toBe(true);
  });

  test('a place that a list does not have is named', () => {
    expect(() => evaluate('trigger.l[2] == 1', { l: [1] })).toThrow('the list has no element 2 ');
  });

  test('only the five names exist', () => {
    for (const source of ['foo == 1', 'process', 'globalThis.x', 'trigger.a + b', 'constructor'])
      expect(() => compileExpression(source)).toThrow('Unknown variable');
    expect(() => evaluate('trigger.constructor == 1')).toThrow(ExpressionFault);
    expect(() => evaluate('trigger.__proto__ == 1')).toThrow(ExpressionFault);
    expect(() => evaluate('trigger.constructor == 1', JSON.parse('{"constructor": 1}'))).toThrow(
      ExpressionFault,
    );
  });

  test.each([
    '',
    '1 +',
    'trigger.',
    '"',
    'trigger.a ==',
    `${'('.repeat(900)}1${')'.repeat(900)}`,
    `1${' + 1'.repeat(600)}`,
    'x'.repeat(3_000),
    '1 + "a"',
    '!5',
  ])('refuses %s', (source) => expect(() => compileExpression(source)).toThrow(ExpressionFault));

  const many = Array.from({ length: 20_000 }, (_, index) => index);
  const long = 'a'.repeat(1_000_000);
  /** x0 is the value twice, x1 four times, … */
  const doubled = (value: string, times: number) =>
    `${Array.from({ length: times }, (_, i) => {
      const before = i === 0 ? value : `x${i - 1}`;
      return `cel.bind(x${i}, ${before} + ${before}, `;
    }).join('')}x${times - 1}.size() > 0${')'.repeat(times)}`;

  test.each<[string, string, Json]>([
    ['nested macros', 'trigger.l.all(a, trigger.l.all(b, trigger.l.all(c, a + b + c >= 0)))', { l: many }],
    ['nested quantifiers', 'trigger.l.exists(a, trigger.l.exists(b, a == -1))', { l: many }],
    ['large comparisons', 'trigger.l.map(a, trigger.l) == trigger.l.map(a, trigger.l)', { l: many }],
    ['searches in lists', 'trigger.l.all(a, a in trigger.l)', { l: many }],
    ['large texts', 'trigger.l.map(a, trigger.s + trigger.s).size() == 0', { l: many, s: long }],
    ['texts that double', doubled('trigger.s', 9), { s: long }],
    ['lists that double', doubled('trigger.l', 9), { l: many }],
    ['searches in texts', 'trigger.l.all(a, !trigger.s.contains("ab"))', { l: many, s: long }],
    [
      'one search that takes the product',
      'trigger.s.contains(trigger.t)',
      { s: long, t: `${long.slice(0, 400_000)}b` },
    ],
    ['pieces of texts', 'trigger.l.map(a, trigger.s.split("")).size() == 0', { l: many, s: long }],
  ])('stops %s', (_, source, data) => {
    const expression = compileExpression(source);
    const spent = spentMs(() =>
      expect(() => expression.evaluate(scope(data), newMeter())).toThrow('exceeds the work limit of a step'),
    );
    expect(spent).toBeLessThan(5_000);
  });

  test('errors inside quantifiers do not hide that the work was too much', () => {
    expect(() => evaluate('trigger.l.exists(a, trigger.l.exists(b, b.x == 1)) || true', { l: many })).toThrow(
      'exceeds the work limit',
    );
  });

  test('a regular expression does not backtrack', () => {
    expect(evaluate('trigger.s.matches("^(a+)+$")', { s: `${'a'.repeat(5_000)}b` })).toBe(false);
    expect(evaluate('trigger.s.matches("^(a+)+$")', { s: 'a'.repeat(5_000) })).toBe(true);
  });

  test('what no engine with linear time can do still works, and is stopped by the clock', () => {
    const twice = 'trigger.s.matches("^(a+)\\\\1+$")';
    expect(evaluate(twice, { s: 'aaaa' })).toBe(true);
    expect(() => evaluate('trigger.s.matches("^(?=a)((a+)+)$")', { s: `${'a'.repeat(40)}b` })).toThrow(
      'took too long',
    );
    expect(compileExpression(twice).patternProblem()).toContain('back-references');
    expect(compileExpression('[1].exists(x, trigger.s.matches("(?=a)"))').patternProblem()).toContain(
      'look-ahead',
    );
    expect(compileExpression('trigger.s.matches("^a+$")').patternProblem()).toBe(null);
  });

  const numbers = (length: number) => Array.from({ length }, (_, n) => n);
  test.each<[string, Json]>([
    [
      'trigger.b.exists(y, y in trigger.c)',
      {
        b: numbers(5_000).map((n) => `x${n}`),
        c: Object.fromEntries(numbers(5_000).map((n) => [`k${n}`, n])),
      },
    ],
    [
      'trigger.b.exists(y, timestamp(trigger.c).getHours("Europe/Rome") == 77)',
      { b: numbers(9_000), c: '2026-01-01T00:00:00Z' },
    ],
    ['trigger.b.exists(y, size(trigger.c) == 0)', { b: numbers(9_000), c: '😀'.repeat(9_000) }],
    ['trigger.b.exists(y, trigger.c.trim() == "")', { b: numbers(9_000), c: `${' '.repeat(9_000)}a` }],
    ['trigger.b.exists(y, double(trigger.c) == 1.0)', { b: numbers(15_000), c: '9'.repeat(3_000) }],
    ['trigger.b.exists(y, trigger.c.matches("^(.*a)*$"))', { b: numbers(9_000), c: `${'a'.repeat(900)}!` }],
  ])('%s: what the library does in one step is charged for', (source, data) => {
    // On a busy machine the watchdog of regular expressions may come first.
    expect(() => evaluate(source, data)).toThrow(/exceeds the work limit of a step|took too long/);
  });

  test('a light effort gives up early, and says that it is heavy work', () => {
    const light = (source: string, data: Json) =>
      compileExpression(source).evaluate(scope(data), newMeter('light'));
    expect(light('trigger.a.exists(x, x == 999)', { a: numbers(1_000) })).toBe(true);
    expect(() => light('trigger.a.all(x, trigger.a.all(y, x == y || true))', { a: numbers(400) })).toThrow(
      HeavyWork,
    );
    expect(evaluate('trigger.a.all(x, trigger.a.all(y, true))', { a: numbers(250) })).toBe(true);
    expect(() => light('trigger.s.matches("(?=a)")', { s: 'a' })).toThrow(HeavyWork);
    expect(() => light('trigger.s.matches("(a{1,30}){1,30}b")', { s: 'a' })).toThrow(HeavyWork);
    expect(light('trigger.s.matches("^[0-9]{4}-[0-9]{2}$")', { s: '2026-01' })).toBe(true);
  });

  test('ordinary work on a large list is allowed', () => {
    const items = many.map((id) => ({ id, tags: ['a', 'b'] }));
    expect(evaluate('trigger.items.exists(i, i.id == 19999 && "b" in i.tags)', { items })).toBe(true);
  });
});

describe('values', () => {
  const value = (given: Json, trigger: Json, html?: Set<string>) =>
    evaluateValue(createTemplates(), given, scope(trigger), createBudget(), html);

  test('exactly one output keeps its type', () => {
    const trigger = { n: 5, f: 1.5, b: true, l: [1, { a: 'x' }], o: { a: null }, z: null, s: 'x' };
    expect(value({ n: '{{ trigger.n }}', f: '{{trigger.f}}', b: '{{ trigger.b }}' }, trigger)).toEqual({
      n: 5,
      f: 1.5,
      b: true,
    });
    expect(value(['{{ trigger.l }}', '{{ trigger.o }}', '{{- trigger.z -}}'], trigger)).toEqual([
      trigger.l,
      trigger.o,
      null,
    ]);
    expect(value('{{ trigger.l | size }}', trigger)).toBe(2);
    expect(value('{{ trigger.s | upcase }}', trigger)).toBe('X');
    expect(value('{{ trigger.missing }}', trigger)).toBeNull();
    expect(value('{{ trigger.missing.deeper | default: 3 }}', trigger)).toBe(3);
    expect(value('{{ "a}}b" }}', trigger)).toBe('a}}b');
  });
  test('anything else is text', () => {
    expect(value(' {{ trigger.n }}', { n: 5 })).toBe(' 5');
    expect(value('{{ trigger.n }}{{ trigger.n }}', { n: 5 })).toBe('55');
    expect(value('{% if trigger.n > 4 %}many{% endif %}', { n: 5 })).toBe('many');
    expect(value('{{ trigger.o }} {{ trigger.missing }}', { o: { a: 1 } })).toBe('{"a":1} ');
  });
  test('values without templates stay as they are, at any depth', () => {
    const plain = { a: [1, null, { b: 'x } y' }], __x: true };
    expect(value(plain, {})).toEqual(plain);
    expect(value({ a: { b: ['{{ trigger.x }}', 'y'] } }, { x: [1] })).toEqual({ a: { b: [[1], 'y'] } });
  });
  test('data is escaped in the HTML fields, and only there', () => {
    const html = new Set(['html_body']);
    expect(
      value({ html_body: '<b>{{ trigger.x }}</b>', subject: '{{ trigger.x }}' }, { x: '<' }, html),
    ).toEqual({
      html_body: '<b>&lt;</b>',
      subject: '<',
    });
    expect(value({ html_body: '{{ trigger.x }}' }, { x: '<' }, html)).toEqual({ html_body: '&lt;' });
  });
  test('data cannot become a template', () => {
    expect(value('{{ trigger.x }}', { x: '{{ run.id }}' })).toBe('{{ run.id }}');
    expect(value('a {{ trigger.x }}', { x: '{% raw %}' })).toBe('a {% raw %}');
  });
  test('prototypes are out of reach', () => {
    expect(value('{{ trigger.constructor }}', {})).toBeNull();
    expect(value('{{ trigger.__proto__ }}', {})).toBeNull();
    expect(value('{{ trigger["constructor"]["name"] }}x', {})).toBe('x');
  });
  test.each<[string, Json]>([
    ['{% for a in (1..100000) %}{% for b in (1..100000) %}x{% endfor %}{% endfor %}', {}],
    [
      '{% assign x = "aaaaaaaaaa" %}{% for i in (1..40) %}{% assign x = x | append: x %}{% endfor %}{{ x }}',
      {},
    ],
    ['{{ trigger.x }}{{ trigger.x }}', { x: 'a'.repeat(200_000) }],
  ])('a bomb is a fault: %s', (source, data) => {
    const spent = spentMs(() => expect(() => value(source, data)).toThrow(ValueFault));
    expect(spent).toBeLessThan(5_000);
  });
  test('all values of a step together are bounded', () => {
    const list = Array.from({ length: 10 }, () => '{{ trigger.x }}');
    expect(() => value(list, { x: 'a'.repeat(150_000) })).toThrow('larger than');
  });
  test('mistakes are found without data, with their place', () => {
    const faults = templateFaults(createTemplates(), {
      ok: '{{ trigger.x }}',
      bad: [{ 'a/b': '{{ trigger.x | nonsense }}' }, '{% if %}', '{{ '],
    });
    expect(faults.map(({ pointer }) => pointer)).toEqual(['/bad/0/a~1b', '/bad/1', '/bad/2']);
  });
});
