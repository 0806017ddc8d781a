import { existsSync, readFileSync } from 'node:fs';

import type { StaticFile } from './answer.ts';

interface Manifest {
  [name: string]: { file: string; integrity: string };
}

/** The bundle has the files beside main.js; from the sources they are read from the same build folder. */
const folders = [
  new URL('./widgets/', import.meta.url),
  new URL('../../../../dist/widgets/', import.meta.url),
];

/** All files by the names they are served under, held in memory; empty when they were not built. */
export function readWidgets(): Map<string, StaticFile> {
  const folder = folders.find((each) => existsSync(new URL('manifest.json', each)));
  const files = new Map<string, StaticFile>();
  if (!folder) return files;
  const text = readFileSync(new URL('manifest.json', folder));
  const manifest = JSON.parse(text.toString()) as Manifest;
  const etags = Object.values(manifest).map(({ integrity }) => integrity);
  files.set('manifest.json', {
    contentType: 'application/json; charset=utf-8',
    isImmutable: false,
    etag: etagOf(etags.join('')),
    bytes: { identity: text },
  });
  for (const [name, { file, integrity }] of Object.entries(manifest)) {
    const served = {
      contentType: 'text/javascript; charset=utf-8',
      etag: etagOf(integrity),
      bytes: {
        identity: readFileSync(new URL(name, folder)),
        gzip: readFileSync(new URL(`${name}.gz`, folder)),
        br: readFileSync(new URL(`${name}.br`, folder)),
      },
    };
    files.set(name, { ...served, isImmutable: false });
    files.set(file, { ...served, isImmutable: true });
  }
  return files;
}

function etagOf(integrity: string): string {
  return integrity.replaceAll(/sha384-|[^\w]/g, '').slice(0, 48);
}
