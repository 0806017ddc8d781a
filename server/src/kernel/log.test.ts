import { expect, test } from 'vitest';
import { createLog, createStartOutput } from './log.ts';

test('lines of a start wait for its end, except for a warning and the lines before it', () => {
  let written = '';
  const output = createStartOutput({
    write(text) {
      written += text;
    },
  });
  const log = createLog('info', output).child({ pid: 1 });
  const messages = (): string[] => [...written.matchAll(/"msg":"(\w+)"/g)].map(([, message = '']) => message);

  log.info('first');
  expect(written).toBe('');
  log.warn('second');
  expect(messages()).toEqual(['first', 'second']);
  log.info('third');
  expect(messages()).toEqual(['first', 'second']);
  output.release();
  log.info('fourth');
  output.release();
  expect(messages()).toEqual(['first', 'second', 'third', 'fourth']);
});
