import { orNull } from './found.ts';
import { readText } from './json-file.ts';
import type { Files, Kind } from './kind.ts';
import { readFiles } from './read-folder.ts';
import { withoutBreak } from './template-files.ts';

const name = 'partials';
const extension = '.liquid';

/** partials/<key>.liquid, with a line break at the end that is not part of the partial. */
export const partials: Kind = {
  name,
  removal: 'delete',
  read: (folder) =>
    readFiles(folder, name, { extension }, (key, path) => filesOf(key, withoutBreak(readText(path)))),
  async *list(client) {
    for await (const { key, template } of client.partials.list({ limit: 100 }))
      yield [key, filesOf(key, template)];
  },
  async find(client, key) {
    const found = await orNull(client.partials.get(key));
    return found && filesOf(key, found.template);
  },
  async write(client, key, files) {
    const [content = ''] = files.values();
    await client.partials.put(key, { template: withoutBreak(content) });
  },
  remove: (client, key) => client.partials.delete(key),
  order: (changes) => usedFirst(changes),
};

const filesOf = (key: string, template: string): Files =>
  new Map([[`${name}/${key}${extension}`, `${template}\n`]]);

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
