import { existsSync, readFileSync } from 'node:fs';
import type { FastifyRequest } from 'fastify';
import type { Reply } from '../../http/route.ts';
import { answerFile, type StaticFile } from '../../http/static-files.ts';

/** In the bundle it stands beside main.js; from the sources it is looked for in the same place. */
const folders = [
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
  /** Path → hash of the content. */
  files: Record<string, string>;
}

/** Answers for what is no operation of the API: the pages of the dashboard and their files; null for anything else. */
export function createDashboard(): (request: FastifyRequest) => Reply | null {
  let build: Build | null = null;
  const kept = new Map<string, StaticFile>();

  const file = (path: string): StaticFile | null => {
    build ??= findBuild();
    const etag = build?.files[path];
    if (!build || etag === undefined) return null;
    const found = kept.get(path) ?? readFile(build.folder, path, etag);
    kept.set(path, found);
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

function findBuild(): Build | null {
  const folder = folders.find((each) => existsSync(new URL('files.json', each)));
  if (!folder) return null;
  return { folder, files: JSON.parse(readFileSync(new URL('files.json', folder), 'utf8')) };
}

function readFile(folder: URL, path: string, etag: string): StaticFile {
  const read = (ending: string) => {
    const url = new URL(`${path}${ending}`, folder);
    return existsSync(url) ? readFileSync(url) : undefined;
  };
  const [identity, gzip, br] = [read(''), read('.gz'), read('.br')];
  return {
    contentType: contentTypes[path.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
    isImmutable: path.startsWith('assets/'),
    etag,
    bytes: { ...(identity && { identity }), ...(gzip && { gzip }), ...(br && { br }) },
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
