import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxTextLength, segmentationOf, textProblem } from './segments.ts';

describe('a text message', () => {
  it.each([
    ['an empty text', '', 'GSM-7', 0, 1],
    ['plain letters', 'Hello', 'GSM-7', 5, 1],
    ['what fills one part', 'a'.repeat(160), 'GSM-7', 160, 1],
    ['one more', 'a'.repeat(161), 'GSM-7', 161, 2],
    ['two full parts', 'a'.repeat(306), 'GSM-7', 306, 2],
    ['one more than two parts', 'a'.repeat(307), 'GSM-7', 307, 3],
    ['accents of the alphabet', 'èéùìòÇØøÅåÄÖÑÜäöñüàß§¿¡', 'GSM-7', 23, 1],
    ['Greek capitals of the alphabet', 'ΔΦΓΛΩΠΨΣΘΞ', 'GSM-7', 10, 1],
    ['the extension table', '^{}\\[~]|€\f', 'GSM-7', 20, 1],
    ['80 euro signs', '€'.repeat(80), 'GSM-7', 160, 1],
    ['81 euro signs: an escape pair moves whole', '€'.repeat(81), 'GSM-7', 162, 2],
    ['an escape pair at the end of a part', `${'a'.repeat(152)}€${'a'.repeat(10)}`, 'GSM-7', 164, 2],
    ['153 escape pairs: 76 in a part', '€'.repeat(153), 'GSM-7', 306, 3],
    ['line breaks', 'a\r\nb', 'GSM-7', 4, 1],
    ['a typographic quote', 'It’s', 'UCS-2', 4, 1],
    ['an em dash', 'a—b', 'UCS-2', 3, 1],
    ['a space that does not break', 'a\u00a0b', 'UCS-2', 3, 1],
    ['a letter that is not in the alphabet', 'ç', 'UCS-2', 1, 1],
    ['a back-tick', '`', 'UCS-2', 1, 1],
    ['a tab', '\t', 'UCS-2', 1, 1],
    ['70 Cyrillic letters', 'д'.repeat(70), 'UCS-2', 70, 1],
    ['71 Cyrillic letters', 'д'.repeat(71), 'UCS-2', 71, 2],
    ['134 Cyrillic letters', 'д'.repeat(134), 'UCS-2', 134, 2],
    ['135 Cyrillic letters', 'д'.repeat(135), 'UCS-2', 135, 3],
    ['35 emoji', '🔔'.repeat(35), 'UCS-2', 70, 1],
    ['36 emoji', '🔔'.repeat(36), 'UCS-2', 72, 2],
    ['67 emoji: 33 in a part, the 67th unit stays empty', '🔔'.repeat(67), 'UCS-2', 134, 3],
    ['a pair at the end of a part', `${'д'.repeat(66)}🔔${'д'.repeat(10)}`, 'UCS-2', 78, 2],
    ['half a surrogate pair', '\ud83d', 'UCS-2', 1, 1],
  ])('%s', (_name, text, encoding, units, segments) => {
    expect(segmentationOf(text)).toEqual({ encoding, units, segments });
  });

  it('never has fewer parts than its units need, and wastes at most one unit a part', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 800 }), (text) => {
        const { encoding, units, segments } = segmentationOf(text);
        const [single, joined] = encoding === 'GSM-7' ? [160, 153] : [70, 67];
        if (units <= single) return segments === 1;
        return segments >= Math.ceil(units / joined) && segments <= Math.ceil(units / (joined - 1));
      }),
    );
  });

  it('has at most 1600 characters, and so at most 24 parts', () => {
    expect(textProblem('a'.repeat(maxTextLength))).toBeNull();
    expect(textProblem('a'.repeat(maxTextLength + 1))).toContain('at most 1600');
    expect(segmentationOf('д'.repeat(maxTextLength)).segments).toBe(24);
  });
});
