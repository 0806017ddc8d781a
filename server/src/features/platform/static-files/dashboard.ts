import { existsSync, readFileSync } from 'node:fs';
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
import { createGuide } from './guide.ts';
import { describeProgress } from './progress.ts';

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

type Request = Pick<FastifyRequest, 'method' | 'url' | 'headers'>;

/** Answers with the pages of the dashboard and their files; null for anything else. */
export function createDashboard(
  folders: readonly URL[] = builtFolders('dashboard'),
): (request: Request) => Reply | null {
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
    if (!document) return notBuilt(describeProgress('The dashboard is', folders));
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

/** Returns null when the file is gone. An empty answer instead would stay in caches. */
function readFile(folder: URL, path: string, etag: string): StaticFile | null {
  const read = (ending: string) => {
    const url = new URL(`${path}${ending}`, folder);
    return existsSync(url) ? readFileSync(url) : undefined;
  };
  const [identity, gzip, br] = [read(''), read('.gz'), read('.br')];
  if (!identity) return null;
  return {
    contentType: contentTypeOf(path),
    isImmutable: path.startsWith('assets/'),
    etag,
    bytes: { identity, ...(gzip && { gzip }), ...(br && { br }) },
  };
}

/** A first start installs and builds the dashboard while the service already runs. The page loads itself again until it is there. */
function notBuilt(progress: string): Reply {
  return {
    status: 503,
    contentType: 'text/html; charset=utf-8',
    headers: {
      'retry-after': '2',
      refresh: '2',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    },
    body: `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Carillon</title>
<style>:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{max-width:34rem;margin:20vh auto;padding:0 1rem}</style>
<h1>Carillon is running</h1>
<p>${progress}</p>
<p>This page opens the dashboard as soon as it is ready.</p>
`,
  };
}

/** Answers requests outside of the API: the documentation site and the dashboard; null for anything else. */
export function createPages(): (request: FastifyRequest) => Reply | null {
  const guide = createGuide();
  const dashboard = createDashboard();
  return (request) => guide(request) ?? dashboard(request);
}
