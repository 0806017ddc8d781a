import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, NotFoundError } from '@carillon/sdk';
import { FileProblem, readText } from './json-file.ts';
import type { Files, FolderContent, Kind } from './kind.ts';
import { isIgnored } from './single-file.ts';
import { withoutBreak } from './template-files.ts';

const name = 'partials';
const extension = '.liquid';
const keyPattern = /^[a-z0-9][a-z0-9_.-]{0,99}$/;

/** partials/<key>.liquid, with a line break at the end that is not part of the partial. */
export const partials: Kind = {
  name,
  removal: 'delete',
  read,
  async *list(client) {
    for await (const { key, template } of client.partials.list({ limit: 100 }))
      yield [key, filesOf(key, template)];
  },
  async find(client, key) {
    const template = await findTemplate(client, key);
    return template === null ? null : filesOf(key, template);
  },
  async write(client, key, files) {
    const [content = ''] = files.values();
    await client.partials.put(key, { template: withoutBreak(content) });
  },
  remove: (client, key) => client.partials.delete(key),
  order: (changes) => usedFirst(changes),
};

function read(folder: string): FolderContent {
  const content: FolderContent = {
    exists: existsSync(join(folder, name)),
    resources: new Map(),
    problems: [],
  };
  if (!content.exists) return content;
  for (const entry of readdirSync(join(folder, name), { withFileTypes: true })) {
    if (isIgnored(entry)) continue;
    const path = `${name}/${entry.name}`;
    try {
      if (!entry.isFile() || !entry.name.endsWith(extension))
        throw new FileProblem(`is not a ${extension} file`);
      const key = entry.name.slice(0, -extension.length);
      if (!keyPattern.test(key)) throw new FileProblem(`: “${key}” cannot be a key`);
      const files = filesOf(key, withoutBreak(readText(join(folder, path))));
      content.resources.set(key, { files, paths: [path] });
    } catch (error) {
      if (!(error instanceof FileProblem)) throw error;
      content.problems.push({ path, message: error.message });
    }
  }
  return content;
}

const filesOf = (key: string, template: string): Files =>
  new Map([[`${name}/${key}${extension}`, `${template}\n`]]);

async function findTemplate(client: Client, key: string): Promise<string | null> {
  try {
    return (await client.partials.get(key)).template;
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}

/** A partial comes after those that it renders. */
function usedFirst<Change extends { key: string; before: Files | null; after: Files | null }>(
  changes: Change[],
): Change[] {
  const waiting = new Map(changes.map((change) => [change.key, change]));
  const ordered: Change[] = [];
  const insert = (change: Change): void => {
    if (!waiting.delete(change.key)) return;
    const [source = ''] = (change.after ?? change.before ?? new Map<string, string>()).values();
    for (const [, used = ''] of source.matchAll(/\brender\s+['"]([^'"\n]+)['"]/g)) {
      const inner = waiting.get(used);
      if (inner) insert(inner);
    }
    ordered.push(change);
  };
  for (const change of changes) insert(change);
  return ordered;
}
