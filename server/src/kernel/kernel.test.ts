import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createKeyring, randomBase62, toBase62 } from './crypto.ts';
import { idTime, isUuid, lowestIdAt, newId } from './ids.ts';
import { decodeCursor, decodeOffset, encodeCursor, encodeOffset, pageOf } from './page.ts';

describe('ids', () => {
  test('are UUIDs of version 7, strictly increasing, and tell their time', () => {
    const before = Date.now();
    const ids = Array.from({ length: 20_000 }, () => newId());
    expect(ids.every((id) => isUuid(id) && id[14] === '7' && /[89ab]/.test(id[19] ?? ''))).toBe(true);
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(ids.length);
    expect(idTime(ids[0] ?? '')).toBeGreaterThanOrEqual(before);
  });

  test('keep their order when the clock goes back a little, and follow it when it is set back', () => {
    const ahead = Date.now() + 1_000_000;
    const first = newId(ahead);
    const second = newId(ahead - 900);
    expect(second > first).toBe(true);
    expect(idTime(second)).toBe(ahead);
    const back = ahead - 900_000;
    const third = newId(back);
    expect(idTime(third)).toBe(back);
    expect(newId(back) > third).toBe(true);
  });

  test('the lowest id of a moment is below every id made then', () => {
    const now = Date.now() + 1_000_000;
    const id = newId(now);
    expect(lowestIdAt(now) < id).toBe(true);
    expect(lowestIdAt(now + 1) > id).toBe(true);
  });
});

describe('cursors', () => {
  test('come back as they were, and only for their own list', () => {
    const id = newId();
    const cursor = encodeCursor('list:a', id);
    expect(decodeCursor('list:a', cursor)).toBe(id);
    expect(() => decodeCursor('list:b', cursor)).toThrow('was not returned by this list');
  });

  test('may hold any place, which its list must recognise', () => {
    const read = (text: string) => (text.startsWith('place ') ? text.slice(6) : null);
    const cursor = encodeOffset('list:a', 'place ü/\u{1f514}');
    expect(decodeOffset('list:a', cursor, read)).toBe('ü/\u{1f514}');
    expect(() => decodeOffset('list:b', cursor, read)).toThrow('was not returned by this list');
    expect(() => decodeOffset('list:a', encodeOffset('list:a', 'other'), read)).toThrow(
      'not returned by this list',
    );
  });

  test('nonsense never gets through', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => decodeCursor('list', text)).toThrow();
      }),
    );
  });

  test('a page says that there is more only when there is', () => {
    const rows = [{ id: newId() }, { id: newId() }, { id: newId() }];
    expect(pageOf('l', rows, 3).next_cursor).toBeNull();
    expect(pageOf('l', rows, 2).data).toHaveLength(2);
    expect(pageOf('l', rows, 2).next_cursor).not.toBeNull();
  });
});

describe('sealed secrets', () => {
  const key = (byte: number): Buffer => Buffer.alloc(32, byte);

  test('open with any key of the ring, in their own place only', () => {
    const old = createKeyring([key(1)]);
    const both = createKeyring([key(2), key(1)]);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const plain = text.toWellFormed();
        const sealed = old.seal(plain, 'here');
        expect(both.open(sealed, 'here')).toBe(plain);
        expect(both.isStale(sealed)).toBe(true);
        expect(() => both.open(sealed, 'elsewhere')).toThrow();
      }),
    );
    expect(() => createKeyring([key(3)]).open(old.seal('x', 'c'), 'c')).toThrow('is not configured');
  });

  test('do not open when altered', () => {
    const ring = createKeyring([key(1)]);
    const sealed = ring.seal('secret', 'c');
    const altered = sealed.slice(0, -2) + (sealed.at(-2) === 'A' ? 'B' : 'A') + sealed.slice(-1);
    expect(() => ring.open(altered, 'c')).toThrow();
  });
});

test('base62 has the asked width and only its alphabet', () => {
  expect(randomBase62(50)).toMatch(/^[0-9A-Za-z]{50}$/);
  expect(toBase62(0, 6)).toBe('000000');
  expect(toBase62(62 ** 5, 6)).toBe('100000');
});
