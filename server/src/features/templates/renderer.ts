import { LRUCache } from 'lru-cache';
import type { Channel } from '../../channels/contract.ts';
import type { Pool } from '../../db/sql.ts';
import { createBatcher } from '../../kernel/batcher.ts';
import { TimeLimitExceeded, within } from '../../kernel/liquid/watchdog.ts';
import { type Body, chooseBody } from './bodies.ts';
import { type CompiledBody, compileBody, type Rendered, RenderFailure } from './render.ts';
import { listPinnedVersions } from './store.ts';

/** A version with the bodies that were compiled so far. */
export interface CompiledVersion {
  bodies: Body[];
  size: number;
  compiled: Map<Body, CompiledBody>;
}

export interface TemplateRenderer {
  /** By id; what is not in memory is read in one query. */
  listVersions(ids: string[]): Promise<Map<string, CompiledVersion>>;
  render(version: CompiledVersion, request: RenderTask): Promise<Rendered | RenderFailure>;
}

export interface RenderTask {
  channel: Channel;
  locale: string | null;
  data: object;
}

/** Characters of templates that are kept compiled; in memory they take about ten times that. */
const keptCharacters = 16_000_000;
/** For a group, which takes milliseconds; whoever is being rendered when it ends gets as much alone. */
const groupLimitMs = 2_000;
const groupSize = 50;

export function createTemplateRenderer(pool: Pool, maxCharacters = keptCharacters): TemplateRenderer {
  const kept = new LRUCache<string, CompiledVersion>({
    maxSize: maxCharacters,
    sizeCalculation: ({ size }) => size + 1_000,
  });

  // Renderings of one turn of the event loop share the price of the watchdog.
  const renderings = createBatcher<() => Rendered, Rendered | RenderFailure>(
    async (tasks) => runGuarded(tasks, groupLimitMs),
    { concurrency: 1, maxItems: groupSize },
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
          const version = { bodies, size, compiled: new Map<Body, CompiledBody>() };
          kept.set(id, version);
          found.set(id, version);
        }
      }
      return found;
    },
    render: (version, task) => renderings.add(() => bodyOf(version, task)(task.data)),
  };
}

function bodyOf({ bodies, compiled }: CompiledVersion, { channel, locale }: RenderTask): CompiledBody {
  const body = chooseBody(bodies, channel, locale);
  if (!body) throw new RenderFailure(`the template has no body for ${channel}`);
  const known = compiled.get(body) ?? compileBody(body);
  compiled.set(body, known);
  return known;
}

/** One result per task. A task that takes all the time is run alone, so that it cannot be blamed for its neighbours. */
export function runGuarded<Result>(tasks: (() => Result)[], limitMs: number): (Result | RenderFailure)[] {
  const results: (Result | RenderFailure)[] = [];
  try {
    within(limitMs, () => {
      for (const task of tasks) results.push(attempt(task));
    });
    return results;
  } catch (error) {
    if (!(error instanceof TimeLimitExceeded)) throw error;
    if (tasks.length === 1) return [new RenderFailure(error.message)];
    const slow = results.length;
    return [
      ...results,
      ...runGuarded(tasks.slice(slow, slow + 1), limitMs),
      ...runGuarded(tasks.slice(slow + 1), limitMs),
    ];
  }
}

function attempt<Result>(task: () => Result): Result | RenderFailure {
  try {
    return task();
  } catch (error) {
    if (error instanceof RenderFailure) return error;
    throw error;
  }
}
