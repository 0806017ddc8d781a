// `npm run check`: everything that can be wrong without running a test. Changes nothing.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { ensureInstalled } from './install.mjs';
import { isProgram, root, tsc } from './setup.mjs';

const colors = process.stdout.isTTY ? 'force' : 'off';
const typeCheck = (name, ...project) => [
  tsc,
  '--noEmit',
  '--incremental',
  '--tsBuildInfoFile',
  `server/dist/${name}.tsbuildinfo`,
  ...project,
];

/** The longest first. */
const checks = {
  'import law': ['scripts/import-law.mjs'],
  types: typeCheck('types'),
  'generated files': ['scripts/generate.mjs', '--check'],
  'types of the dashboard': typeCheck('dashboard', '-p', 'dashboard'),
  'format and lint': [
    'node_modules/@biomejs/biome/bin/biome',
    'ci',
    '--error-on-warnings',
    `--colors=${colors}`,
    '.',
  ],
  'exports, unique types, composed once': ['scripts/check-sources.mjs'],
  'rules of openapi.json': ['scripts/lint-openapi.mjs'],
  'types of the widgets': typeCheck('widgets', '-p', 'widgets'),
};

/** Runs as many at once as there are processors, shows the output of those that fail; resolves to whether all passed. */
export async function check() {
  const waiting = Object.entries(checks);
  let passed = true;
  const takeOneAfterTheOther = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const isGood = await runCheck(...next);
      passed &&= isGood;
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, takeOneAfterTheOther));
  return passed;
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
