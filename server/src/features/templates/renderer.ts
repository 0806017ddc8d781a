import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Channel } from '../../channels/contract.ts';
import type { Pool } from '../../db/sql.ts';
import { createBatcher } from '../../kernel/batcher.ts';
import { TimeLimitExceeded, within } from '../../kernel/liquid/watchdog.ts';
import { withVendor } from '../../kernel/vendors.ts';
import { type Body, chooseBody } from './bodies.ts';
import { aloneLimitMs, type CompiledBody, compileBody, type Rendered, RenderFailure } from './render.ts';
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
/** For a group, which takes milliseconds; when it ends, whoever is left gets a turn of the event loop and the limit of one alone. */
const groupLimitMs = 100;
const groupSize = 50;

export function createTemplateRenderer(pool: Pool, maxCharacters = keptCharacters): TemplateRenderer {
  const kept = new LRUCache<string, CompiledVersion>({
    maxSize: maxCharacters,
    sizeCalculation: ({ size }) => size + 1_000,
  });

  // Renderings of one turn of the event loop share the price of the watchdog.
  const renderings = createBatcher<() => Rendered, Rendered | RenderFailure>(
    (tasks) => runGuarded(tasks, groupLimitMs, aloneLimitMs),
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
  if (!body) throw new RenderFailure(`the template has no body for ${withVendor(channel)}`);
  const known = compiled.get(body) ?? compileBody(body);
  compiled.set(body, known);
  return known;
}

/**
 * One result per task, after a turn of the event loop, so that other work gets through between groups. When a group takes too long
 * the rest of it goes one by one with a turn before each: nobody is blamed for his neighbours, and the process answers meanwhile.
 */
export async function runGuarded<Result>(
  tasks: (() => Result)[],
  groupMs: number,
  aloneMs: number,
): Promise<(Result | RenderFailure)[]> {
  const results: (Result | RenderFailure)[] = [];
  const isDone = finishes(groupMs, () => {
    for (const task of tasks.slice(results.length)) results.push(attempt(task));
  });
  await setImmediate();
  if (isDone) return results;
  for (const task of tasks.slice(results.length)) {
    if (!finishes(aloneMs, () => results.push(attempt(task))))
      results.push(new RenderFailure(new TimeLimitExceeded().message));
    await setImmediate();
  }
  return results;
}

function finishes(limitMs: number, work: () => void): boolean {
  try {
    within(limitMs, work);
    return true;
  } catch (error) {
    if (error instanceof TimeLimitExceeded) return false;
    throw error;
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
