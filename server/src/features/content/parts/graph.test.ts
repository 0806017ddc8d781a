import { expect, test } from 'vitest';
import { dependentsOf, excessOf, partIndex, problemOf } from './graph.ts';
import type { CurrentPart } from './store.ts';

const partial = (key: string, uses: string[] = [], size = 10): CurrentPart => ({
  kind: 'partial',
  key,
  channel: null,
  is_default: false,
  version_id: key,
  uses: uses.map((use) => `partial:${use}`),
  size,
});
const names = (count: number): string[] => Array.from({ length: count }, (_, n) => `p${n}`);

test('a template uses up to 50 partials, of a limited size, through others too', () => {
  const many = names(51).map((name) => partial(name));
  const uses = many.map(({ key }) => `partial:${key}`);
  expect(excessOf(many, uses.slice(1))).toBeNull();
  expect(excessOf(many, uses)).toContain('more than 50 different partials');
  expect(excessOf([partial('all', names(50)), ...many], ['partial:all'])).toContain('more than 50');
  const large = [partial('a', ['b', 'b'], 1_000_001), partial('b', ['a'], 1_000_000)];
  expect(excessOf(large, ['partial:b'])).toContain('more than 2000000 characters');
  expect(excessOf([...large.slice(1)], ['partial:b'])).toBeNull();
});

test('what does not exist, renders itself or is too deep cannot be compiled', () => {
  const problem = (parts: CurrentPart[], ...uses: string[]) => problemOf(partIndex(parts), uses);
  const lacking = problem([partial('a', ['b'])], 'partial:a', 'layout:l', 'default:email', 'translations');
  expect(lacking).toMatch(/there is no (?:layout l, and no partial b|partial b, and no layout l)/);
  const cycle = [partial('a', ['b']), partial('b', ['a'])];
  expect(problem(cycle, 'partial:a')).toMatch(/the partial [ab] renders itself/);
  const chain = names(6).map((name, n) => partial(name, n < 5 ? [`p${n + 1}`] : []));
  expect(problem(chain, 'partial:p1')).toBeNull();
  expect(problem(chain, 'partial:p0')).toBe('the partial p0 nests partials more than 5 levels deep');
  const layers = names(50).map((name, n) =>
    partial(
      name,
      n < 40 ? Array.from({ length: 10 }, (_, m) => `p${(Math.floor(n / 10) + 1) * 10 + m}`) : [],
    ),
  );
  expect(problem(layers, ...layers.map(({ key }) => `partial:${key}`))).toBeNull();
});

test('what needs a part is found through others', () => {
  const layout = { ...partial('l', ['b']), kind: 'layout', channel: 'email', is_default: true } as const;
  const parts = [partial('a'), partial('b', ['a']), layout, partial('c')];
  expect(dependentsOf(parts, { kind: 'partial', key: 'a' })).toEqual({
    parts: [parts[0], parts[1], layout],
    uses: ['partial:a', 'partial:b', 'layout:l', 'default:email'],
  });
});
