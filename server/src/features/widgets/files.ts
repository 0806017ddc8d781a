import { existsSync, readFileSync } from 'node:fs';

export const encodings = ['br', 'gzip', 'identity'] as const;
export type Encoding = (typeof encodings)[number];

export interface WidgetFile {
  contentType: string;
  /** Its name changes with its content, so it may be kept for ever. */
  isImmutable: boolean;
  etag: string;
  bytes: Partial<Record<Encoding, Buffer>>;
}

interface Manifest {
  [name: string]: { file: string; integrity: string };
}

/** In the bundle they stand beside main.js; from the sources they are looked for in the same place. */
const folders = [new URL('./widgets/', import.meta.url), new URL('../../../dist/widgets/', import.meta.url)];

/** All files by the names they are served under, held in memory; empty when they were not built. */
export function readWidgets(): Map<string, WidgetFile> {
  const folder = folders.find((each) => existsSync(new URL('manifest.json', each)));
  const files = new Map<string, WidgetFile>();
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

/** The first encoding of ours that the header allows. */
export function chooseEncoding(header: string | undefined, offered: WidgetFile['bytes']): Encoding {
  const refused = new Set<string>();
  const allowed = new Set<string>();
  for (const part of (header ?? '').toLowerCase().split(',')) {
    const [name = '', ...params] = part.split(';').map((each) => each.trim());
    const isRefused = params.some((each) => /^q=0(\.0*)?$/.test(each));
    (isRefused ? refused : allowed).add(name);
  }
  const fits = (encoding: Encoding) =>
    offered[encoding] !== undefined && !refused.has(encoding) && (allowed.has(encoding) || allowed.has('*'));
  return encodings.find(fits) ?? 'identity';
}
