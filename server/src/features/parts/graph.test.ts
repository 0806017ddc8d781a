import { expect, test } from 'vitest';
import { excessOf, lackingParts } from './graph.ts';
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

test('what does not exist is named, and locales may be absent', () => {
  const uses = ['partial:a', 'layout:l', 'default:email', 'translations'];
  expect(lackingParts([partial('a', ['b'])], uses).sort()).toEqual(['layout l', 'partial b']);
});
