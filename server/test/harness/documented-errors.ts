import { readFileSync } from 'node:fs';

interface Operation {
  operationId: string;
  responses: Record<string, unknown>;
}
type Methods = Record<string, Operation>;

let addresses: { pattern: RegExp; methods: Methods }[] | null = null;

/** Written-out addresses before those with parameters, as the router has them. */
function readAddresses(): NonNullable<typeof addresses> {
  const file = new URL('../../../openapi.json', import.meta.url);
  const { paths } = JSON.parse(readFileSync(file, 'utf8')) as { paths: Record<string, Methods> };
  return Object.entries(paths)
    .sort(([one], [other]) => one.split('{').length - other.split('{').length)
    .map(([path, methods]) => ({
      pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      methods,
    }));
}

/**
 * Fails when an operation answers with a client error that the OpenAPI document does not name for it. Every request of every
 * test passes here, so what routes can answer is compared with what they say.
 */
export function checkDocumented(method: string, url: string, status: number, body: string): void {
  if (status < 400 || status >= 500) return;
  addresses ??= readAddresses();
  const path = url.split('?', 1)[0] ?? '';
  const operation = addresses.find(({ pattern }) => pattern.test(path))?.methods[method.toLowerCase()];
  if (!operation || String(status) in operation.responses) return;
  throw new Error(
    `${operation.operationId} answers ${status}, which openapi.json does not name: give the code in \`errors\` of the route, then npm run generate. ${body.slice(0, 200)}`,
  );
}
