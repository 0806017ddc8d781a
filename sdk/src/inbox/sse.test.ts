import { describe, expect, test } from 'vitest';
import { createFrameReader } from './sse.ts';

const text =
  ': a comment\n\nretry: 2000\n\nid: 1\nevent: a\ndata: {"x":1}\n\nid: 2\r\nevent: b\r\ndata: first\r\ndata:second\r\n\r\ndata\n\nid: 3\revent: c\rdata: é🔔\r\r\n';
const events = [
  { id: '1', event: 'a', data: '{"x":1}' },
  { id: '2', event: 'b', data: 'first\nsecond' },
  { id: null, event: 'message', data: '' },
  { id: '3', event: 'c', data: 'é🔔' },
];

describe('a reader of frames', () => {
  test('understands every form the standard allows', () => {
    expect(createFrameReader().push(text)).toEqual(events);
  });

  test('does not mind where the text is cut', () => {
    for (let size = 1; size < text.length; size += 1) {
      const reader = createFrameReader();
      const seen = [];
      for (let at = 0; at < text.length; at += size) seen.push(...reader.push(text.slice(at, at + size)));
      expect(seen, `cut every ${size}`).toEqual(events);
    }
  });

  test('gives up on an event without end', () => {
    const reader = createFrameReader();
    const line = `data: ${'x'.repeat(1024 * 1024)}\n`;
    expect(() => {
      for (let count = 0; count < 10; count += 1) reader.push(line);
    }).toThrow('too long');
  });
});
