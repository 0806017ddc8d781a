import { readFileSync, statSync } from 'node:fs';
import type { FastifyRequest } from 'fastify';
import type { Reply } from '../../../http/route.ts';

const encodings = ['br', 'gzip', 'identity'] as const;
type Encoding = (typeof encodings)[number];

/** A file of a build, with its precompressed forms. */
export interface StaticFile {
  contentType: string;
  /** The file name changes with the content, so the file may be cached indefinitely. */
  isImmutable: boolean;
  etag: string;
  bytes: Partial<Record<Encoding, Buffer>>;
}

const forever = 'public, max-age=31536000, immutable';

export function answerFile(
  request: Pick<FastifyRequest, 'headers'>,
  file: StaticFile,
  { cacheControl, headers: more }: { cacheControl: string; headers?: Record<string, string> },
): Reply {
  const encoding = chooseEncoding(request.headers['accept-encoding']?.toString(), file.bytes);
  const etag = `"${file.etag}-${encoding}"`;
  const headers = {
    etag,
    vary: 'accept-encoding',
    'cache-control': file.isImmutable ? forever : cacheControl,
    ...more,
  };
  if (matches(request.headers['if-none-match'], etag)) return { status: 304, headers };
  return {
    status: 200,
    contentType: file.contentType,
    headers: encoding === 'identity' ? headers : { ...headers, 'content-encoding': encoding },
    body: file.bytes[encoding],
  };
}

/** Returns the first of our encodings that the header allows. */
export function chooseEncoding(header: string | undefined, offered: StaticFile['bytes']): Encoding {
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

function matches(header: string | undefined, etag: string): boolean {
  return (header ?? '').split(',').some((each) => ['*', etag, `W/${etag}`].includes(each.trim()));
}

/** Built pages on disk, as the list beside them describes them. */
export interface Build {
  folder: URL;
  /** When the list of files was written, which identifies the build. */
  writtenAt: number;
  /** Maps a path to the hash of its content. */
  files: Record<string, string>;
  /** Hashes of the scripts within the pages. */
  scripts: string[];
  /** Files that were already requested. */
  kept: Map<string, StaticFile>;
}

/** In the bundle the folder is beside main.js; from the sources, the same built folder is used. */
export function builtFolders(name: string): URL[] {
  return [new URL(`./${name}/`, import.meta.url), new URL(`../../../../dist/${name}/`, import.meta.url)];
}

/** A build may be replaced while the service runs: its document names files that the previous list does not have. */
export function currentBuild(folders: readonly URL[], known: Build | null): Build | null {
  for (const folder of folders) {
    const list = new URL('files.json', folder);
    const writtenAt = statSync(list, { throwIfNoEntry: false })?.mtimeMs;
    if (writtenAt === undefined) continue;
    if (known?.folder === folder && known.writtenAt === writtenAt) return known;
    const { former, current, scripts = [] } = JSON.parse(readFileSync(list, 'utf8'));
    return { folder, writtenAt, files: { ...former, ...current }, scripts, kept: new Map() };
  }
  return null;
}

const contentTypes: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json; charset=utf-8',
  svg: 'image/svg+xml',
  webp: 'image/webp',
};

export function contentTypeOf(path: string): string {
  return contentTypes[path.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
}
