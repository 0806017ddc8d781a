// What every command does first, with nothing but Node itself: the right Node, the packages, one set-up at a time.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
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

/**
 * Installs the packages of a folder, by default those of the repository, when they are missing, or were installed from another
 * lockfile, by another Node or machine.
 */
export async function ensureInstalled(folder = root) {
  requireNode();
  const marker = join(folder, 'node_modules/.carillon-install');
  const wanted = [
    createHash('sha256')
      .update(readFileSync(join(folder, 'package-lock.json')))
      .digest('hex'),
    `node ${process.versions.node.split('.')[0]}`,
    `${process.platform} ${process.arch}`,
  ].join('\n');
  const installed = () => existsSync(marker) && readFileSync(marker, 'utf8') === wanted;
  if (installed()) return;
  await exclusively(async () => {
    if (installed()) return;
    await install(folder);
    writeFileSync(marker, wanted);
  });
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

async function install(folder) {
  const began = Date.now();
  const seconds = () => Math.round((Date.now() - began) / 1000);
  console.log('installing packages (the first time, and when they change)…');
  // A line every few seconds says that it is alive; npm shows no progress, because what it says is read before it is shown.
  const ticking = setInterval(() => console.log(`installing… ${seconds()} s`), 3000);
  // Whatever NODE_ENV says: building needs the development packages, and the bundled database is an optional one.
  const options = ['--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];
  let said = '';
  const onError = (text) => {
    said += text;
  };
  const code = await runNpm(['ci', ...options], { cwd: folder, onError }).finally(() =>
    clearInterval(ticking),
  );
  if (code !== 0)
    stop(
      networkFailure(said) ?? `${said}Installing failed (npm ci, exit code ${code}); the reason is above.`,
    );
  process.stderr.write(said);
  console.log(`installed in ${seconds()} s`);
}

const unreachable =
  /^npm (?:error|ERR!) code (ENOTFOUND|EAI_AGAIN|E\w*TIMEDOUT|ERR_SOCKET_TIMEOUT|ECONN\w+|E\w+UNREACH)$/m;

/** One sentence in place of the forty lines with which npm tells of a registry that it cannot reach; null: it is not that. */
export function networkFailure(said) {
  const code = unreachable.exec(said)?.[1];
  if (!code) return null;
  const url = /request to (\S+) failed/.exec(said)?.[1];
  const where = url && URL.canParse(url) ? ` at ${new URL(url).origin}` : '';
  return (
    `Carillon could not be installed: the npm registry${where} cannot be reached (${code}); connect this machine to the ` +
    'network, or set a registry that it can reach (npm config set registry URL), then run the command again.'
  );
}

/** With `onError`, standard error is handed to it instead of being shown. */
export function runNpm(args, { cwd = root, onError } = {}) {
  const options = { cwd, stdio: ['inherit', 'inherit', onError ? 'pipe' : 'inherit'], onError };
  // Inside `npm start` this is the npm that runs us; otherwise the one on the PATH, which Windows only finds with a shell.
  const own = process.env.npm_execpath;
  if (own?.endsWith('npm-cli.js')) return run(process.execPath, [own, ...args], options);
  return run('npm', args, { ...options, shell: process.platform === 'win32' });
}

/**
 * Runs a program with our input and output; resolves to its exit code. While it runs we outlive signals, so that it can
 * tidy up: Ctrl-C reaches it from the terminal, SIGTERM is handed on. It does not outlive us. `onError` gets its standard error
 * when that is a pipe.
 */
export function run(program, args, { onError, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: root, stdio: 'inherit', ...options });
    child.stderr?.setEncoding('utf8').on('data', onError);
    const terminate = () => child.kill('SIGTERM');
    const wait = () => {};
    process.on('SIGTERM', terminate).on('SIGINT', wait).on('exit', terminate);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      process.off('SIGTERM', terminate).off('SIGINT', wait).off('exit', terminate);
      resolve(code ?? 128 + constants.signals[signal]);
    });
  });
}
