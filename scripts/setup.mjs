// What the commands share, with nothing but Node itself: the right Node, one set-up at a time, programs that are run.
import { spawn } from 'node:child_process';
import { mkdirSync, realpathSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './lock.mjs';

export const root = fileURLToPath(new URL('..', import.meta.url));
export const dist = join(root, 'server/dist');
/** The compiler that checks types and makes declarations. */
export const tsc = join(root, 'node_modules/typescript-7/bin/tsc');

const oldest = [20, 19];

/** The first thing a stranger may get wrong, so it is said in a sentence and not as a syntax error further on. */
export function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return;
  stop(
    `Carillon needs Node.js ${oldest.join('.')} or newer; this is ${process.version}. Node.js 24 is recommended.`,
  );
}

export function stop(message) {
  console.error(message);
  process.exit(1);
}

/** Whether this file is what node was told to run, and not imported by it; also below a symbolic link. */
export function isProgram(file) {
  return realpathSync(process.argv[1]) === file;
}

/** Two commands started at once (npm start, npm test) take turns at installing and building. */
export async function exclusively(work) {
  try {
    mkdirSync(dist, { recursive: true });
    const waiting = () => console.log('waiting for another command that is setting up Carillon…');
    return await withLock(join(dist, '.lock'), waiting, work);
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS', 'ENOSPC'].includes(error.code)) throw error;
    return stop(
      `Carillon cannot be set up here: ${error.message}\n` +
        'Run the command as the user who owns this folder, on a disk with some space left.',
    );
  }
}

/** With `onError`, standard error is handed to it instead of being shown, and standard output is dropped. */
export function runNpm(args, { cwd = root, onError } = {}) {
  const stdio = onError ? ['inherit', 'ignore', 'pipe'] : 'inherit';
  const options = { cwd, stdio, onError };
  // Inside `npm start` this is the npm that runs us; otherwise the one on the PATH, which Windows only finds with a shell.
  const own = process.env.npm_execpath;
  if (own?.endsWith('npm-cli.js')) return run(process.execPath, [own, ...args], options);
  return run('npm', args, { ...options, shell: process.platform === 'win32' });
}

/**
 * Runs a program with our input and output; resolves to its exit code. While it runs we outlive signals, so that it can
 * tidy up: Ctrl-C reaches it from the terminal, SIGTERM is handed on. It does not outlive us. If it then fails, the code is that
 * of the signal, whatever it made of it. `onError` gets its standard error when that is a pipe.
 */
export function run(program, args, { onError, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: root, stdio: 'inherit', ...options });
    child.stderr?.setEncoding('utf8').on('data', onError);
    let received = null;
    const terminate = () => {
      received = 'SIGTERM';
      child.kill('SIGTERM');
    };
    const wait = () => {
      received = 'SIGINT';
    };
    process.on('SIGTERM', terminate).on('SIGINT', wait).on('exit', terminate);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      process.off('SIGTERM', terminate).off('SIGINT', wait).off('exit', terminate);
      const ending = received ?? signal;
      resolve(code === 0 || ending === null ? code : 128 + constants.signals[ending]);
    });
  });
}
