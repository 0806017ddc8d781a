import { readFileSync } from 'node:fs';
import { expect, inject, test } from 'vitest';

/** Threads compute: a network client in their bundle only makes each of them start later and take more memory. */
const needless =
  /node_modules\/(undici|libphonenumber-js|pg|fastify)\/|server\/src\/(channels\/(http|net)|db\/sql)\.ts$/;

/** The sources of a file of the bundle and of the parts that it imports. */
function sourcesOf(name: string): string[] {
  const read = (file: string): string => readFileSync(`${inject('threads')}/${file}`, 'utf8');
  const files = new Set([`${name}.js`]);
  for (const file of files)
    for (const [, part] of read(file).matchAll(/^import[^;]*?"\.\/(part-\w+\.js)"/gm)) files.add(`${part}`);
  return [...files].flatMap((file) => JSON.parse(read(`${file}.map`)).sources);
}

/** MJML takes 50 MB when loaded: a thread imports its bundle when it compiles MJML, and ends when it is idle. */
test('MJML is a bundle of its own', () => {
  const isMjml = (source: string): boolean => /node_modules\/(mjml-browser|cheerio)\//.test(source);
  expect(sourcesOf('task-thread').filter(isMjml)).toEqual([]);
  expect(sourcesOf('mjml-library').filter(isMjml)).not.toEqual([]);
});

test('the thread for tasks loads neither carriers nor the database', () => {
  const sources = sourcesOf('task-thread');
  expect(sources.length).toBeGreaterThan(100);
  expect(sources.filter((source) => needless.test(source))).toEqual([]);
});
