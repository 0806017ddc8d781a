import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { fallbackText, signatureProblem } from './index.ts';

test('the text beside the blocks is their words', () => {
  const blocks = [
    { type: 'header', text: { type: 'plain_text', text: 'Order 7' } },
    { type: 'section', text: { type: 'mrkdwn', text: '*Paid*' }, fields: [{ type: 'mrkdwn', text: 'a' }] },
    { type: 'context', elements: [{ type: 'image', image_url: 'https://x', alt_text: 'a cat' }] },
    { type: 'divider' },
    {
      type: 'rich_text',
      elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'deep' }] }],
    },
  ];
  expect(fallbackText(blocks)).toBe('Order 7\n*Paid*\na\na cat\ndeep');
  expect(fallbackText({ blocks })).toBe(fallbackText(blocks));
  expect(fallbackText([{ type: 'divider' }])).toBe('New message');
});

test('plain text that looks like a mention mentions nobody in it', () => {
  const blocks = [{ type: 'header', text: { type: 'plain_text', text: '<!channel> & co' } }];
  expect(fallbackText(blocks)).toBe('&lt;!channel&gt; &amp; co');
});

test('a long text is cut between characters, never within one or within an entity', () => {
  const textOf = (text: string) => fallbackText([{ type: 'header', text: { type: 'plain_text', text } }]);
  for (let at = 2_990; at <= 3_000; at += 1) {
    for (const special of ['&', '<', '>', '🚀']) {
      const cut = textOf(`${'x'.repeat(at)}${special}${'y'.repeat(100)}`);
      expect(cut.length).toBeLessThanOrEqual(3_000);
      expect(cut.length).toBeGreaterThan(2_989);
      expect(cut.isWellFormed()).toBe(true);
      expect(cut.replace(/&(?:amp|lt|gt);/g, '')).not.toContain('&');
    }
  }
  const link = `${'x'.repeat(2_990)}<https://acme.example/orders/7|order 7>`;
  expect(fallbackText([{ type: 'section', text: { type: 'mrkdwn', text: link } }])).toBe('x'.repeat(2_990));
});

test('the signature of the service is recognised, and nothing else is', () => {
  const signature = 'v0=02aa2dfdfa8315cc295631a913ff6fbd9400421990e2d9de7844d9c1069f4e1b';
  const headers = { timestamp: '1700000000', signature };
  const body = Buffer.from('a=1&b=2');
  const now = 1_700_000_000_000;
  expect(signatureProblem('test_secret', headers, body, now)).toBeNull();
  expect(signatureProblem('test_secret', headers, body, now + 299_000)).toBeNull();
  expect(signatureProblem('test_secret', headers, body, now + 301_000)).toContain('five minutes');
  expect(signatureProblem('test_secret', headers, body, now - 301_000)).toContain('five minutes');
  expect(signatureProblem('other', headers, body, now)).toContain('does not match');
  expect(signatureProblem('test_secret', headers, Buffer.from('a=1&b=3'), now)).toContain('does not match');
  expect(signatureProblem('test_secret', { ...headers, signature: 'v0=' }, body, now)).toContain('match');
  expect(signatureProblem('test_secret', { ...headers, signature: undefined }, body, now)).toContain(
    'signed',
  );
  const text = createHmac('sha256', 'test_secret').update('v0:now:a=1&b=2').digest('hex');
  expect(signatureProblem('test_secret', { timestamp: 'now', signature: `v0=${text}` }, body, now)).toContain(
    'five minutes',
  );
});
