import { readFileSync, statSync } from 'node:fs';
import { Type } from 'typebox';
import { type Reply, type Route, route } from '../../../http/route.ts';
import { notFound, Problem } from '../../../kernel/errors.ts';
import { answerFile, builtFolders, type StaticFile } from './files.ts';
import { describeProgress } from './progress.ts';

/** The custom elements that customers embed in their pages. */
export function widgetRoutes(folders: readonly URL[] = builtFolders('widgets')): Route[] {
  let build: Build | null = null;
  return [
    route({
      method: 'GET',
      path: '/widgets/:file',
      operation: 'getWidget',
      tag: 'Widgets',
      summary: 'Get a web component as a JavaScript module',
      description:
        '`inbox.js` and `preferences.js`; `manifest.json` lists them with their integrity hashes and names that can be cached forever.',
      access: 'public',
      params: Type.Object({ file: Type.String({ maxLength: 100 }) }),
      responses: { 200: Type.String({ contentMediaType: 'text/javascript' }), 304: null },
      handler({ params, raw }) {
        build = currentBuild(folders, build);
        if (!build) return notBuilt(folders);
        const found = build.files.get(params.file);
        if (!found) throw notFound('file');
        return answerFile(raw, found, {
          cacheControl: 'public, max-age=300, stale-while-revalidate=86400',
          headers: {
            // Other origins load these files, and an integrity hash is checked only with CORS.
            'access-control-allow-origin': '*',
            'cross-origin-resource-policy': 'cross-origin',
          },
        });
      },
    }),
  ];
}

/** Returned and not thrown: nothing has failed that the log should name. */
function notBuilt(folders: readonly URL[]): Reply {
  const problem = new Problem('temporarily_unavailable', describeProgress('The widgets are', folders));
  return { status: problem.status, headers: { 'retry-after': '2' }, body: problem.toBody() };
}

interface Manifest {
  [name: string]: { file: string; integrity: string };
}

interface Build {
  folder: URL;
  /** When the manifest was written, which identifies the build. */
  writtenAt: number;
  /** All files by the names they are served under, kept in memory. */
  files: Map<string, StaticFile>;
}

/** A start builds the widgets while the service already runs: they may come later, or be replaced. */
function currentBuild(folders: readonly URL[], known: Build | null): Build | null {
  for (const folder of folders) {
    const writtenAt = statSync(new URL('manifest.json', folder), { throwIfNoEntry: false })?.mtimeMs;
    if (writtenAt === undefined) continue;
    if (known?.folder === folder && known.writtenAt === writtenAt) return known;
    return { folder, writtenAt, files: readWidgets(folder) };
  }
  return null;
}

function readWidgets(folder: URL): Map<string, StaticFile> {
  const files = new Map<string, StaticFile>();
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
