import type { Random } from './random.ts';

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** Bytes of JSON: what the search may put into one input. Larger ones are bounded by the limits of their fields. */
const maxBytes = 100_000;
export const sizeOf = (value: Json): number => Buffer.byteLength(JSON.stringify(value));

/** What parsers, regular expressions, escapers and layouters find hard when there is much of it. */
const units = [
  ...['a', ' ', '\n', '\r\n', '\t', '<', '>', '&', '"', "'", '\\', '(', ')', '[', ']', '{', '}', '|', '*'],
  ...[
    '<b>',
    '</b>',
    '<p>',
    '<table><tr><td>',
    '<a href="x">',
    '<!--',
    '<style>',
    '<script>',
    '<br>',
    '<ul><li>',
  ],
  ...[
    '{{',
    '{%',
    '}}',
    '{{ a }}',
    '&amp;',
    '&#x41;',
    '%',
    '%41',
    '%E2%82%AC',
    '=?utf-8?q?',
    'http://',
    '//',
    '../',
  ],
  ...['.', ',', ';', ':', '@', 'a@', 'a.', '-', '_', '0', '9', '1e9', '+', '=', '~', '^', '$', '`', '#', '!'],
  ...[
    'é',
    'e\u0301',
    '\u0301',
    'ß',
    'İ',
    '字',
    '😀',
    '👩‍👩‍👧',
    '\u202e',
    '\u200d',
    '\ufdd0',
    '\u2028',
    '\ufeff',
  ],
  ...['\\u0000', '[[', '](', '<!channel>', '<@U1>', '```', '> ', 'aA', 'ab', 'word ', 'a\n', 'x=1&', 'a,b\n'],
];
const endings = ['', '', 'b', '!', '\u0000', '<', '}}', '%}', '@x', '\n'];

export function hostileText(random: Random, most = maxBytes): string {
  const unit = random.chance(0.8) ? random.pick(units) : random.pick(units) + random.pick(units);
  const before = random.chance(0.2) ? random.pick(units) : '';
  const count = random.size(Math.max(1, Math.floor(most / Buffer.byteLength(unit))));
  return before + unit.repeat(count) + random.pick(endings);
}

const numbers = [
  0,
  1,
  -1,
  0.1,
  1e21,
  1e308,
  -1e-320,
  2 ** 31,
  2 ** 53,
  4_294_967_296,
  Number.MAX_SAFE_INTEGER,
];
const names = [
  'a',
  'b',
  'name',
  'id',
  'items',
  'order',
  'constructor',
  'toString',
  'length',
  'size',
  '0',
  '',
];

/** Deep, wide, long or many alike. */
export function hostileValue(random: Random, most = maxBytes): Json {
  switch (random.below(8)) {
    case 0:
      return random.pick(numbers);
    case 1:
      return random.pick([null, true, false, '', '1', 'now', '2026-01-01']);
    case 2:
      return nested(random, random.size(Math.min(99, most / 4)));
    case 3:
      return Array.from({ length: random.size(Math.max(1, most / 4)) }, (_, n) => (n * 7919) % 1_000);
    case 4: {
      const one = random.pick<Json>([1, 'a', {}, [], { a: 1 }, [1], { a: { b: [1, 2] } }, 'a b', null]);
      return Array.from({ length: random.size(Math.max(1, most / (sizeOf(one) + 1))) }, () => one);
    }
    case 5: {
      const width = random.size(Math.max(1, most / 12));
      return Object.fromEntries(Array.from({ length: width }, (_, n) => [`k${n}`, n]));
    }
    case 6:
      return Array.from({ length: random.size(Math.max(1, most / 30)) }, (_, n) => ({
        a: (n * 7919) % 100,
        name: `n${n % 50}`,
      }));
    default:
      return hostileText(random, most);
  }
}

function nested(random: Random, depth: number): Json {
  let value: Json = random.pick<Json>([1, 'a', [], {}]);
  for (let level = 0; level < depth; level += 1) value = random.chance(0.5) ? [value] : { a: value };
  return value;
}

export function hostileData(random: Random, most = maxBytes): JsonObject {
  const data: JsonObject = {};
  for (let left = 1 + random.below(3); left > 0; left -= 1)
    data[random.pick(names)] = hostileValue(random, most / 3);
  data.a ??= hostileValue(random, most / 3);
  return data;
}

/** Where something of a value can be changed: itself, or any part of it. */
interface Slot {
  get(): Json;
  set(value: Json): void;
}

function slotsOf(root: { value: Json }): Slot[] {
  const slots: Slot[] = [
    {
      get: () => root.value,
      set: (value) => {
        root.value = value;
      },
    },
  ];
  const waiting: Json[] = [root.value];
  for (let next = waiting.pop(); next !== undefined && slots.length < 2_000; next = waiting.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const holder = next as Record<string, Json>;
    for (const key of Object.keys(next).slice(0, 200)) {
      slots.push({
        get: () => holder[key] ?? null,
        set: (value) => {
          holder[key] = value;
        },
      });
      waiting.push(holder[key] ?? null);
    }
  }
  return slots;
}

/** One change at random, mostly towards more of something; never more than `maxBytes`. */
export function mutate<Value extends Json>(given: Value, random: Random): Value {
  const root = { value: structuredClone(given) as Json };
  for (let changes = 1 + random.below(2); changes > 0; changes -= 1) {
    const [whole, ...parts] = slotsOf(root) as [Slot, ...Slot[]];
    const slot = parts.length > 0 ? random.pick(parts) : whole;
    slot.set(changed(slot.get(), random));
  }
  return sizeOf(root.value) <= maxBytes ? (root.value as Value) : given;
}

