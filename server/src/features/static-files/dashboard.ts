import { existsSync, readFileSync, statSync } from 'node:fs';
import type { FastifyRequest } from 'fastify';
import type { Reply } from '../../http/route.ts';
import { answerFile, type StaticFile } from './answer.ts';

/** In the bundle the folder is beside main.js; from the sources, the same built folder is used. */
const builtFolders = [
  new URL('./dashboard/', import.meta.url),
  new URL('../../../dist/dashboard/', import.meta.url),
];

/** The dashboard renders in the browser: every page URL gets the same document. */
const pagePattern = /^\/(?:(?:test|live|connections)(?:\/.*)?|sign-in|invitation)?$/;
const filePattern = /^\/(?:assets\/[\w.-]+|favicon\.svg)$/;

/**
 * Only our own scripts run, and no site may frame the pages. Graphs and editors need style attributes; images may come from
 * anywhere because previews of messages, in frames without scripts, inherit this policy.
 */
const securityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: https: http:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const contentTypes: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

interface Build {
  folder: URL;
  /** When the list of files was written, which identifies the build. */
  writtenAt: number;
  /** Maps a path to the hash of its content. */
  files: Record<string, string>;
  /** Files that were already requested. */
  kept: Map<string, StaticFile>;
}

type Request = Pick<FastifyRequest, 'method' | 'url' | 'headers'>;

/** Answers requests outside of the API: the pages of the dashboard and their files; null for anything else. */
export function createDashboard(folders: readonly URL[] = builtFolders): (request: Request) => Reply | null {
  let build: Build | null = null;

  const file = (path: string): StaticFile | null => {
    build = currentBuild(folders, build);
    const etag = build?.files[path];
    if (!build || etag === undefined) return null;
    const found = build.kept.get(path) ?? readFile(build.folder, path, etag);
    if (found) build.kept.set(path, found);
    return found;
  };

  return (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return null;
    const path = request.url.split('?', 1)[0] ?? '/';
    if (filePattern.test(path)) {
      const found = file(path.slice(1));
      return found && answerFile(request, found, { cacheControl: 'public, max-age=3600' });
    }
    if (!pagePattern.test(path)) return null;
    const document = file('index.html');
    if (!document) return notBuilt();
    return answerFile(request, document, {
      cacheControl: 'no-cache',
      headers: {
        'content-security-policy': securityPolicy,
        'referrer-policy': 'same-origin',
        'cross-origin-opener-policy': 'same-origin',
      },
    });
  };
}

/** A build may be replaced while the service runs: its document names files that the previous list does not have. */
function currentBuild(folders: readonly URL[], known: Build | null): Build | null {
  for (const folder of folders) {
    const list = new URL('files.json', folder);
    const writtenAt = statSync(list, { throwIfNoEntry: false })?.mtimeMs;
    if (writtenAt === undefined) continue;
    if (known?.folder === folder && known.writtenAt === writtenAt) return known;
    const { former, current } = JSON.parse(readFileSync(list, 'utf8'));
    return { folder, writtenAt, files: { ...former, ...current }, kept: new Map() };
  }
  return null;
}

/** Returns null when the file is gone. An empty answer instead would stay in caches. */
function readFile(folder: URL, path: string, etag: string): StaticFile | null {
  const read = (ending: string) => {
    const url = new URL(`${path}${ending}`, folder);
    return existsSync(url) ? readFileSync(url) : undefined;
  };
  const [identity, gzip, br] = [read(''), read('.gz'), read('.br')];
  if (!identity) return null;
  return {
    contentType: contentTypes[path.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
    isImmutable: path.startsWith('assets/'),
    etag,
    bytes: { identity, ...(gzip && { gzip }), ...(br && { br }) },
  };
}

/** The first start builds the dashboard while the service already runs. */
function notBuilt(): Reply {
  return {
    status: 503,
    contentType: 'text/html; charset=utf-8',
    headers: { 'retry-after': '2', refresh: '2', 'content-security-policy': "default-src 'none'" },
    body: '<!doctype html><meta charset="utf-8"><title>Carillon</title><p>The dashboard is being built. This page opens it in a few seconds. (If it does not, run: npm run build.)',
  };
}
