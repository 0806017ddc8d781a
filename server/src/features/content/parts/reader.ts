import { LRUCache } from 'lru-cache';
import type { Pool } from '../../../db/sql.ts';
import { createBatcher } from '../../../kernel/batcher.ts';
import { cacheLoad, createCache } from '../../../kernel/cache.ts';
import { shouldYield, yieldToEventLoop } from '../../../kernel/event-loop.ts';
import {
  type Catalogue,
  noTranslation,
  type TranslatedMessage,
  type Translation,
} from '../../../templating/translation.ts';
import { flattenMessages } from './catalogue.ts';
import {
  type LayoutSources,
  localesFor,
  noParts,
  type PartPins,
  pinsKey,
  type TemplateParts,
} from './pins.ts';
import { type CurrentPart, listCurrent, listPinned, type PinnedPart } from './store.ts';

/** The longest time for which a process uses the previous version of a part in Test. */
const currentMs = 1_000;
const keptEnvironments = 10_000;
/** Characters of parts that are kept in memory. */
const keptCharacters = 16_000_000;

/** Reads parts for renderings, mostly from memory. */
export interface PartReader {
  /** The current parts of an environment. The list is the same object until it is read again. */
  current(environmentId: string): Promise<readonly CurrentPart[]>;
  /** Returns the contents for each of the pins; those that are not cached are read in one query. */
  resolveAll(pins: readonly (PartPins | null)[]): Promise<TemplateParts[]>;
  resolve(pins: PartPins | null): Promise<TemplateParts>;
  /** Returns the messages for a canonical locale. Renderings that start together share a query. */
  translation(parts: TemplateParts, locale: string | null, bodyLocale: string | null): Promise<Translation>;
}

type Messages = Record<string, TranslatedMessage>;
type ReadyPart = Omit<LayoutSources, 'key'> | string | Messages;

/** Catalogues that are read with one query. */
const maxCatalogues = 50;
/** An entry of a cache takes about as much memory as this many characters, and so does a message. */
const entrySize = 1_000;
const messageSize = 100;

export function createPartReader(pool: Pool, maxCharacters = keptCharacters): PartReader {
  const known = createCache<Promise<readonly CurrentPart[]>>(keptEnvironments, currentMs);
  const kept = new LRUCache<string, ReadyPart>({ maxSize: maxCharacters });

  async function listReady(ids: string[]): Promise<Map<string, ReadyPart>> {
    const found = new Map<string, ReadyPart>();
    const unknown: string[] = [];
    for (const id of ids) {
      const part = kept.get(id);
      if (part === undefined) unknown.push(id);
      else found.set(id, part);
    }
    if (unknown.length === 0) return found;
    for (const row of await listPinned(pool, unknown)) {
      while (shouldYield()) await yieldToEventLoop();
      const part = readyOf(row);
      kept.set(row.id, part, { size: entrySize + sizeOf(row, part) });
      found.set(row.id, part);
    }
    return found;
  }

  async function resolveAll(pins: readonly (PartPins | null)[]): Promise<TemplateParts[]> {
    const ids = new Set(
      pins.flatMap((each) => (each ? [...Object.values(each.layouts), ...Object.values(each.partials)] : [])),
    );
    const ready = await listReady([...ids]);
    return pins.map((each) => (each ? assemble(each, ready) : noParts));
  }

  const catalogues = createBatcher<string, ReadyPart | undefined>(
    async (ids) => {
      const ready = await listReady([...new Set(ids)]);
      return ids.map((id) => ready.get(id));
    },
    { concurrency: 1, maxItems: maxCatalogues, splitOn: () => false },
  );

  return {
    current(environmentId) {
      return known.get(environmentId) ?? cacheLoad(known, environmentId, listCurrent(pool, environmentId));
    },
    resolveAll,
    resolve: async (pins) => (await resolveAll([pins]))[0] ?? noParts,
    async translation(parts, locale, bodyLocale) {
      const { locales, fallback } = localesFor(parts, locale);
      if (locales.length === 0) return noTranslation;
      const found = await Promise.all(
        locales.map(async (name): Promise<Catalogue> => {
          const id = parts.translations[name];
          if (id === undefined) throw new Error('a locale was chosen that has no translation');
          const messages = kept.get(id) ?? (await catalogues.add(id)) ?? {};
          return { locale: name, messages: messages as Messages };
        }),
      );
      const [first = null] = locales;
      return {
        // A fallback does not change the language of a body that has one.
        locale: first === fallback ? (bodyLocale ?? first) : first,
        catalogues: found,
        fallback: fallback === null ? null : (found.at(-1) ?? null),
      };
    },
  };
}

function readyOf({ content }: PinnedPart): ReadyPart {
  if ('template' in content) return content.template;
  if ('messages' in content) return flattenMessages(content.messages);
  return { html: content.html_compiled ?? content.html_template, text: content.text_template };
}

/** The keys of messages are longer than in their nested form. */
function sizeOf({ content, size }: PinnedPart, part: ReadyPart): number {
  if (!('messages' in content)) return size;
  return Object.entries(part).reduce(
    (sum, [key, message]) => sum + messageSize + key.length + JSON.stringify(message).length,
    0,
  );
}

function assemble(pins: PartPins, ready: Map<string, ReadyPart>): TemplateParts {
  const versions = <Ready>(ids: Record<string, string>): [string, Ready][] =>
    Object.entries(ids).flatMap(([name, id]) => {
      const part = ready.get(id);
      return part === undefined ? [] : [[name, part as Ready]];
    });
  return {
    id: pinsKey(pins),
    layouts: Object.fromEntries(
      versions<Omit<LayoutSources, 'key'>>(pins.layouts).map(([key, sources]) => [key, { key, ...sources }]),
    ),
    default_layouts: pins.default_layouts,
    partials: Object.fromEntries(versions<string>(pins.partials)),
    translations: pins.translations,
    default_locale: pins.default_locale,
  };
}
