import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { OpenApiDocument } from '../server/src/http/openapi-document.ts';
import { entriesOf } from '../server/src/http/reference.ts';
import { typescriptOf } from './typescript-sample.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const guides = readdirSync(join(root, 'docs/guides')).map((name) => ({
  name,
  text: readFileSync(join(root, 'docs/guides', name), 'utf8'),
}));

/** What a sample of the API reference leaves out. Those of the guides bring their imports. */
const preamble = `import { createClient } from '@carillon/sdk';
import { createInboxClient } from '@carillon/sdk/inbox';
const client = createClient();
const inbox = createInboxClient({ base_url: '', token: '' });
export { client, createClient, inbox };
`;

function samplesOfGuides(): Record<string, string> {
  const samples = guides.flatMap(({ name, text }) =>
    [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => ({ name, code })),
  );
  return Object.fromEntries(samples.map(({ name, code }, index) => [`${name}-${index}.ts`, code]));
}

/** All in one file, each in a block of its own. */
function samplesOfReference(): string {
  const document: OpenApiDocument = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8'));
  const samples = entriesOf(document).flatMap((entry) => typescriptOf(entry, document) ?? []);
  expect(samples.length).toBeGreaterThan(120);
  return preamble + samples.map((sample) => `{\n${sample}\n}\n`).join('');
}

test('every TypeScript sample of the guides and of the API reference compiles against the SDK', async () => {
  mkdirSync(join(root, 'site/dist'), { recursive: true });
  const folder = mkdtempSync(join(root, 'site/dist/samples-'));
  try {
    const files = { ...samplesOfGuides(), 'reference.ts': samplesOfReference() };
    for (const [name, code] of Object.entries(files)) writeFileSync(join(folder, name), code);
    const lib = ['es2023', 'dom'];
    const compilerOptions = { noEmit: true, noUnusedLocals: false, exactOptionalPropertyTypes: false, lib };
    const project = { extends: '../../../tsconfig.json', compilerOptions, include: ['.'], exclude: [] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project));
    const tsc = join(root, 'node_modules/typescript-7/bin/tsc');
    const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', folder]).catch(
      (error) => error,
    );
    expect(stdout).toBe('');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 60_000);

test('every call of the API with curl is followed by the same call in TypeScript', () => {
  const alone = guides.flatMap(({ name, text }) =>
    [...text.matchAll(/```sh\n((?:(?!```)[\s\S])*)```\n(\n```ts\n)?/g)]
      .filter(([, code = '', typescript]) => /curl [\s\S]*Bearer \$CARILLON/.test(code) && !typescript)
      .map(([, code]) => `${name}: ${code}`),
  );
  expect(alone).toEqual([]);
});
