import { LRUCache } from 'lru-cache';
import type { Channel } from '../../../channels/contract.ts';
import { type Pool, untilDatabaseAnswers } from '../../../db/sql.ts';
import { createBatcher } from '../../../kernel/batcher.ts';
import { yieldToEventLoop } from '../../../kernel/event-loop.ts';
import { withVendor } from '../../../kernel/vendors.ts';
import { createBudget } from '../../../templating/budget.ts';
import { withinEffort } from '../../../templating/watchdog.ts';
import { HeavyWork } from '../../../threads/effort.ts';
import type { TaskRunner } from '../../../threads/task.ts';
import {
  type CurrentPart,
  createPartReader,
  excessOf,
  type LayoutSources,
  noParts,
  pinsFor,
  pinsKey,
  type TemplateParts,
} from '../parts/index.ts';
import { type BodyFields, canonicalLocale, chooseBody } from './bodies.ts';
import { type InlineSources, inlineBody, inlineContext, inlineKey } from './inline.ts';
import { type CompiledBody, compileBody, type RenderedContent, RenderFailure } from './render.ts';
import { listPinnedVersions } from './store.ts';
import { renderInThread } from './tasks.ts';
import { layoutFor, usesOfBodies } from './uses.ts';

/** A version with its parts, and the bodies that have been compiled with them so far. */
export interface CompiledVersion {
  bodies: BodyFields[];
  parts: TemplateParts;
  compiled: Map<BodyFields, CompiledBody>;
  /** Why its parts were not read: they are too much. */
  excess: string | null;
  /** Null for a version with pinned parts. */
  following: Following | null;
  /** Characters of the bodies. */
  size: number;
}

interface CompiledInline {
  body: BodyFields;
  render: CompiledBody;
}

/** In Test, a version uses the parts that are current when it is rendered. */
interface Following {
  environmentId: string;
  uses: string[];
  /** The list that `parts` was made from. */
  current: readonly CurrentPart[];
}

export interface TemplateRenderer {
  /** Returns versions by id; those that are not cached are read in one query. */
  listVersions(ids: string[]): Promise<Map<string, CompiledVersion>>;
  render(version: CompiledVersion, request: RenderTask): Promise<RenderedContent | RenderFailure>;
  /** Renders the content of a request; `isPart` when other content comes from a template. */
  renderInline(
    sources: InlineSources,
    request: Omit<RenderTask, 'locale'> & { isPart: boolean },
  ): Promise<RenderedContent | RenderFailure>;
}

export interface RenderTask {
  /** The environment, for fairness among environments when a rendering is heavy. */
  owner: string;
  channel: Channel;
  locale: string | null;
  data: object;
}

/** Characters of templates that are kept compiled; in memory they take about ten times that. */
const keptCharacters = 16_000_000;
/** The share of these for the content of requests, which is repeated less often. */
const inlineShare = 1 / 4;
/** Renderings of one tick of the event loop share the cost of the watchdog; after this long, other work runs first. */
const groupSize = 50;
const sliceMs = 10;

