import type { FastifyInstance } from 'fastify';
import { Problem } from '../kernel/errors.ts';
import type { Route } from './route.ts';

/**
 * A known path with the wrong method is 405 with the allowed methods, not 404: returns what to answer where no route matched, null
 * for an unknown path. A route of its own is needed only where one with a parameter would match instead, as `/things/:id` matches
 * `/things/batch`; each route adds to the start time.
 */
export function refuseOtherMethods(app: FastifyInstance, routes: Route[]): (url: string) => Problem | null {
  const methodsOf = new Map<string, string[]>();
  for (const { path, method } of routes) methodsOf.set(path, [...(methodsOf.get(path) ?? []), method]);
  const addresses = [...methodsOf].map(([url, methods]) => {
    const allow = (methods.includes('GET') ? [...methods, 'HEAD'] : methods).join(', ');
    const problem = new Problem('method_not_allowed', `This URL supports ${allow}.`, { headers: { allow } });
    const pattern = new RegExp(`^${url.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}/?$`);
    return { url, methods, pattern, problem };
  });
  for (const { url, methods, problem } of addresses) {
    const matching = addresses
      .filter(({ pattern }) => pattern.test(url))
      .flatMap((address) => address.methods);
    const others = [...new Set(matching)].filter((method) => !methods.includes(method));
    if (others.length === 0) continue;
    app.route({
      method: others,
      url,
      exposeHeadRoute: false,
      onRequest: async () => {
        throw problem;
      },
      handler: async () => {},
    });
  }
  // Literal segments come before parameters.
  addresses.sort((one, other) => one.url.split(':').length - other.url.split(':').length);
  return (url) => {
    const path = url.split('?', 1)[0] ?? '';
    return addresses.find(({ pattern }) => pattern.test(path))?.problem ?? null;
  };
}
