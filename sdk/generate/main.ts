import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Operation } from '../src/operations.ts';
import { type Document, isMethod } from './document.ts';
import { type Method, methodOf } from './methods.ts';
import { refinedSchemas } from './names.ts';
import { comment, schemaName, typeOf } from './types.ts';

/** Writes the types and methods of the client from openapi.json; with --check only tells whether they are as they must be. */
function main(check: boolean): void {
  const document: Document = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8'));
  const inbox = methodsOf(document, (path) => path.startsWith('/inbox/'));
  const api = methodsOf(document, (path) => !path.startsWith('/inbox/'));
  const types = [...schemaTypes(document), ...[...api, ...inbox].flatMap((method) => method.types)];
  let stale = false;
  const files = {
    'types.ts': `import type { ByChannel } from '../send-request.ts';\n\n${types.join('\n\n')}`,
    'api.ts': moduleOf('Api', api, types),
    'inbox.ts': moduleOf('InboxApi', inbox, types),
  };
  for (const [name, text] of Object.entries(files)) {
    const path = `sdk/src/generated/${name}`;
    const wanted = formatted(path, `// Generated from openapi.json: npm run generate\n\n${text}\n`);
    const full = join(root, path);
    if (existsSync(full) && readFileSync(full, 'utf8') === wanted) continue;
    stale = true;
    if (!check) writeFileSync(full, wanted);
    console.log(check ? `${path} is out of date: run npm run generate` : `wrote ${path}`);
  }
  if (check && stale) process.exitCode = 1;
}

const root = fileURLToPath(new URL('../..', import.meta.url));

function methodsOf(document: Document, wanted: (path: string) => boolean): Method[] {
  return Object.entries(document.paths)
    .filter(([path]) => wanted(path))
    .flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(([, operation]) => isMethod(path, operation))
        .map(([verb, operation]) => methodOf(path, verb, operation, document.components.schemas)),
    );
}

function schemaTypes({ components }: Document): string[] {
  return Object.entries(components.schemas).flatMap(([name, schema]) => {
    const refined = refinedSchemas[name];
    const type = `${comment(schema.description)}export type ${refined?.fields ?? schemaName(name)} = ${typeOf(schema)};`;
    return refined ? [type, `export type ${name} = ${refined.type};`] : [type];
  });
}

interface Tree {
  [name: string]: Method | Tree;
}

function moduleOf(name: string, methods: Method[], types: string[]): string {
  const tree: Tree = {};
  for (const method of methods) plant(tree, method.name.split('.'), method);
  const shape = `export interface ${name} ${shapeOf(tree)}`;
  const used = [...types.join('\n').matchAll(/^export type (\w+)/gm)]
    .map(([, type = '']) => type)
    .filter((type) => new RegExp(`\\b${type}\\b`).test(withoutComments(shape)));
  const options = ['GuardedOptions', 'KeyedOptions', 'RequestOptions'].filter((type) => shape.includes(type));
  return [
    shape.includes('List<') ? "import type { List } from '../list.ts';" : '',
    "import type { Table } from '../operations.ts';",
    `import type { ${options.join(', ')} } from '../transport.ts';`,
    `import type { ${used.sort().join(', ')} } from './types.ts';`,
    '',
    shape,
    '',
    `export const ${name.charAt(0).toLowerCase()}${name.slice(1)}: Table = ${JSON.stringify(rowsOf(tree))};`,
  ].join('\n');
}

function plant(tree: Tree, [head = '', ...rest]: string[], method: Method): void {
  if (rest.length === 0) {
    if (tree[head]) throw new Error(`Two operations are called ${method.name}.`);
    tree[head] = method;
    return;
  }
  const branch = tree[head] ?? {};
  if (isLeaf(branch)) throw new Error(`${head} is a method and a group.`);
  tree[head] = branch;
  plant(branch, rest, method);
}

function isLeaf(node: Method | Tree): node is Method {
  return typeof node.signature === 'string';
}

function shapeOf(tree: Tree): string {
  const lines = Object.entries(tree).map(([name, node]) =>
    isLeaf(node) ? node.signature.replaceAll('NAME(', `${name}(`) : `${name}: ${shapeOf(node)};`,
  );
  return `{\n${lines.join('\n')} }`;
}

type Rows = { [name: string]: Operation | Rows };

function rowsOf(tree: Tree): Rows {
  return Object.fromEntries(
    Object.entries(tree).map(([name, node]) => [name, isLeaf(node) ? node.row : rowsOf(node)]),
  );
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*\*[\s\S]*?\*\//g, '');
}

/** As the formatter of the repository writes it, so that generated code reads like the rest. */
function formatted(path: string, text: string): string {
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [biome, 'check', '--write', `--stdin-file-path=${path}`],
    {
      cwd: root,
      input: text,
      encoding: 'utf8',
      maxBuffer: 1 << 26,
    },
  );
  if (status !== 0) throw new Error(`${path} could not be formatted: ${stderr}`);
  return stdout;
}

main(process.argv.includes('--check'));
