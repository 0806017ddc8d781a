import { describe, expect, test } from 'vitest';
import { magicAddresses, magicNumbers } from '../../server/src/channels/sandbox/index.ts';
import { segmentationOf } from '../../server/src/channels/sms/segments.ts';
import { safeHref } from '../src/previews/json.ts';
import { readBlocks, readInline } from '../src/previews/markup.ts';
import { segmentsOf } from '../src/previews/segments.ts';
import { magicRecipients } from '../src/strings/sandbox.ts';

describe('what previews are made of', () => {
  test.each([
    '',
    'a'.repeat(160),
    'a'.repeat(161),
    `${'a'.repeat(152)}€${'a'.repeat(20)}`,
    '[€]'.repeat(60),
    'ü'.repeat(153 * 2),
    '☂'.repeat(70),
    '☂'.repeat(71),
    `${'☂'.repeat(66)}😀${'☂'.repeat(30)}`,
  ])('a text message is counted as the service counts it: %j', (text) => {
    const { encoding, units, segments } = segmentsOf(text);
    expect({ encoding, units, segments }).toEqual(segmentationOf(text));
  });

  test('the magic recipients are those of the sandbox', () => {
    expect(magicRecipients.email.map(({ address }) => address)).toEqual(magicAddresses);
    expect(magicRecipients.sms.map(({ address }) => address)).toEqual(magicNumbers);
  });

  test('links lead to the web or to a mailbox, and nowhere else', () => {
    expect(safeHref('https://example.com/a')).toBe('https://example.com/a');
    expect(safeHref('mailto:ada@example.com')).toBe('mailto:ada@example.com');
    for (const bad of ['javascript:alert(1)', ' JavaScript:alert(1)', 'data:text/html,x', '/here', '', null])
      expect(safeHref(bad)).toBeNull();
  });

  test('the notation of chatone becomes a tree', () => {
    expect(readInline('*bold _both_* `*code*` <https://a.test|a &amp; b> <@U1> 2*3*4', 'chatone')).toEqual([
      {
        kind: 'bold',
        children: [
          { kind: 'text', text: 'bold ' },
          { kind: 'italic', children: [{ kind: 'text', text: 'both' }] },
        ],
      },
      { kind: 'text', text: ' ' },
      { kind: 'code', text: '*code*' },
      { kind: 'text', text: ' ' },
      { kind: 'link', href: 'https://a.test', children: [{ kind: 'text', text: 'a & b' }] },
      { kind: 'text', text: ' ' },
      { kind: 'mention', text: '@U1' },
      { kind: 'text', text: ' 2*3*4' },
    ]);
  });

  test('a link that is none stays text', () => {
    expect(readInline('[x](javascript:alert) <javascript:alert|y>', 'full')).toEqual([
      { kind: 'text', text: '[x](javascript:alert)' },
      { kind: 'text', text: ' ' },
      { kind: 'text', text: '<javascript:alert|y>' },
    ]);
  });

  test('lists, quotes, headings and code stand in blocks', () => {
    const kinds = readBlocks('# Head\ntext\nmore\n- a\n- b\n1. c\n> q\n```js\n*x*\n```', 'full').map(
      ({ kind }) => kind,
    );
    expect(kinds).toEqual(['heading', 'paragraph', 'list', 'list', 'quote', 'pre']);
  });

  test('markup that never closes stays text, however much there is of it', () => {
    const open = '*a _b ~c <d [e '.repeat(800);
    expect(readInline(open, 'chatone')).toEqual([{ kind: 'text', text: open }]);
    const links = '**[a]('.repeat(2000);
    expect(JSON.stringify(readBlocks(links, 'full'))).not.toContain('link');
  });
});
