import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createDashboard } from '../../src/features/platform/static-files/dashboard.ts';
import { waitUntil } from '../harness/app.ts';

const scripts = fileURLToPath(new URL('../../../scripts', import.meta.url));

const lockfile = {
  name: 'carillon',
  lockfileVersion: 3,
  packages: Object.fromEntries(
    ['esbuild', 'library', 'vite', 'react'].map((name) => [
      `node_modules/${name}`,
      { version: '1.0.0', integrity: `sha512-${name}` },
    ]),
  ),
};
const workspaces = { server: ['library'], scripts: ['esbuild'], dashboard: ['vite', 'react'], widgets: [] };

/** The bundler gives each file as it is. */
const esbuild = `import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
export async function build({ entryPoints, outdir, outfile }) {
  const contents = (path) => Buffer.from(readFileSync(path));
  if (outfile) writeFileSync(outfile, contents(entryPoints[0]));
  const map = '{"version":3,"sources":[],"names":[],"mappings":""}';
  const outputFiles = entryPoints.flatMap((path) => {
    const name = join(outdir ?? '', basename(path).replace('.ts', '.js'));
    return [{ path: name, contents: contents(path) }, { path: name + '.map', contents: Buffer.from(map), text: map }];
  });
  return { outputFiles: outdir === 'out' ? outputFiles.filter(({ path }) => path.endsWith('.js')) : outputFiles, metafile: { inputs: {} } };
}`;
const vite = `import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
export async function build({ build: { outDir } }) {
  mkdirSync(outDir, { recursive: true });
  writeFileSync(join(outDir, 'index.html'), 'the dashboard');
  return { output: [] };
}`;
const service = `for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(0));
setInterval(() => {}, 60_000);
console.log('the service is ready');`;

/** Notes its call, and does what npm.json says: installs, waits with half of a package, or fails without a network. */
const npm = `#!/usr/bin/env node
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
const [command, ...args] = process.argv.slice(2);
const wanted = args.filter((_, index) => args[index - 1] === '--workspace');
const share = wanted.length === 0 ? 'all' : wanted.includes('server') ? 'service' : 'pages';
if (command === 'ci') rmSync('node_modules', { recursive: true, force: true });
mkdirSync('node_modules', { recursive: true });
const present = readdirSync('node_modules').filter((name) => !name.startsWith('.'));
appendFileSync('npm.log', JSON.stringify({ command, share, present, pid: process.pid }) + '\\n');
const told = () => JSON.parse(readFileSync('npm.json', 'utf8'))[share];
const workspaces = ${JSON.stringify(workspaces)};
const names = (share === 'all' ? Object.keys(workspaces) : wanted).flatMap((name) => workspaces[name] ?? []);
const add = (name) => {
  writeFileSync(join('node_modules', name, 'package.json'), JSON.stringify({ name, type: 'module', exports: './index.js' }));
};
for (const name of names) mkdirSync(join('node_modules', name), { recursive: true });
process.on('SIGINT', () => {
  console.error('npm error signal SIGINT');
  process.exit(1);
});
if (told() === 'wait') add(names[0]);
while (told() === 'wait') await new Promise((resolve) => setTimeout(resolve, 20));
if (told() === 'fail') {
  console.error('npm error code ENOTFOUND\\nnpm error network request to https://registry.example/vite failed, reason: x');
  process.exit(1);
}
const code = ${JSON.stringify({ esbuild, vite })};
for (const name of names) {
  add(name);
  writeFileSync(join('node_modules', name, 'index.js'), code[name] ?? '');
}
const ledger = 'node_modules/.package-lock.json';
const before = existsSync(ledger) ? JSON.parse(readFileSync(ledger, 'utf8')).packages : {};
const added = names.map((name) => ['node_modules/' + name, { integrity: 'sha512-' + name }]);
writeFileSync(ledger, JSON.stringify({ packages: { ...before, ...Object.fromEntries(added) } }));
`;

