// The licences of the npm packages whose code is inside a bundle: most of them ask to be named wherever their code goes.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { root } from './setup.mjs';

/** A build notes here, beside its marker, which packages it bundled. */
const noteName = '.packages';
const licenceFile = /^(licen[cs]e|copying|notice)([.-]|$)/i;

export function noteBundledPackages(folder, modules) {
  writeFileSync(join(folder, noteName), JSON.stringify(packageFolders(modules)));
}

/** The folders of the packages that these files belong to, seen from the root of the repository. */
export function packageFolders(modules) {
  const folders = modules
    .map((path) => relative(root, resolve(root, path)).replaceAll('\\', '/'))
    .map((path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0])
    .filter((folder) => folder !== undefined);
  return [...new Set(folders)].sort();
}

export function notedPackages(folder) {
  return JSON.parse(readFileSync(join(folder, noteName), 'utf8'));
}

/** Writes THIRD-PARTY-LICENSES: each package with its version, its licence and the texts that it comes with. */
export function writeLicences(file, folders) {
  const packages = [...new Set(folders)]
    .map(describe)
    .sort((one, other) => (one.title < other.title ? -1 : 1));
  const unique = packages.filter(({ title }, index) => title !== packages[index - 1]?.title);
  const parts = unique.map(({ title, texts }) => `${'='.repeat(78)}\n${title}\n\n${texts.join('\n\n')}\n`);
  writeFileSync(file, `This package contains code of the following packages.\n\n${parts.join('\n')}`);
}

function describe(folder) {
  const path = join(root, folder);
  const { name, version, license, author } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
  if (typeof license !== 'string') throw new Error(`${folder}/package.json names no licence.`);
  const texts = readdirSync(path)
    .filter((file) => licenceFile.test(file))
    .map((file) => readFileSync(join(path, file), 'utf8').trim());
  // Without a text of its own, the name of the licence and of the author is all that the package states.
  if (texts.length === 0) texts.push(`Copyright ${author?.name ?? author ?? `the authors of ${name}`}`);
  return { title: `${name} ${version} (${license})`, texts };
}
