// Installing the packages of the repository: all of them, or the share that a command needs.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exclusively, requireNode, root, runNpm, stop } from './setup.mjs';

/** The workspaces of a share. A start waits for the first; the second comes beside the running service. */
const shares = {
  service: ['server', 'cli', 'scripts'],
  pages: ['dashboard', 'widgets', 'scripts'],
  all: [],
};

/** Exit codes of what Ctrl-C or SIGTERM ended. */
export const interruptions = [130, 143];

const stateOf = (folder) => join(folder, 'node_modules/.carillon-install');
/** npm's own list of what it has installed, written when an install is complete. */
const ledgerOf = (folder) => join(folder, 'node_modules/.package-lock.json');

/**
 * Installs the packages of a folder, by default those of the repository, when they are missing, or were installed from another
 * lockfile, by another Node or machine. With `onTick`, which is called every second, nothing is printed.
 */
export async function ensureInstalled({ share = 'all', folder = root, onTick } = {}) {
  requireNode();
  if (isInstalled(folder, share)) return;
  await exclusively(async () => {
    if (!isInstalled(folder, share)) await install(folder, share, onTick);
  });
}

function isInstalled(folder, share) {
  const state = readJson(stateOf(folder));
  return state?.source === sourceOf(folder) && state.shares.some((each) => [share, 'all'].includes(each));
}

function sourceOf(folder) {
  const lockfile = readFileSync(join(folder, 'package-lock.json'));
  const hash = createHash('sha256').update(lockfile).digest('hex');
  return `${hash}, Node ${process.versions.node.split('.')[0]}, ${process.platform} ${process.arch}`;
}

/**
 * The first install is `npm ci`. Later ones add to it: `npm ci` would begin by deleting node_modules, and with it the PostgreSQL
 * of a service that runs from there.
 */
async function install(folder, share, onTick) {
  const source = sourceOf(folder);
  const before = readJson(stateOf(folder));
  const isFirst = readJson(ledgerOf(folder)) === null;
  const complete = !isFirst && before?.source === source ? before.shares : [];
  if (!isFirst) {
    if (!before || before.isUnfinished) removeUnfinished(folder);
    writeFileSync(stateOf(folder), JSON.stringify({ source, shares: complete, isUnfinished: true }));
  }
  const workspaces = shares[share].flatMap((name) => ['--workspace', name]);
  await npmInstall(folder, [...(isFirst ? ['ci'] : ['install', '--no-save']), ...workspaces], onTick);
  writeFileSync(stateOf(folder), JSON.stringify({ source, shares: [...complete, share] }));
}

/** What an install left behind when it was killed: npm takes a folder that has a package.json for a whole package. */
function removeUnfinished(folder) {
  const { packages: complete } = readJson(ledgerOf(folder));
  const { packages: wanted } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  for (const [path, { link, integrity }] of Object.entries(wanted))
    if (path.includes('node_modules/') && !link && complete[path]?.integrity !== integrity)
      rmSync(join(folder, path), { recursive: true, force: true });
}

/** Null when there is no such file, or when it was cut off. */
function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return null;
    throw error;
  }
}

async function npmInstall(folder, args, onTick) {
  const began = Date.now();
  const seconds = () => Math.round((Date.now() - began) / 1000);
  const say = onTick ? () => {} : console.log;
  say('installing packages (the first time, and when they change)…');
  // A line every few seconds says that it is alive; npm shows no progress, because what it says is read before it is shown.
  const ticking = onTick
    ? setInterval(onTick, 1000)
    : setInterval(() => say(`installing… ${seconds()} s`), 3000);
  // Whatever NODE_ENV says: building needs the development packages, and the bundled database is an optional one.
  const options = ['--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];
  let said = '';
  const onError = (text) => {
    said += text;
  };
  const code = await runNpm([...args, ...options], { cwd: folder, onError }).finally(() =>
    clearInterval(ticking),
  );
  if (interruptions.includes(code)) process.exit(code);
  if (code !== 0)
    stop(
      networkFailure(said) ??
        `${said}Installing failed (npm ${args[0]}, exit code ${code}); the reason is above.`,
    );
  process.stderr.write(said);
  say(`installed in ${seconds()} s`);
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
    `The packages could not be installed: the npm registry${where} cannot be reached (${code}); connect this machine to the ` +
    'network, or set a registry that it can reach (npm config set registry URL), then run the command again.'
  );
}

/** How far npm is: it makes the folders of all packages first, and then fills them. */
export function countPackages(folder = root) {
  const modules = join(folder, 'node_modules');
  const below = (path) => (existsSync(path) ? readdirSync(path).filter((name) => !name.startsWith('.')) : []);
  const packages = below(modules).flatMap((name) =>
    name.startsWith('@') ? below(join(modules, name)).map((each) => join(name, each)) : [name],
  );
  const installed = packages.filter((name) => existsSync(join(modules, name, 'package.json')));
  return { installed: installed.length, packages: packages.length };
}
