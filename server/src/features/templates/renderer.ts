import { LRUCache } from 'lru-cache';
import type { Channel } from '../../channels/contract.ts';
import type { Pool } from '../../db/sql.ts';
import { createBatcher } from '../../kernel/batcher.ts';
import { yieldToEventLoop } from '../../kernel/event-loop.ts';
import { HeavyWork } from '../../kernel/threads/effort.ts';
import type { TaskRunner } from '../../kernel/threads/task.ts';
import { withVendor } from '../../kernel/vendors.ts';
import { createBudget } from '../../templating/budget.ts';
import { withinEffort } from '../../templating/watchdog.ts';
import { type BodyFields, chooseBody } from './bodies.ts';
import { type CompiledBody, compileBody, type RenderedContent, RenderFailure } from './render.ts';
import { listPinnedVersions } from './store.ts';
import { renderInThread } from './tasks.ts';

/** A version with the bodies that have been compiled so far. */
export interface CompiledVersion {
  bodies: BodyFields[];
  size: number;
  compiled: Map<BodyFields, CompiledBody>;
}

export interface TemplateRenderer {
  /** Returns versions by id; those that are not cached are read in one query. */
  listVersions(ids: string[]): Promise<Map<string, CompiledVersion>>;
  render(version: CompiledVersion, request: RenderTask): Promise<RenderedContent | RenderFailure>;
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
/** Renderings of one tick of the event loop share the cost of the watchdog; after this long, other work runs first. */
const groupSize = 50;
const sliceMs = 10;

export function createTemplateRenderer(
  pool: Pool,
  tasks: TaskRunner,
  maxCharacters = keptCharacters,
): TemplateRenderer {
  const kept = new LRUCache<string, CompiledVersion>({
    maxSize: maxCharacters,
    sizeCalculation: ({ size }) => size + 1_000,
  });
  const renderings = createBatcher<() => RenderedContent, RenderedContent | RenderFailure | HeavyWork>(
    renderLightly,
    {
      concurrency: 1,
      maxItems: groupSize,
    },
  );

  return {
    async listVersions(ids) {
      const found = new Map<string, CompiledVersion>();
      const unknown = new Set<string>();
      for (const id of ids) {
        const version = kept.get(id);
        if (version) found.set(id, version);
        else unknown.add(id);
      }
      if (unknown.size > 0) {
        for (const { id, bodies, size } of await listPinnedVersions(pool, [...unknown])) {
          const version = { bodies, size, compiled: new Map<BodyFields, CompiledBody>() };
          kept.set(id, version);
          found.set(id, version);
        }
      }
      return found;
    },
    async render(version, { owner, channel, locale, data }) {
      const body = chooseBody(version.bodies, channel, locale);
      if (!body) return new RenderFailure(`the template has no body for ${withVendor(channel)}`);
      const compiled = version.compiled.get(body) ?? compileBody(body);
      version.compiled.set(body, compiled);
      const rendered = await renderings.add(() => compiled(data, createBudget('light')));
      return rendered instanceof HeavyWork ? renderInThread(tasks, owner, { body, data }) : rendered;
    },
  };
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