export function createTemplateRenderer(
  pool: Pool,
  tasks: TaskRunner,
  maxCharacters = keptCharacters,
): TemplateRenderer {
  const kept = new LRUCache<string, CompiledVersion>({ maxSize: maxCharacters });
  const keptInline = new LRUCache<string, CompiledInline>({
    maxSize: Math.ceil(maxCharacters * inlineShare),
  });
  const reader = createPartReader(pool, maxCharacters);
  const renderings = createBatcher<() => RenderedContent, RenderedContent | RenderFailure | HeavyWork>(
    renderLightly,
    {
      concurrency: 1,
      maxItems: groupSize,
    },
  );

  function keep(id: string, version: CompiledVersion): void {
    // The cache would keep the former size of the same object.
    kept.delete(id);
    kept.set(id, version, { size: version.size + sizeOfParts(version.parts) + 1_000 });
  }

  /** With their parts: the current ones of Test, pinned ones of Live. A constant number of queries for an environment. */
  async function load(ids: string[]): Promise<[id: string, CompiledVersion][]> {
    const rows = await listPinnedVersions(pool, ids);
    const planned = await Promise.all(
      rows.map(async (row) => {
        const uses = row.follows_parts ? usesOfBodies(row.bodies) : [];
        const pinned = row.follows_parts ? null : row.parts;
        if (uses.length === 0) return { pins: pinned, excess: null, following: null };
        const environmentId = row.environment_id;
        const current = await reader.current(environmentId);
        return { ...planFor(current, uses), following: { environmentId, uses, current } };
      }),
    );
    const parts = await reader.resolveAll(planned.map(({ pins }) => pins));
    return rows.map((row, index) => {
      const { following = null, excess = null } = planned[index] ?? {};
      const { id, bodies, size } = row;
      return [id, { bodies, parts: parts[index] ?? noParts, compiled: new Map(), excess, following, size }];
    });
  }

  /** Compiles again when the current parts are others than those of the last rendering. */
  async function follow(id: string, version: CompiledVersion, following: Following): Promise<void> {
    const current = await reader.current(following.environmentId);
    if (current === following.current) return;
    const { pins, excess } = planFor(current, following.uses);
    version.excess = excess;
    if (pinsKey(pins) !== version.parts.id) {
      version.parts = await reader.resolve(pins);
      version.compiled = new Map();
      keep(id, version);
    }
    following.current = current;
  }

  function compileInline(channel: Channel, sources: InlineSources): CompiledInline {
    const key = inlineKey(channel, sources);
    let compiled = keptInline.get(key);
    if (!compiled) {
      const body = inlineBody(channel, sources);
      compiled = { body, render: compileBody(body, inlineContext) };
      keptInline.set(key, compiled, { size: key.length + 1_000 });
    }
    return compiled;
  }

  return {
    async listVersions(ids) {
      const found = new Map<string, CompiledVersion>();
      const unknown = new Set<string>();
      for (const id of ids) {
        const version = kept.get(id);
        if (version) found.set(id, version);
        else unknown.add(id);
      }
      for (const [id, version] of found) if (version.following) await follow(id, version, version.following);
      if (unknown.size > 0) {
        for (const [id, version] of await load([...unknown])) {
          keep(id, version);
          found.set(id, version);
        }
      }
      return found;
    },
    async render(version, { owner, channel, locale, data }) {
      const { bodies, parts, compiled, excess } = version;
      if (excess) return new RenderFailure(excess);
      const body = chooseBody(bodies, channel, locale);
      if (!body) return new RenderFailure(`the template has no body for ${withVendor(channel)}`);
      const layout = layoutOf(parts, bodies, body);
      if (layout instanceof RenderFailure) return layout;
      const translation = await untilDatabaseAnswers(() =>
        reader.translation(parts, locale && canonicalLocale(locale), body.locale),
      );
      const context = { layout, partials: parts.partials, translation };
      const render = compiled.get(body) ?? compileBody(body, context);
      compiled.set(body, render);
      const rendered = await renderings.add(() => render(data, createBudget('light'), { translation }));
      return rendered instanceof HeavyWork ? renderInThread(tasks, owner, { body, data, context }) : rendered;
    },
    async renderInline(sources, { owner, channel, data, isPart: isDraft }) {
      const { body, render } = compileInline(channel, sources);
      const rendered = await renderings.add(() => render(data, createBudget('light'), { isDraft }));
      return rendered instanceof HeavyWork
        ? renderInThread(tasks, owner, { body, data, context: inlineContext, isDraft })
        : rendered;
    },
  };
}

function layoutOf(
  parts: TemplateParts,
  bodies: BodyFields[],
  body: BodyFields,
): LayoutSources | RenderFailure | null {
  try {
    return layoutFor(parts, bodies, body);
  } catch (error) {
    if (error instanceof RenderFailure) return error;
    throw error;
  }
}

function planFor(current: readonly CurrentPart[], uses: string[]) {
  const excess = excessOf(current, uses);
  return { pins: excess ? null : pinsFor(current, uses), excess };
}

/** Compiled templates contain their layouts and partials. */
function sizeOfParts({ layouts, partials }: TemplateParts): number {
  const sources = [
    ...Object.values(layouts).flatMap(({ html, text }) => [html, text]),
    ...Object.values(partials),
  ];
  return sources.reduce((sum, source) => sum + source.length, 0);
}

/**
 * Returns one result per rendering, and yields to the event loop after each slice, so that other work proceeds. HeavyWork marks
 * a rendering that must run in a thread.
 */
export async function renderLightly<Result>(
  renderings: (() => Result)[],
): Promise<(Result | RenderFailure | HeavyWork)[]> {
  const results: (Result | RenderFailure | HeavyWork)[] = [];
  while (results.length < renderings.length) {
    const end = performance.now() + sliceMs;
    try {
      withinEffort('light', () => {
        // After an interruption the loop continues behind the finished renderings, which may be all of them.
        for (const rendering of renderings.slice(results.length)) {
          results.push(attempt(rendering));
          if (performance.now() > end) return;
        }
      });
    } catch (error) {
      if (!(error instanceof HeavyWork)) throw error;
      if (results.length < renderings.length) results.push(error); // slower than its budget predicted
    }
    await yieldToEventLoop();
  }
  return results;
}

function attempt<Result>(rendering: () => Result): Result | RenderFailure | HeavyWork {
  try {
    return rendering();
  } catch (error) {
    if (error instanceof RenderFailure || error instanceof HeavyWork) return error;
    throw error;
  }
}