interface NpmCall {
  command: 'ci' | 'install';
  share: 'service' | 'pages' | 'all';
  /** The packages that were there when it began. */
  present: string[];
  pid: number;
}

export interface Start {
  process: ChildProcess;
  output(): string;
  /** Resolves to the exit code or the signal that ended it. */
  ended: Promise<unknown>;
}

/** A clone in which our scripts install and build as ever, with an npm, a bundler and a service that take no time. */
export class ScratchCheckout {
  readonly folder = mkdtempSync(join(tmpdir(), 'carillon-checkout-'));
  readonly #starts: Start[] = [];

  constructor() {
    cpSync(scripts, join(this.folder, 'scripts'), { recursive: true });
    const sources = ['queue/heartbeat-thread', 'threads/task-thread', 'channels/email/mjml-library'];
    for (const name of sources) this.#write(`server/src/${name}.ts`, '');
    this.#write('server/src/processes/service-process.ts', '');
    this.#write('server/src/db/migrations/0001.sql', '');
    this.#write('server/src/main.ts', service);
    for (const name of ['inbox', 'preferences', 'push-worker'])
      this.#write(`widgets/src/${name}.ts`, `// ${name}`);
    for (const name of ['sdk/src/index.ts', 'dashboard/src/main.tsx', 'dashboard/public/favicon.svg'])
      this.#write(name, '');
    for (const name of ['dashboard/index.html', 'dashboard/vite.config.ts']) this.#write(name, '');
    this.#write('package.json', '{"name":"carillon","type":"module"}');
    this.#write('package-lock.json', JSON.stringify(lockfile));
    this.#write('bin/npm', npm, 0o755);
    this.tell({});
  }

  /** What npm does with a share from now on; without a word it installs it. */
  tell(shares: { service?: 'wait' | 'fail'; pages?: 'wait' | 'fail' }): void {
    this.#write('npm.json.new', JSON.stringify(shares));
    renameSync(join(this.folder, 'npm.json.new'), join(this.folder, 'npm.json'));
  }

  /** As a pull does that brings another version of a package. */
  changeLockfile(name: string): void {
    const packages = {
      ...lockfile.packages,
      [`node_modules/${name}`]: { version: '2.0.0', integrity: 'sha512-2' },
    };
    this.#write('package-lock.json', JSON.stringify({ ...lockfile, packages }));
  }

  npmCalls(): NpmCall[] {
    const log = join(this.folder, 'npm.log');
    if (!existsSync(log)) return [];
    return readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  }

  /** Runs a script as a terminal does: in a process group of its own. */
  run(script: string): Start {
    const { npm_execpath: _own, ...env } = process.env;
    const child = spawn(process.execPath, [join(this.folder, 'scripts', script)], {
      cwd: this.folder,
      env: { ...env, PATH: `${join(this.folder, 'bin')}:${dirname(process.execPath)}` },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    const ended = once(child, 'close').then(([code, signal]) => code ?? signal);
    const start = { process: child, output: () => output, ended };
    this.#starts.push(start);
    return start;
  }

  /** What a running service answers at the address of the dashboard. */
  dashboard(): string {
    const page = createDashboard([pathToFileURL(`${this.folder}/server/dist/dashboard/`)]);
    const reply = page({ method: 'GET', url: '/', headers: {} });
    return `${reply?.status} ${reply?.body}`;
  }

  isInstalled(name: string): boolean {
    return existsSync(join(this.folder, 'node_modules', name, 'index.js'));
  }

  async npmEnded(): Promise<void> {
    await waitUntil(async () => !this.npmCalls().some(({ pid }) => isAlive(pid)) || new Error('npm runs'));
  }

  async remove(): Promise<void> {
    this.tell({}); // ends an npm that waits
    for (const { process, ended } of this.#starts) {
      if (process.exitCode === null && process.signalCode === null) process.kill('SIGKILL');
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  #write(path: string, text: string, mode = 0o644): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text, { mode });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
