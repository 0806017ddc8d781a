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
    .map(({ schema }) => literal(sampleOf(schema, schemas)));
  const body = operation.requestBody?.content['application/json']?.schema;
  const args = [...inPath, ...(body ? [literal(sampleOf(body, schemas))] : [])].join(', ');
  if (found.operation.list) {
    return `for await (const item of ${found.call}(${args})) {\n  console.log(item);\n}`;
  }
  const hasResult = Object.entries(operation.responses).some(
    ([status, response]) => status.startsWith('2') && 'content' in response,
  );
  const call = `await ${found.call}(${args});`;
  return hasResult ? `const result = ${call}` : call;
}

/** A JSON value as TypeScript source, in the style of our formatter. */
function literal(value: unknown, indent = ''): string {
  const inner = `${indent}  `;
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => literal(item, inner));
    const line = `[${items.join(', ')}]`;
    return fits(line) ? line : `[\n${items.map((item) => `${inner}${item},\n`).join('')}${indent}]`;
  }
  if (typeof value !== 'object' || value === null) return String(value);
  const fields = Object.entries(value).map(
    ([name, field]) => `${/^[A-Za-z_]\w*$/.test(name) ? name : quoted(name)}: ${literal(field, inner)}`,
  );
  if (fields.length === 0) return '{}';
  const line = `{ ${fields.join(', ')} }`;
  return fits(line) ? line : `{\n${fields.map((field) => `${inner}${field},\n`).join('')}${indent}}`;
}

function fits(line: string): boolean {
  return line.length <= 70 && !line.includes('\n');
}

function quoted(text: string): string {
  const json = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"');
  return `'${json.replaceAll("'", "\\'")}'`;
}
