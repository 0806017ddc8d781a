// Which browser the browser tests drive: one that is there, else Debian's, installed when that is allowed.
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run } from './setup.mjs';

const names = [
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'chrome',
  'microsoft-edge',
];
const elsewhere = [
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** Its path; null when there is none. */
export function findChromium() {
  if (process.env.CHROMIUM_PATH) return process.env.CHROMIUM_PATH;
  const folders = ['/usr/bin', ...(process.env.PATH ?? '').split(delimiter)];
  const inFolders = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  return [...inFolders, ...elsewhere].find(isExecutable) ?? null;
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Installs it where we may; otherwise says in one line what is left out and what to do about it. */
export async function ensureChromium() {
  if (findChromium()) return;
  if (process.getuid?.() === 0 && existsSync('/etc/debian_version')) {
    console.log('installing Chromium for the browser tests (apt-get, once)…');
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const quiet = { env, stdio: ['ignore', 'ignore', 'inherit'] };
    const apt = (...args) => run('apt-get', ['-qq', ...args], quiet).catch(() => 1);
    const install = () => apt('install', '-y', '--no-install-recommends', 'chromium');
    // Lists of packages are often missing in containers, and then have to be fetched first.
    if ((await install()) !== 0 && (await apt('update')) === 0) await install();
    if (findChromium()) return;
  }
  console.log(
    'No Chromium here: the browser tests are skipped. Install it (Debian, Ubuntu: apt-get install chromium) or set CHROMIUM_PATH.',
  );
}
