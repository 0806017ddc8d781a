import { Type } from 'typebox';
import { type Route, route } from '../../http/route.ts';
import { notFound } from '../../kernel/errors.ts';
import { chooseEncoding, readWidgets, type WidgetFile } from './files.ts';

/** The elements that pages show to their users. */
export function widgetRoutes(): Route[] {
  let files: Map<string, WidgetFile> | null = null;
  return [
    route({
      method: 'GET',
      path: '/widgets/:file',
      operation: 'getWidget',
      tag: 'Widgets',
      summary: 'A web component, as a JavaScript module',
      description:
        '`inbox.js` and `preferences.js`; `manifest.json` lists them with their integrity hashes and the names under which they may be cached for ever.',
      access: 'public',
      params: Type.Object({ file: Type.String({ maxLength: 100 }) }),
      responses: { 200: Type.String({ contentMediaType: 'text/javascript' }), 304: null },
      handler({ params, raw }) {
        files ??= readWidgets();
        const found = files.get(params.file);
        if (!found) throw notFound('file');
        const encoding = chooseEncoding(raw.headers['accept-encoding']?.toString(), found.bytes);
        const etag = `"${found.etag}-${encoding}"`;
        const headers = {
          etag,
          vary: 'accept-encoding',
          'cache-control': found.isImmutable
            ? 'public, max-age=31536000, immutable'
            : 'public, max-age=300, stale-while-revalidate=86400',
          // Other origins load them: that is what they are for, and an integrity hash is checked only with CORS.
          'access-control-allow-origin': '*',
          'cross-origin-resource-policy': 'cross-origin',
        };
        if (matches(raw.headers['if-none-match'], etag)) return { status: 304, headers };
        return {
          status: 200,
          contentType: found.contentType,
          headers: encoding === 'identity' ? headers : { ...headers, 'content-encoding': encoding },
          body: found.bytes[encoding],
        };
      },
    }),
  ];
}

function matches(header: string | undefined, etag: string): boolean {
  return (header ?? '').split(',').some((each) => ['*', etag, `W/${etag}`].includes(each.trim()));
}
