import { existsSync, readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import type { Reply } from '../../../http/route.ts';
import {
  answerFile,
  type Build,
  builtFolders,
  contentTypeOf,
  currentBuild,
  type StaticFile,
} from './files.ts';

const base = '/docs/guide/';

type Request = Pick<FastifyRequest, 'method' | 'url' | 'headers'>;

/** Answers requests below /docs/guide with the documentation site that `npm run docs` builds; null for anything else. */
export function createGuide(
  folders: readonly URL[] = builtFolders('guide'),
): (request: Request) => Reply | null {
  let build: Build | null = null;

  return (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return null;
    const url = request.url.split('?', 1)[0] ?? '';
    if (url === base.slice(0, -1)) return { status: 308, headers: { location: base } };
    if (!url.startsWith(base)) return null;
    build = currentBuild(folders, build);
    if (!build) return notBuilt();
    const path = url.slice(base.length).replace(/(^|\/)$/, '$1index.html');
    const found = fileOf(build, path);
    const file = found ?? fileOf(build, '404.html');
    if (!file) return null;
    const reply = answerFile(request, file, {
      cacheControl: 'no-cache',
      headers: { 'content-security-policy': policyFor(build.scripts), 'referrer-policy': 'same-origin' },
    });
    return found || reply.status !== 200 ? reply : { ...reply, status: 404 };
  };
}

/** Only scripts of the site run: its files, and the short ones in its pages, known by their hashes. */
function policyFor(scripts: string[]): string {
  return [
    "default-src 'none'",
    `script-src 'self' ${scripts.map((hash) => `'${hash}'`).join(' ')}`,
    "style-src 'self' 'unsafe-inline'", // the colours of code are style attributes
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Files are stored in brotli alone. A client that does not accept it gets them decompressed. */
function fileOf(build: Build, path: string): StaticFile | null {
  const kept = build.kept.get(path);
  if (kept) return kept;
  const etag = build.files[path];
  const url = new URL(`${path}.br`, build.folder);
  if (etag === undefined || !existsSync(url)) return null;
  const br = readFileSync(url);
  const file: StaticFile = {
    contentType: contentTypeOf(path),
    isImmutable: path.startsWith('assets/'),
    etag,
    bytes: {
      br,
      get identity() {
        return brotliDecompressSync(br);
      },
    },
  };
  build.kept.set(path, file);
  return file;
}

function notBuilt(): Reply {
  return {
    status: 404,
    contentType: 'text/html; charset=utf-8',
    headers: { 'content-security-policy': "default-src 'none'" },
    body: '<!doctype html><meta charset="utf-8"><title>Carillon</title><p>The guides are not built here: run npm run docs in a checkout of the repository, or read them in its folder docs.',
  };
}
