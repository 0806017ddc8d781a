// `npm run check`: everything that can be wrong without running a test. Changes nothing.
import { spawn } from 'node:child_process';
import { ensureInstalled, isProgram, root } from './setup.mjs';

const colors = process.stdout.isTTY ? 'force' : 'off';
const checks = {
  types: [
    'node_modules/typescript/bin/tsc',
    '--noEmit',
    '--incremental',
    '--tsBuildInfoFile',
    'server/dist/types.tsbuildinfo',
  ],
  'types of the widgets': [
    'node_modules/typescript/bin/tsc',
    '--noEmit',
    '--incremental',
    '--tsBuildInfoFile',
    'server/dist/widgets.tsbuildinfo',
    '-p',
    'widgets',
  ],
  'types of the dashboard': [
    'node_modules/typescript/bin/tsc',
    '--noEmit',
    '--incremental',
    '--tsBuildInfoFile',
    'server/dist/dashboard.tsbuildinfo',
    '-p',
    'dashboard',
  ],
  'format and lint': [
    'node_modules/@biomejs/biome/bin/biome',
    'ci',
    '--error-on-warnings',
    `--colors=${colors}`,
    '.',
  ],
  'import law': ['scripts/import-law.mjs'],
  'generated files': ['scripts/generate.mjs', '--check'],
};

/** Runs all of them at once, shows the output of those that fail; resolves to whether all passed. */
export async function check() {
  const results = await Promise.all(Object.entries(checks).map(([name, args]) => runCheck(name, args)));
  return results.every(Boolean);
}

function runCheck(name, args) {
  const began = Date.now();
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    }
    child.on('error', reject);
    child.on('close', (code) => {
      const seconds = ((Date.now() - began) / 1000).toFixed(1);
      console.log(`check ${name}: ${code === 0 ? 'ok' : 'FAILED'} (${seconds} s)`);
      if (code !== 0) console.log(`${output.trimEnd()}\n`);
      resolve(code === 0);
    });
  });
}

if (isProgram(import.meta.filename)) {
  await ensureInstalled();
  process.exitCode = (await check()) ? 0 : 1;
}
