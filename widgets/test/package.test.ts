import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

const consumer = `
import { CarillonInbox, CarillonPreferences, registerMessages } from '@carillon/widgets/react';
import '@carillon/widgets/inbox';
import '@carillon/widgets/preferences';

registerMessages('it', { archive: 'Archivia', fresh: { one: '{count} nuova', other: '{count} nuove' } });
document.querySelector('carillon-inbox')?.open();

export const site = (
  <>
    <CarillonInbox variant="panel" url="https://x.example" tokenProvider={async () => 'token'} onOpen={(event) => event.detail.item.subject} />
    <CarillonPreferences tokenUrl="/token" channels="email" onPreference={({ detail }) => detail.opted_in} className="wide" />
    <carillon-inbox variant="bell" token-url="/token" />
    {/* @ts-expect-error there is no such variant */}
    <CarillonInbox variant="window" />
  </>
);
`;

test('the package can be installed, type-checked and bundled without anything else of ours', async () => {
  const project = mkdtempSync(join(tmpdir(), 'carillon-widgets-'));
  try {
    execFileSync('npm', ['pack', '--silent', '--pack-destination', project], { cwd: join(root, 'widgets') });
    const [tarball = ''] = readdirSync(project);
    const installed = join(project, 'node_modules/@carillon/widgets');
    mkdirSync(installed, { recursive: true });
    execFileSync('tar', ['-xzf', join(project, tarball), '-C', installed, '--strip-components=1']);
    for (const name of ['react', '@types', 'csstype']) {
      symlinkSync(join(root, 'node_modules', name), join(project, 'node_modules', name));
    }
    writeFileSync(join(project, 'site.tsx'), consumer);
    const options = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--exactOptionalPropertyTypes'];
    const modules = ['--jsx', 'react-jsx', '--module', 'nodenext', '--lib', 'es2023,dom', '--types', 'react'];
    // The package of the SDK is checked with the TypeScript before it.
    const tsc = join(root, 'node_modules/typescript-7/bin/tsc');
    execFileSync(process.execPath, [tsc, ...options, ...modules, 'site.tsx'], {
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
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}, 60_000);
