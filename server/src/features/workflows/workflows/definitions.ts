import { LRUCache } from 'lru-cache';
import type { Pool } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { type Definition, parseDefinition } from '../../../engine/index.ts';
import { cacheLoad, createCache } from '../../../kernel/cache.ts';
import { shouldYield, yieldToEventLoop } from '../../../kernel/event-loop.ts';
import { openBody, shownBody } from './sealed-body.ts';
import { findWorkflow, listBodies } from './store.ts';

/** A version as runs use it. A definition is null when a saved body can no longer be parsed. */
interface PinnedVersion {
  workflowKey: string;
  /** The definition with the credentials of its fetch steps. */
  definition: Definition | null;
  /** The definition with masked credentials, for validation, whose messages are shown to users. */
  shownDefinition: Definition | null;
}

/**
 * A cache of parsed bodies. A version never changes, so a cached one is always valid; the engine caches compiled programs by
 * the identity of the definition, so there is only one object for each version.
 */
export interface Definitions {
  /** Returns versions by `nameOf`; those that are not cached are read in one query. */
  load(wanted: { workflowId: string; version: number }[]): Promise<Map<string, PinnedVersion>>;
}

const memoryCharacters = 16_000_000;

export function nameOf(workflowId: string, version: number): string {
  return `${workflowId} ${version}`;
}

export function createDefinitions({ pool, keyring }: Pick<Deps, 'pool' | 'keyring'>): Definitions {
  const known = new LRUCache<string, PinnedVersion & { size: number }>({
    maxSize: memoryCharacters,
    sizeCalculation: ({ size }) => size,
  });

  return {
    async load(wanted) {
      const found = new Map<string, PinnedVersion>();
      const missing = new Map<string, { workflowId: string; version: number }>();
      for (const each of wanted) {
        const name = nameOf(each.workflowId, each.version);
        const pinned = known.get(name);
        if (pinned) found.set(name, pinned);
        else missing.set(name, each);
      }
      if (missing.size === 0) return found;
      for (const row of await listBodies(pool, [...missing.values()])) {
        const name = nameOf(row.workflow_id, row.version);
        while (shouldYield()) await yieldToEventLoop(); // a schema may take a second to compile, and there may be a hundred
        const shown = shownBody(row);
        const definition = definitionIn(openBody(keyring, row));
        const hasSecrets = shown !== row.body || Object.keys(row.secrets_sealed ?? {}).length > 0;
        const pinned = {
          workflowKey: row.key,
          definition,
          shownDefinition: hasSecrets ? definitionIn(JSON.parse(shown)) : definition,
          size: (hasSecrets ? 2 : 1) * row.body.length + 1,
        };
        // Another call may have loaded the version in the meantime: the first object is kept.
        found.set(name, known.get(name) ?? pinned);
        if (!known.has(name)) known.set(name, pinned);
      }
      return found;
    },
  };
}

function definitionIn(body: unknown): Definition | null {
  const parsed = parseDefinition(body);
  return parsed.ok ? parsed.definition : null;
}

/** The version that a trigger starts. */
export interface ActiveVersion {
  workflowId: string;
  version: number;
  definition: Definition;
}

/** Key → active version. Every trigger asks, so most answers come from the cache without a query. */
export interface WorkflowDirectory {
  /** `isRead` skips the cache, for callers that would otherwise refuse a request. */
  findActive(environmentId: string, key: string, isRead?: boolean): Promise<ActiveVersion | null>;
  forget(environmentId: string, key: string): void;
}

/** The lifetime of a cached answer: the longest time for which another process keeps starting the previous version. */
const memoryMs = 1_000;

export function createWorkflowDirectory(pool: Pool, definitions: Definitions): WorkflowDirectory {
  const known = createCache<Promise<ActiveVersion | null>>(10_000, memoryMs);

  async function load(environmentId: string, key: string): Promise<ActiveVersion | null> {
    const workflow = await findWorkflow(pool, environmentId, key);
    if (workflow?.status !== 'active' || workflow.active_version === null) return null;
    const pinned = { workflowId: workflow.id, version: workflow.active_version };
    const definition = (await definitions.load([pinned])).get(
      nameOf(pinned.workflowId, pinned.version),
    )?.definition;
    return definition ? { ...pinned, definition } : null;
  }

  return {
    async findActive(environmentId, key, isRead = false) {
      const name = `${environmentId} ${key}`;
      // A negative answer never comes from the cache: a workflow just activated through another process can be triggered here
      // at once.
      const remembered = isRead ? null : await known.get(name);
      if (remembered) return remembered;
      return cacheLoad(known, name, load(environmentId, key));
    },
    forget(environmentId, key) {
      known.delete(`${environmentId} ${key}`);
    },
  };
}
