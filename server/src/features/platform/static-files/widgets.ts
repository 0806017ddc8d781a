import { existsSync, readFileSync } from 'node:fs';
import { Type } from 'typebox';
import { type Route, route } from '../../../http/route.ts';
import { notFound } from '../../../kernel/errors.ts';
import { answerFile, type StaticFile } from './files.ts';

/** The custom elements that customers embed in their pages. */
export function widgetRoutes(): Route[] {
  let files: Map<string, StaticFile> | null = null;
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
        files ??= readWidgets();
        const found = files.get(params.file);
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

interface Manifest {
  [name: string]: { file: string; integrity: string };
}

/** The bundle has the files beside main.js; from the sources they are read from the same build folder. */
const folders = [
  new URL('./widgets/', import.meta.url),
  new URL('../../../../dist/widgets/', import.meta.url),
];

/** All files by the names they are served under, kept in memory; empty when they were not built. */
function readWidgets(): Map<string, StaticFile> {
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
