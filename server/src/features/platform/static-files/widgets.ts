import { Type } from 'typebox';
import { type Route, route } from '../../../http/route.ts';
import { notFound } from '../../../kernel/errors.ts';
import { answerFile, type StaticFile } from './answer.ts';
import { readWidgets } from './widget-files.ts';

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
