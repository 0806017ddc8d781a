// Packages of Debian that some tests need, installed where that is allowed.
import { existsSync } from 'node:fs';
import { run } from './setup.mjs';

export function canInstallPackages() {
  return process.getuid?.() === 0 && existsSync('/etc/debian_version');
}

/** Resolves to whether they are installed. */
export async function installPackages(...names) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const quiet = { env, stdio: ['ignore', 'ignore', 'ignore'] };
  const apt = (...args) => run('apt-get', ['-qq', ...args], quiet).catch(() => 1);
  const install = () => apt('install', '-y', '--no-install-recommends', ...names);
  if ((await install()) === 0) return true;
  // Lists of packages are often missing in containers, and then have to be fetched first.
  return (await apt('update')) === 0 && (await install()) === 0;
}
