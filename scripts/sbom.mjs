// `npm run sbom`: prints the software bill of materials (CycloneDX 1.6), or writes it to a file: every package that the server,
// its dashboard and its widgets consist of. It is made from the lockfile alone, and the same lockfile gives the same bytes.
// `npm sbom` is not used: it leaves out what is bundled into the pages, and its output differs from run to run.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isProgram, root } from './setup.mjs';

/** Used to build and test the pages, and no part of them. */
const tools = /^(@types\/|@carillon\/|vite$)/;

/** Packages whose dependencies are shipped. Bundled ones are development dependencies. */
const shipped = [
  { folder: 'server', kinds: ['devDependencies', 'optionalDependencies'] },
  { folder: 'sdk', kinds: ['dependencies'] },
  { folder: 'cli', kinds: ['dependencies'] },
  { folder: 'widgets', kinds: ['dependencies', 'devDependencies'] },
  { folder: 'dashboard', kinds: ['dependencies', 'devDependencies'] },
];

export function createSbom(lockfile) {
  const { packages } = lockfile;
  const found = new Map();

  /** The place of a package in the tree, as Node resolves it from another place. */
  function resolve(name, from) {
    for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
      const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
      if (packages[path]) return path;
      if (folder === '') return null;
    }
  }

  function add(name, from, isOptional) {
    const path = resolve(name, from);
    if (path === null) {
      if (isOptional) return [];
      throw new Error(`${name}, which ${from} needs, is not in the lockfile.`);
    }
    const entry = packages[path];
    const purl = `pkg:npm/${name.replace('@', '%40')}@${entry.version}`;
    if (!found.has(purl)) {
      const known = { component: component(name, purl, entry), dependsOn: [] };
      found.set(purl, known);
      known.dependsOn = addAll(entry, path, ['dependencies', 'optionalDependencies']);
    }
    return [purl];
  }

  function addAll(entry, path, kinds) {
    const purls = kinds.flatMap((kind) =>
      Object.keys(entry[kind] ?? {})
        .filter((name) => !tools.test(name))
        .flatMap((name) => add(name, path, kind === 'optionalDependencies')),
    );
    return [...new Set(purls)].sort();
  }

  const { version, license } = packages[''];
  const ref = `pkg:npm/%40carillon/server@${version}`;
  const own = shipped.flatMap(({ folder, kinds }) => addAll(packages[folder], folder, kinds));
  const listed = [...found].sort(([one], [other]) => (one < other ? -1 : 1));
  const content = {
    metadata: {
      component: {
        type: 'application',
        'bom-ref': ref,
        group: '@carillon',
        name: 'server',
        version,
        purl: ref,
        licenses: licenses(license),
      },
    },
    components: listed.map(([, each]) => each.component),
    dependencies: [
      { ref, dependsOn: [...new Set(own)].sort() },
      ...listed.map(([purl, { dependsOn }]) => ({ ref: purl, dependsOn })),
    ],
  };
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(content))}`,
    version: 1,
    ...content,
  };
}

function component(name, purl, { version, license, integrity }) {
  const [group, rest] = name.startsWith('@') ? name.split('/') : [undefined, name];
  return {
    type: 'library',
    'bom-ref': purl,
    ...(group && { group }),
    name: rest,
    version,
    purl,
    ...(license && { licenses: licenses(license) }),
    ...(integrity && { hashes: [hashOf(integrity)] }),
  };
}

/** A single licence or an expression: `expression` is right for both. */
function licenses(expression) {
  return [{ expression }];
}

function hashOf(integrity) {
  const [algorithm, digest] = integrity.split(' ')[0].split(/-(.*)/s);
  return {
    alg: algorithm.replace('sha', 'SHA-'),
    content: Buffer.from(digest, 'base64').toString('hex'),
  };
}

/** A UUID of version 8, made from the content. */
function uuidOf(text) {
  const hex = createHash('sha256').update(text).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

if (isProgram(import.meta.filename)) {
  const lockfile = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const text = `${JSON.stringify(createSbom(lockfile), null, 2)}\n`;
  const [file] = process.argv.slice(2);
  if (file) writeFileSync(file, text);
  else process.stdout.write(text);
}
