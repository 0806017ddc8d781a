// Which browser the browser tests drive: one that is there, else Debian's, installed when that is allowed.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { canInstallPackages, installPackages } from './debian.mjs';

/** Debian's build without windows and menus opens a page in a third of the time; the engine is the same. */
const shell = 'chromium-headless-shell';
const names = [
  shell,
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

/** How tests start it: pages do not live long enough for what the optimizing compilers cost, a twentieth of the browser's time. */
export const testArgs = [
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--disable-gpu',
  '--force-color-profile=srgb',
  '--js-flags=--no-opt --no-maglev --always-sparkplug',
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
  if (process.env.CHROMIUM_PATH || findChromium()?.endsWith(shell)) return;
  if (canInstallPackages()) await installChromium();
  if (findChromium()) return;
  console.log(
    'Chromium not found: the browser tests are skipped. Install it (Debian, Ubuntu: apt-get install chromium) or set CHROMIUM_PATH.',
  );
}

async function installChromium() {
  console.log('installing Chromium for the browser tests (apt-get, once)…');
  if (await installPackages(shell)) return;
  if (!findChromium()) await installPackages('chromium');
}
