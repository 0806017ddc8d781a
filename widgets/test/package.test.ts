import { execFileSync } from 'node:child_process';
import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { installPackages } from '../../server/test/packages/installed.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

const consumer = `
import { CarillonInbox, CarillonPreferences, registerMessages } from '@carillon/widgets/react';
import '@carillon/widgets/inbox';
import '@carillon/widgets/preferences';

registerMessages('it', { archive: 'Archivia', fresh: { one: '{count} nuova', other: '{count} nuove' } });
document.querySelector('carillon-inbox')?.open();

export const site = (
  <>
    <CarillonInbox variant="panel" push="/carillon-push.js" url="https://x.example" tokenProvider={async () => 'token'} onOpen={(event) => event.detail.item.subject} />
    <CarillonPreferences tokenUrl="/token" channels="email" onPreference={({ detail }) => detail.opted_in} className="wide" />
    <carillon-inbox variant="bell" token-url="/token" />
    {/* @ts-expect-error there is no such variant */}
    <CarillonInbox variant="window" />
  </>
);
`;

test('the package can be installed, type-checked and bundled without anything else of ours', async () => {
  const { folder: project, pathOf } = await installPackages();
  try {
    // A copy, because it must find React, which the project of all packages does not have.
    cpSync(pathOf('widgets'), join(project, 'node_modules/@carillon/widgets'), { recursive: true });
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
    for (const name of ['react', '@types', 'csstype']) {
      symlinkSync(join(root, 'node_modules', name), join(project, 'node_modules', name));
    }
    writeFileSync(join(project, 'site.tsx'), consumer);
    const options = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--exactOptionalPropertyTypes'];
    const page = ['--jsx', 'react-jsx', '--lib', 'es2023,dom', '--types', 'react'];
    // The package of the SDK is checked with the TypeScript before it.
    const tsc = join(root, 'node_modules/typescript-7/bin/tsc');
    for (const modules of [
      ['--module', 'node16'],
      ['--module', 'esnext', '--moduleResolution', 'bundler'],
    ])
      execFileSync(process.execPath, [tsc, ...options, ...page, ...modules, 'site.tsx'], {
        cwd: project,
        encoding: 'utf8',
      });
    const { outputFiles } = await build({
      entryPoints: [join(project, 'site.tsx')],
      bundle: true,
      write: false,
      format: 'esm',
      jsx: 'automatic',
      external: ['react', 'react/jsx-runtime'],
    });
    expect(outputFiles[0]?.text).toContain('carillon-preferences');
  } catch (error) {
    const { stdout } = error as { stdout?: string };
    throw stdout ? new Error(stdout) : error;
  }
}, 120_000);
