import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { brokenLinks } from './built-links.ts';

const servedBase = '/docs/guide/';
const base = process.env.DOCS_BASE ?? servedBase;
const mostBytes = 2_000_000;
/** Packages whose code is in the pages. */
const inPages = [
  'vitepress',
  'vue',
  '@vue/reactivity',
  '@vue/runtime-core',
  '@vue/runtime-dom',
  '@vue/shared',
  '@vueuse/core',
  '@vueuse/integrations',
  '@vueuse/shared',
  'minisearch',
  'mark.js',
  'focus-trap',
  'tabbable',
].map((name) => `site/node_modules/${name}`);
const built = fileURLToPath(new URL('./dist/site', import.meta.url));
const target = fileURLToPath(new URL('../server/dist/guide', import.meta.url));

/**
 * Checks the links of the built site, then copies it to where the service finds it. Only compressed: 7 MB become one. The package
 * of the server may grow by two.
 */
function main(): void {
  const files = new Map(
    readdirSync(built, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [relative(built, path).replaceAll('\\', '/'), readFileSync(path)]),
  );
  const broken = brokenLinks(files, base);
  for (const link of broken) console.error(link);
  if (broken.length > 0) fail(`${broken.length} broken links: see above`);
  if (base === servedBase) publish(files);
}

function publish(files: Map<string, Buffer>): void {
  const staging = `${target}-${process.pid}`;
  let size = 0;
  for (const [path, bytes] of files) {
    const compressed = brotliCompressSync(bytes);
    size += compressed.length;
    mkdirSync(dirname(join(staging, path)), { recursive: true });
    writeFileSync(join(staging, `${path}.br`), compressed);
  }
  const hashes = [...files].map(([path, bytes]) => [path, hashOf(bytes, 'hex').slice(0, 16)]);
  const list = { current: Object.fromEntries(hashes), scripts: inlineScripts(files) };
  const listed = Buffer.from(JSON.stringify(list));
  size += listed.length;
  writeFileSync(join(staging, 'files.json'), listed);
  writeFileSync(join(staging, '.packages'), JSON.stringify(inPages)); // scripts/licences.mjs reads it
  rmSync(target, { recursive: true, force: true });
  renameSync(staging, target);
  console.log(`published ${files.size} files, ${Math.ceil(size / 1000)} KB, to server/dist/guide`);
  if (size > mostBytes) fail(`The site may have ${mostBytes / 1000} KB at most.`);
}

/** Hashes of the scripts within the pages, for the security policy. */
function inlineScripts(files: Map<string, Buffer>): string[] {
  const pages = [...files].filter(([path]) => path.endsWith('.html')).map(([, bytes]) => bytes.toString());
  const scripts = pages.flatMap((page) => [
    ...page.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g),
  ]);
  return [...new Set(scripts.map(([, script = '']) => `sha256-${hashOf(script, 'base64')}`))];
}

function hashOf(content: string | Buffer, encoding: 'hex' | 'base64'): string {
  return createHash('sha256').update(content).digest(encoding);
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}

main();