function changed(value: Json, random: Random): Json {
  if (random.chance(0.05)) return hostileValue(random);
  if (typeof value === 'string') return changedText(value, random);
  if (typeof value === 'number')
    return random.pick([value * 10, value * 1_000, value + 1, -value, ...numbers]);
  if (typeof value !== 'object' || value === null)
    return random.chance(0.5) ? hostileValue(random, 1_000) : value;
  if (Array.isArray(value)) {
    if (value.length === 0 || random.chance(0.2)) return [...value, hostileValue(random, 1_000)];
    const piece = value.slice(0, random.size(value.length));
    return random.chance(0.2) ? piece : repeated(value, piece, random);
  }
  const keys = Object.keys(value);
  const key =
    keys.length === 0 || random.chance(0.3) ? random.pick(names) : misspelt(random.pick(keys), random);
  return {
    ...value,
    [key]:
      keys.length > 0 && random.chance(0.5)
        ? (value[random.pick(keys)] ?? null)
        : hostileValue(random, 1_000),
  };
}

function repeated(list: Json[], piece: Json[], random: Random): Json[] {
  const most = Math.max(1, maxBytes / Math.max(1, sizeOf(piece)));
  const more = [...list];
  for (let left = random.size(most); left > 0 && more.length < maxBytes; left -= 1) more.push(...piece);
  return more;
}

/** Close to a known field. */
function misspelt(name: string, random: Random): string {
  const at = random.below(name.length + 1);
  return (
    name.slice(0, at) + random.pick(['', 'x', '_', 'é', name[at] ?? '']) + name.slice(at + random.below(2))
  );
}

function changedText(text: string, random: Random): string {
  const from = random.below(text.length + 1);
  const to = Math.min(text.length, from + random.size(Math.max(1, text.length)));
  switch (random.below(6)) {
    case 0: // more of a part of it
    case 1: {
      const piece = text.slice(from, to) || random.pick(units);
      const count = random.size(Math.max(1, maxBytes / Buffer.byteLength(piece)));
      return text.slice(0, from) + piece.repeat(count) + text.slice(from);
    }
    case 2:
      return text.slice(0, from) + text.slice(to);
    case 3:
      return text.slice(0, from) + hostileText(random) + text.slice(to);
    case 4:
      return text.slice(0, from) + random.pick(units) + text.slice(from);
    default:
      return /\d/.test(text) ? text.replace(/\d+/, (digits) => `${digits}0`) : hostileText(random);
  }
}

/** Smaller versions, the boldest first. */
export function* smaller(given: Json): Generator<Json> {
  const count = slotsOf({ value: given }).length;
  for (let index = 1; index < Math.min(count, 60); index += 1) {
    for (const cut of cuts) {
      const root = { value: structuredClone(given) };
      const slot = slotsOf(root)[index];
      const next = slot && cut(slot.get());
      if (!slot || next === undefined) continue;
      slot.set(next);
      yield root.value;
    }
  }
}

const cuts: ((value: Json) => Json | undefined)[] = [
  (value) => (typeof value === 'object' && value !== null ? undefined : null),
  (value) => halved(value, 0, 0.5),
  (value) => halved(value, 0.5, 1),
  (value) => halved(value, 0, 0.9),
  (value) => halved(value, 0.1, 1),
];

function halved(value: Json, from: number, to: number): Json | undefined {
  if (typeof value === 'string')
    return value.length < 2
      ? undefined
      : value.slice(Math.floor(value.length * from), Math.ceil(value.length * to));
  if (Array.isArray(value))
    return value.length < 2
      ? undefined
      : value.slice(Math.floor(value.length * from), Math.ceil(value.length * to));
  return undefined;
}

/** For people: repetitions are written as such. */
export function shown(value: Json): string {
  return JSON.stringify(compact(value)).slice(0, 2_000);
}

function compact(value: Json): Json {
  if (typeof value === 'string') return compactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const first = value.slice(0, 3).map(compact);
    return value.length > 3 ? [...first, `… ${value.length} in all`] : first;
  }
  const entries = Object.entries(value);
  const few = entries.slice(0, 20).map(([key, part]): [string, Json] => [compactText(key), compact(part)]);
  return Object.fromEntries(entries.length > 20 ? [...few, ['…', `${entries.length} in all`]] : few);
}

/** `<b>` many times → `<b>×33300`. */
function compactText(text: string): string {
  if (text.length <= 80) return text;
  for (let from = 0; from < 60; from += 1) {
    for (let length = 1; length <= 200; length += 1) {
      const unit = text.slice(from, from + length);
      let count = 1;
      while (text.startsWith(unit, from + count * length)) count += 1;
      if (count < 4 || count * length < text.length / 2) continue;
      return `${text.slice(0, from)}⟨${unit}⟩×${count}${compactText(text.slice(from + count * length))}`;
    }
  }
  return `${text.slice(0, 120)}… (${text.length})`;
}

export const range = (length: number): number[] => Array.from({ length }, (_, n) => n);

/** A text, or `{unit, times}`: a long one in a few bytes, so that an input can reach the limits of its fields. */
export function spelled(value: Json | undefined, most: number): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return String(value ?? '');
  const unit = String(value.unit ?? '');
  const times = Math.min(Number(value.times) || 0, most / Math.max(1, unit.length));
  return String(value.before ?? '') + unit.repeat(Math.max(0, times)) + String(value.after ?? '');
}

export const entriesOf = (value: Json | undefined): [string, Json][] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : [];
