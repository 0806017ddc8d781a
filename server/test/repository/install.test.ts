import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

/** A checkout with one package to install, where nothing is installed yet. */
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'carillon-install-'));
  const scripts = fileURLToPath(new URL('../../../scripts', import.meta.url));
  cpSync(scripts, join(folder, 'scripts'), { recursive: true });
  mkdirSync(join(folder, 'server'));
  const root = { name: 'carillon', version: '1.0.0', dependencies: { 'left-pad': '1.3.0' } };
  const leftPad = { version: '1.3.0', integrity: `sha512-${Buffer.alloc(64).toString('base64')}` };
  const packages = { '': root, 'node_modules/left-pad': leftPad };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(root));
  writeFileSync(
    join(folder, 'package-lock.json'),
    JSON.stringify({ ...root, lockfileVersion: 3, requires: true, packages }),
  );
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function install(registry: string) {
  const { npm_execpath: _own, ...env } = process.env;
  return spawnSync(process.execPath, [join(folder, 'scripts/demo.mjs')], {
    encoding: 'utf8',
    timeout: 60_000,
    env: {
      ...env,
      npm_config_registry: registry,
      npm_config_cache: join(folder, 'cache'),
      npm_config_fetch_retries: '0',
      npm_config_update_notifier: 'false',
    },
  });
}

describe('an install', () => {
  it('without a network ends with one sentence that says what to do', { timeout: 90_000 }, () => {
    const { status, stderr } = install('http://127.0.0.1:1'); // nothing listens there
    expect(stderr).toBe(
      'The packages could not be installed: the npm registry at http://127.0.0.1:1 cannot be reached (ECONNREFUSED); connect this machine to the network, or set a registry that it can reach (npm config set registry URL), then run the command again.\n',
    );
    expect(status).toBe(1);
  });

  it('that fails for another reason says what npm said', { timeout: 90_000 }, () => {
    writeFileSync(join(folder, 'package-lock.json'), 'not a lockfile');
    const { status, stderr } = install('http://127.0.0.1:1');
    expect(stderr).toMatch(
      /^npm error[\s\S]*\nInstalling failed \(npm ci, exit code 1\); the reason is above\.\n$/,
    );
    expect(status).toBe(1);
  });
});

it.each(['ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'ECONNREFUSED', 'ERR_SOCKET_TIMEOUT'])(
  '%s is a network that cannot be reached',
  async (code) => {
    const { networkFailure } = await import(new URL('../../../scripts/install.mjs', import.meta.url).href);
    const said = `npm error code ${code}\nnpm error network request to https://user:secret@packages.example/a failed, reason: x`;
    const sentence = networkFailure(said);
    expect(sentence).toContain(`at https://packages.example cannot be reached (${code})`);
    expect(sentence).not.toContain('secret');
    expect(networkFailure('npm error code EUSAGE')).toBeNull();
  },
);
