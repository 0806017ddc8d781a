import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
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

const standIns = fileURLToPath(new URL('../fixtures/checkout', import.meta.url));

const lockfile = {
  name: 'carillon',
  lockfileVersion: 3,
  packages: Object.fromEntries(
    ['esbuild', 'library', 'vite', 'react'].map((name) => [
      `node_modules/${name}`,
      { integrity: `sha512-${name}` },
    ]),
  ),
};

/** Files that the builds read. */
const emptySources = [
  'server/src/queue/heartbeat-thread.ts',
  'server/src/threads/task-thread.ts',
  'server/src/channels/email/mjml-library.ts',
  'server/src/processes/service-process.ts',
  'server/src/db/migrations/0001.sql',
  ...['inbox', 'preferences', 'push-worker'].map((name) => `widgets/src/${name}.ts`),
  'sdk/src/index.ts',
  ...['src/main.tsx', 'public/favicon.svg', 'index.html', 'vite.config.ts'].map(
    (name) => `dashboard/${name}`,
  ),
];

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
    for (const name of ['npm', 'esbuild', 'vite']) this.#copy(`${name}.mjs`, `bin/${name}.mjs`);
    this.#copy('npm.mjs', 'bin/npm');
    this.#copy('service.js', 'server/src/main.ts');
    for (const path of emptySources) this.#write(path, '');
    this.#write('package.json', '{"name":"carillon","type":"module"}');
    this.#write('package-lock.json', JSON.stringify(lockfile));
    this.tell({});
  }

  /** What npm does with a share from now on; without a word it installs it. */
  tell(shares: { service?: 'wait' | 'fail'; pages?: 'wait' | 'fail' }): void {
    this.#write('npm.json.new', JSON.stringify(shares));
    renameSync(join(this.folder, 'npm.json.new'), join(this.folder, 'npm.json'));
  }

  /** As a pull does that brings another version of a package. */
  changeLockfile(name: string): void {
    const packages = { ...lockfile.packages, [`node_modules/${name}`]: { integrity: 'sha512-2' } };
    this.#write('package-lock.json', JSON.stringify({ ...lockfile, packages }));
  }

  npmCalls(): NpmCall[] {
    const log = join(this.folder, 'npm.log');
    if (!existsSync(log)) return [];
    const whole = readFileSync(log, 'utf8').split('\n').slice(0, -1); // the last line may be half written
    return whole.map((line) => JSON.parse(line));
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
    return existsSync(join(this.folder, 'node_modules', name, 'index.mjs'));
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

  #write(path: string, text: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text);
  }

  #copy(standIn: string, path: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    copyFileSync(join(standIns, standIn), join(this.folder, path));
    chmodSync(join(this.folder, path), 0o755);
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
