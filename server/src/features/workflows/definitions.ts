import { LRUCache } from 'lru-cache';
import type { Pool } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import { type Definition, parseDefinition } from '../../engine/index.ts';
import { createCache } from '../../kernel/cache.ts';
import { isLoopHeld, yieldToEventLoop } from '../../kernel/event-loop.ts';
import { openBody, shownBody } from './sealed-body.ts';
import { findWorkflow, listBodies } from './store.ts';

/** A version as runs use it. A definition is null when a body that was saved once cannot be read any more. */
export interface PinnedVersion {
  workflowKey: string;
  /** With the credentials of its fetch steps. */
  definition: Definition | null;
  /** With masks in their place, for validation: people read what it says about them. */
  shownDefinition: Definition | null;
}

/**
 * Parsed bodies. A version never changes, so what is remembered is always true; the engine remembers what it compiled by the
 * identity of the definition, so there is one of each.
 */
export interface Definitions {
  /** By `nameOf`; in one query for those that are not in memory. */
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
        while (isLoopHeld()) await yieldToEventLoop(); // a schema may take a second to compile, and there may be a hundred
        const shown = shownBody(row);
        const definition = definitionIn(openBody(keyring, row));
        const hasSecrets = shown !== row.body || Object.keys(row.secrets_sealed ?? {}).length > 0;
        const pinned = {
          workflowKey: row.key,
          definition,
          shownDefinition: hasSecrets ? definitionIn(JSON.parse(shown)) : definition,
          size: (hasSecrets ? 2 : 1) * row.body.length + 1,
        };
        // Somebody else may have loaded it meanwhile: the first one stays.
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

/** What a trigger starts. */
export interface ActiveVersion {
  workflowId: string;
  version: number;
  definition: Definition;
}

/** Key → active version, on the way of every trigger, so without a query most of the time. */
export interface WorkflowDirectory {
  /** `isRead`: from the database, not from memory; for callers that would otherwise refuse. */
  findActive(environmentId: string, key: string, isRead?: boolean): Promise<ActiveVersion | null>;
  forget(environmentId: string, key: string): void;
}

/** How long an answer is believed: the longest that another process goes on starting the version before. */
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
      // A no is never given from memory: whoever just activated it elsewhere may trigger it here.
      const remembered = isRead ? null : await known.get(name);
      if (remembered) return remembered;
      const loading = load(environmentId, key);
      known.set(name, loading);
      loading.catch(() => {
        if (known.peek(name) === loading) known.delete(name);
      });
      return loading;
    },
    forget(environmentId, key) {
      known.delete(`${environmentId} ${key}`);
    },
  };
}
