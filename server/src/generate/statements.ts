import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { declaredStatements } from '../db/sql.ts';

export interface NamedStatement {
  name: string;
  /** The path below server/src. */
  file: string;
  text: string;
}

const importsStatement = /import \{[^}]*\bstatement\b[^}]*\} from '[^']*\/sql\.ts'/;
const sourceRoot = fileURLToPath(new URL('..', import.meta.url));

/** Loads every module that declares statements, and lists them by file and name. */
export async function listStatements(): Promise<NamedStatement[]> {
  const files = declaringFiles();
  for (const file of files) await import(pathToFileURL(join(sourceRoot, file)).href);
  const statements = [...declaredStatements]
    .map(([name, { text, declaration }]) => ({ name, file: fileOf(declaration, files), text }))
    .filter((entry): entry is NamedStatement => entry.file !== undefined) // those of a test are not part of the service
    .sort((a, b) => compare(a.file, b.file) || compare(a.name, b.name));
  const silent = files.filter((file) => !statements.some((entry) => entry.file === file));
  if (silent.length > 0)
    throw new Error(`declare statements only after they are loaded: ${silent.join(', ')}`);
  return statements;
}

/** All statements as SQL for people to read and to compare. */
export function dumpStatements(statements: NamedStatement[]): string {
  return statements.map(({ name, file, text }) => `-- ${name} (${file})\n${outdent(text)};\n`).join('\n');
}

function declaringFiles(): string[] {
  return readdirSync(sourceRoot, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts') && !/\.test\.ts$|(^|\/)test-harness\.ts$/.test(path))
    .filter((path) => importsStatement.test(readFileSync(join(sourceRoot, path), 'utf8')))
    .sort();
}

/** The innermost of these files in the stack: the SQL stands there, whichever module asked for it. */
function fileOf(declaration: Error | null, files: string[]): string | undefined {
  for (const line of (declaration?.stack ?? '').replaceAll('\\', '/').split('\n')) {
    const file = files.find((path) => line.includes(`/server/src/${path}:`));
    if (file !== undefined) return file;
  }
  return undefined;
}

/** The text without the indentation that its place in a template literal gave to every line but the first. */
function outdent(text: string): string {
  const lines = text
    .trim()
    .split('\n')
    .map((line) => line.trimEnd());
  const indents = lines.slice(1).flatMap((line) => (line === '' ? [] : [line.search(/\S/)]));
  const indent = Math.min(...indents);
  return lines.map((line, index) => (index === 0 ? line : line.slice(indent))).join('\n');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
