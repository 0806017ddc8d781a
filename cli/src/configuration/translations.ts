import { join } from 'node:path';
import type { Translation } from '@carillon/sdk';
import { orNull } from './found.ts';
import { FileProblem, pretty, readJsonFile } from './json-file.ts';
import type { Files, FolderContent, Kind } from './kind.ts';
import { readFolder } from './read-folder.ts';
import { contentIn } from './single-file.ts';

const name = 'translations';
const fileName = /^([A-Za-z0-9_-]+)(\.default)?\.json$/;

/**
 * translations/<locale>.json, or <locale>.default.json for the default locale: the messages and nothing else, as translation tools
 * read and write them.
 */
export const translations: Kind = {
  name,
  removal: 'delete',
  read,
  async *list(client) {
    for await (const { locale } of client.translations.list({ limit: 100 })) {
      const found = await orNull(client.translations.get(locale));
      if (found) yield [locale, filesOf(found)];
    }
  },
  async find(client, locale) {
    const found = await orNull(client.translations.get(locale));
    return found && filesOf(found);
  },
  async write(client, locale, files) {
    const messages = contentIn(files) as Translation['messages'];
    // Only another default ends that of a locale.
    await client.translations.put(locale, { messages, ...(isDefault(files) && { is_default: true }) });
  },
  remove: (client, locale) => client.translations.delete(locale),
  // A new default takes the place of the old one, which therefore changes first. While there are others, it cannot be removed.
  order: (changes) => [...changes].sort((one, other) => rank(one) - rank(other)),
};

function rank({ before, after }: { before: Files | null; after: Files | null }): number {
  if (after) return isDefault(after) ? 1 : 0;
  return before && isDefault(before) ? -1 : 0;
}

export const isDefault = (files: Files): boolean =>
  [...files.keys()].some((path) => path.endsWith('.default.json'));

function filesOf(translation: Pick<Translation, 'locale' | 'is_default' | 'messages'>): Files {
  const { locale, is_default, messages } = translation;
  return new Map([[`${name}/${locale}${is_default ? '.default' : ''}.json`, pretty(messages)]]);
}

function read(folder: string): FolderContent {
  let byDefault: string | null = null;
  return readFolder(folder, name, (entry, path, { resources }) => {
    const [, tag, marked] = fileName.exec(entry.name) ?? [];
    const locale = tag === undefined ? null : canonicalLocale(tag);
    if (!entry.isFile() || locale === null)
      throw new FileProblem('is not a locale: expected <locale>.json or <locale>.default.json');
    if (resources.has(locale)) throw new FileProblem(`is the same locale as another file: ${locale}`);
    if (marked && byDefault) throw new FileProblem(`is a second default locale, after ${byDefault}`);
    if (marked) byDefault = locale;
    const messages = readJsonFile(join(folder, path));
    const files = filesOf({ locale, is_default: marked !== undefined, messages });
    resources.set(locale, { files, paths: [path] });
  });
}

function canonicalLocale(text: string): string | null {
  try {
    return Intl.getCanonicalLocales(text.replaceAll('_', '-'))[0] ?? null;
  } catch {
    return null;
  }
}
