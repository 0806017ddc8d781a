import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { command } from '../command.ts';
import { CliError } from '../errors.ts';
import type { Io } from '../io.ts';

export const start = fromRepository('start', 'Start the service', [
  { command: 'carillon start', says: 'install and build if needed, then start' },
  { command: 'PORT=8500 carillon start', says: 'settings are environment variables' },
  { command: 'carillon start --help', says: 'every setting' },
]);

export const demo = fromRepository('demo', 'Run a few example notifications in the sandbox', [
  { command: 'carillon demo', says: 'no running service required' },
]);

export const simulators = fromRepository('simulators', 'Run simulators of all providers on this machine', [
  { command: 'carillon simulators', says: 'prints how to point Carillon at them' },
  { command: 'carillon simulators --free-ports', says: 'use free ports' },
]);

export const organization = fromRepository(
  'organization',
  'Move an organization to another installation',
  [
    { command: 'carillon organization', says: 'the steps of a move, in order' },
    { command: 'carillon organization export ID acme.move', says: 'stop its sends and write a file' },
    { command: 'carillon organization import acme.move', says: 'at the target: read the file' },
  ],
  ['start', '--organization'],
);

/** The service is not part of this package: these run what the repository has. */
function fromRepository(
  name: string,
  summary: string,
  examples: { command: string; says: string }[],
  [script = name, ...options]: string[] = [],
) {
  return command({
    name,
    summary,
    arguments: '[arguments]',
    details: 'Requires the repository: run it inside the checkout, or set CARILLON_HOME.',
    options: {},
    passesOn: true,
    examples,
    async run({ io }, _values, args) {
      const root = findRepository(io);
      if (!root)
        throw new CliError(`carillon ${name} requires a checkout of the repository.`, {
          hint:
            script === 'start'
              ? `Without one, run: ${['npx @carillon/server', ...options].join(' ')}`
              : 'Clone it and run the command inside, or set CARILLON_HOME to its path.',
        });
      return spawned(io, root, [join(root, `scripts/${script}.mjs`), ...options, ...args]);
    },
  });
}

export function findRepository({ env, cwd }: Pick<Io, 'env' | 'cwd'>): string | null {
  if (env.CARILLON_HOME) return isRepository(env.CARILLON_HOME) ? env.CARILLON_HOME : null;
  const own = fileURLToPath(new URL('.', import.meta.url));
  for (const from of [cwd, own]) {
    for (let folder = from; ; folder = dirname(folder)) {
      if (isRepository(folder)) return folder;
      if (folder === dirname(folder)) break;
    }
  }
  return null;
}

function isRepository(folder: string): boolean {
  try {
    const { name } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name?: unknown };
    return name === 'carillon' && existsSync(join(folder, 'scripts/start.mjs'));
  } catch {
    return false;
  }
}

/** Ctrl-C reaches the child from the terminal; SIGTERM is handed on. We end when it has. */
function spawned(io: Io, root: string, args: string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    // As npm does: paths in arguments are relative to where the command was called.
    const env = { ...io.env, INIT_CWD: io.cwd };
    const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env });
    const terminate = () => child.kill('SIGTERM');
    const wait = () => {
      ending = io.onInterrupt(wait);
    };
    let ending = io.onInterrupt(wait);
    process.on('SIGTERM', terminate);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      process.off('SIGTERM', terminate);
      ending();
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0));
    });
  });
}
