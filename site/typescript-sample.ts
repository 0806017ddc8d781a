import { exampleOf } from '../sdk/generate/example.ts';
import { api } from '../sdk/src/generated/api.ts';
import { inboxApi } from '../sdk/src/generated/inbox.ts';
import type { Operation, Table } from '../sdk/src/operations.ts';
import type { OpenApiDocument } from '../server/src/http/openapi-document.ts';
import type { ReferenceEntry } from '../server/src/http/reference.ts';
import { sampleOf } from '../server/src/http/reference-schema.ts';

interface Method {
  call: string;
  operation: Operation;
}

const methods = new Map([...methodsOf(api, 'client'), ...methodsOf(inboxApi, 'inbox')]);

function methodsOf(table: Table, prefix: string): [string, Method][] {
  return Object.entries(table).flatMap(([name, row]): [string, Method][] => {
    const call = `${prefix}.${name}`;
    if (typeof row.path !== 'string') return methodsOf(row as Table, call);
    const operation = row as Operation;
    return [[`${operation.method} ${operation.path}`, { call, operation }]];
  });
}

/** The call of an operation with the SDK; null when the SDK has no method for it, for example for a page. */
export function typescriptOf(
  { method, path, operation }: ReferenceEntry,
  document: OpenApiDocument,
): string | null {
  const found = methods.get(`${method} ${path}`);
  if (!found) return null;
  const { schemas } = document.components;
  const inPath = (operation.parameters ?? [])
    .filter((parameter) => parameter.in === 'path')
    .map(({ schema }) => sampleOf(schema, schemas));
  const body = operation.requestBody?.content['application/json']?.schema;
  const args = [...inPath, ...(body ? [sampleOf(body, schemas)] : [])];
  const hasResult = Object.entries(operation.responses).some(
    ([status, response]) => status.startsWith('2') && 'content' in response,
  );
  return exampleOf(found.call, args, found.operation.list ? 'list' : hasResult ? 'value' : 'none');
}
