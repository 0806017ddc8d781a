import { existsSync, readFileSync, statSync } from 'node:fs';
import type { FastifyRequest } from 'fastify';
import type { Reply } from '../../http/route.ts';
import { answerFile, type StaticFile } from '../../http/static-files.ts';

/** In the bundle it stands beside main.js; from the sources it is looked for in the same place. */
const builtFolders = [
  new URL('./dashboard/', import.meta.url),
  new URL('../../../dist/dashboard/', import.meta.url),
];

/** The pages draw themselves: every address of theirs gets the same document. */
const pagePattern = /^\/(?:(?:test|live|connections)(?:\/.*)?|sign-in|invitation)?$/;
const filePattern = /^\/(?:assets\/[\w.-]+|favicon\.svg)$/;

/**
 * Scripts are ours alone, and nothing may put the pages into a frame. Styles in attributes are how graphs and editors place
 * things; pictures may come from anywhere because previews of messages, in frames that run nothing, inherit this policy.
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
  /** When its list was written: the mark by which another build is known. */
  writtenAt: number;
  /** Path → hash of the content. */
  files: Record<string, string>;
  /** What was asked for so far. */
  kept: Map<string, StaticFile>;
}

type Request = Pick<FastifyRequest, 'method' | 'url' | 'headers'>;

/** Answers for what is no operation of the API: the pages of the dashboard and their files; null for anything else. */
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

/** A build may be replaced while we run: its document names files that the list of the one before does not have. */
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

/** Null: it is gone. An empty answer in its place would be kept for ever. */
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

/** The first start builds it while the service already runs. */
function notBuilt(): Reply {
  return {
    status: 503,
    contentType: 'text/html; charset=utf-8',
    headers: { 'retry-after': '2', refresh: '2', 'content-security-policy': "default-src 'none'" },
    body: '<!doctype html><meta charset="utf-8"><title>Carillon</title><p>The dashboard is being built. This page opens it in a few seconds. (If it never does: npm run build.)',
  };
}
