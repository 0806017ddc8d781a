import { readFileSync } from 'node:fs';
import { expect, inject, test } from 'vitest';

/** Threads compute: a network client in their bundle only makes each of them start later and take more memory. */
const needless =
  /node_modules\/(undici|libphonenumber-js|pg|fastify)\/|server\/src\/(channels\/(http|net)|db\/sql)\.ts$/;

/** MJML takes 50 MB when loaded: a thread imports its bundle when it compiles MJML, and ends when it is idle. */
test('MJML is a bundle of its own', () => {
  const sourcesOf = (name: string): string[] =>
    JSON.parse(readFileSync(`${inject('threads')}/${name}.js.map`, 'utf8')).sources;
  const isMjml = (source: string): boolean => /node_modules\/(mjml-browser|cheerio)\//.test(source);
  expect(sourcesOf('task-thread').filter(isMjml)).toEqual([]);
  expect(sourcesOf('mjml-library').filter(isMjml)).not.toEqual([]);
});

test('the thread for tasks loads neither carriers nor the database', () => {
  const { sources } = JSON.parse(readFileSync(`${inject('threads')}/task-thread.js.map`, 'utf8')) as {
    sources: string[];
  };
  expect(sources.length).toBeGreaterThan(100);
  expect(sources.filter((source) => needless.test(source))).toEqual([]);
});
