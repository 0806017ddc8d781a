import { describe, expect, it } from 'vitest';
import type { RingMessage } from './contract.ts';
import { cutText, fitRing, payloadOf } from './payload.ts';

const message = (fields: Partial<RingMessage>): RingMessage => ({
  type: 'ring',
  id: '0198aaaa-0000-7000-8000-000000000001',
  title: 'Order shipped',
  body: 'Your order is on its way.',
  url: 'https://shop.example/orders/1815',
  urgency: 'normal',
  ttlSeconds: 60,
  ...fields,
});
const encode = (shown: RingMessage): string => JSON.stringify(payloadOf(shown));

describe('a message that is too long for a push', () => {
  it('stays as it is when it fits', () => {
    expect(fitRing(message({}), 4_096, encode)).toBe(encode(message({})));
  });

  it.each([
    ['words', 'lorem ipsum '.repeat(2_000)],
    ['one word', 'x'.repeat(100_000)],
    ['emoji of four bytes', '👩‍🚀'.repeat(5_000)],
    ['characters that JSON escapes', '"\u0001'.repeat(10_000)],
  ])('loses the end of its body: %s', (_name, body) => {
    const text = fitRing(message({ body }), 1_000, encode);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1_000);
    expect(Buffer.byteLength(text)).toBeGreaterThan(940);
    const sent = JSON.parse(text);
    expect(sent).toMatchObject({ title: 'Order shipped', url: 'https://shop.example/orders/1815' });
    expect(sent.body.endsWith('…')).toBe(true);
    expect(sent.body.isWellFormed()).toBe(true);
    expect(body.startsWith(sent.body.slice(0, -1))).toBe(true);
  });

  it('loses the body before the title, and the link last', () => {
    const long = JSON.parse(fitRing(message({ title: 'T'.repeat(9_000) }), 500, encode));
    expect(long).toMatchObject({ body: '', url: 'https://shop.example/orders/1815' });
    expect(long.title).toMatch(/^T+…$/);
    const link = JSON.parse(
      fitRing(message({ url: `https://shop.example/${'x'.repeat(2_000)}` }), 500, encode),
    );
    expect(link).toMatchObject({ title: 'Order shipped', body: 'Your order is on its way.', url: null });
  });

  it('is cut at a word, when one ends nearby', () => {
    expect(cutText('The quick brown fox', 14)).toBe('The quick…');
    expect(cutText('short', 14)).toBe('short');
    expect(cutText('abcdefghij', 1)).toBe('');
  });
});
