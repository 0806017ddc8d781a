// The command: cli/src and the SDK that it speaks with → cli/dist/carillon.js, one file that needs nothing but Node.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { ensureInstalled } from './install.mjs';
import { isProgram, root, stop } from './setup.mjs';

const target = join(root, 'cli/dist');
const marker = join(target, '.build');
const sources = [join(root, 'cli/src'), join(root, 'sdk/src')];

/** Builds when a source has changed since the last time: a tenth of a second, so the command does it by itself. */
export async function ensureCli() {
  if (existsSync(marker) && readFileSync(marker, 'utf8') === fingerprint()) return;
  await ensureInstalled({ share: 'service' });
  await buildCli();
}

/** Names, times and sizes instead of contents: a command should not read the whole source. */
function fingerprint() {
  const hash = createHash('sha256');
  const inputs = sources.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  for (const path of [...inputs, import.meta.filename].sort()) {
    const { mtimeMs, size } = statSync(path);
    hash.update(`${relative(root, path)} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex');
}

export async function buildCli() {
  const { build } = await import('esbuild');
  const built = fingerprint(); // before reading: what is saved meanwhile makes the next one build again
  const staging = join(target, `.carillon-${process.pid}.js`);
  mkdirSync(target, { recursive: true });
  try {
    await build({
      entryPoints: [join(root, 'cli/src/main.ts')],
      outfile: staging,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      conditions: ['carillon-source'],
      absWorkingDir: root,
      logLevel: 'warning',
    });
  } catch (error) {
    if (error.errors === undefined) throw error;
    stop('The command could not be built; the reason is above.');
  }
  // Renamed at last: of two that build at once, neither runs half a file of the other.
  renameSync(staging, join(target, 'carillon.js'));
  writeFileSync(marker, built);
}

if (isProgram(import.meta.filename)) {
  await ensureInstalled();
  await buildCli();
}
