import { LRUCache } from 'lru-cache';
import type { Pool } from '../../db/sql.ts';
import { createCache } from '../../kernel/cache.ts';
import { isLoopHeld, yieldToEventLoop } from '../../kernel/event-loop.ts';
import type { TranslatedMessage } from '../../templating/translation.ts';
import { flattenMessages } from './catalogue.ts';
import {
  type LayoutSources,
  noParts,
  type PartPins,
  pinnedIds,
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
}

type ReadyPart = Omit<LayoutSources, 'key'> | string | Record<string, TranslatedMessage>;

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
      while (isLoopHeld()) await yieldToEventLoop();
      const part = readyOf(row);
      kept.set(row.id, part, { size: row.size + 1_000 });
      found.set(row.id, part);
    }
    return found;
  }

  async function resolveAll(pins: readonly (PartPins | null)[]): Promise<TemplateParts[]> {
    const ids = new Set(pins.flatMap((each) => (each ? pinnedIds(each) : [])));
    const ready = await listReady([...ids]);
    return pins.map((each) => (each ? assemble(each, ready) : noParts));
  }

  return {
    current(environmentId) {
      const cached = known.get(environmentId);
      if (cached) return cached;
      const loading = listCurrent(pool, environmentId);
      known.set(environmentId, loading);
      loading.catch(() => {
        if (known.peek(environmentId) === loading) known.delete(environmentId);
      });
      return loading;
    },
    resolveAll,
    resolve: async (pins) => (await resolveAll([pins]))[0] ?? noParts,
  };
}

function readyOf({ content }: PinnedPart): ReadyPart {
  if ('template' in content) return content.template;
  if ('messages' in content) return flattenMessages(content.messages);
  return { html: content.html_compiled ?? content.html_template, text: content.text_template };
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
    catalogues: Object.fromEntries(versions<Record<string, TranslatedMessage>>(pins.translations)),
    default_locale: pins.default_locale,
  };
}
