import { SourceMap } from 'node:module';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const { linesOnly } = await import(new URL('../../../scripts/source-map.mjs', import.meta.url).href);

test('the map of the bundle tells of every place the line that it was made from, in a fraction of the entries', async () => {
  const { outputFiles } = await build({
    stdin: {
      contents: `export { parseJson } from './http/json.ts'; export * from './templating/compile.ts';`,
      resolveDir: new URL('../../src', import.meta.url).pathname,
    },
    outfile: 'bundle.js',
    write: false,
    bundle: true,
    platform: 'node',
    format: 'esm',
    minifyWhitespace: true,
    lineLimit: 160,
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'silent',
  });
  const textOf = (ending: string): string =>
    outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? '';
  const whole = JSON.parse(textOf('.map'));
  const short = JSON.parse(linesOnly(textOf('.map')));
  const entries = ({ mappings }: { mappings: string }): number => mappings.split(/[,;]+/).length;
  expect(entries(short)).toBeLessThan(entries(whole) / 3);

  const [before, after] = [new SourceMap(whole), new SourceMap(short)];
  const placeIn = (map: SourceMap, line: number, column: number): unknown[] => {
    const entry = map.findEntry(line, column);
    return 'originalSource' in entry ? [entry.originalSource, entry.originalLine] : [];
  };
  for (const [line, text] of textOf('.js').split('\n').entries())
    for (let column = 0; column < text.length; column += 1)
      if (`${placeIn(before, line, column)}` !== `${placeIn(after, line, column)}`)
        expect.fail(
          `${line}:${column} was ${placeIn(before, line, column)}, is ${placeIn(after, line, column)}`,
        );
});
