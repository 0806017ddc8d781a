import type { Channel } from '../../channels/contract.ts';
import type { Pool } from '../../db/sql.ts';
import { createCache } from '../../kernel/cache.ts';
import { findCurrentVersion } from './store.ts';

/** How long an answer is believed: the longest that another process goes on pinning the version before. */
const memoryMs = 1_000;
const memorySize = 10_000;

export interface CurrentVersion {
  versionId: string;
  channels: ReadonlySet<Channel>;
}

/** Key → version to pin, on the way of every send with a template, so without a query most of the time. */
export interface TemplateDirectory {
  find(environmentId: string, key: string, channel: Channel): Promise<CurrentVersion | null>;
  forget(environmentId: string, key: string): void;
}

export function createTemplateDirectory(pool: Pool): TemplateDirectory {
  const known = createCache<Promise<CurrentVersion | null>>(memorySize, memoryMs);
  const nameOf = (environmentId: string, key: string): string => `${environmentId} ${key}`;

  async function load(environmentId: string, key: string): Promise<CurrentVersion | null> {
    const row = await findCurrentVersion(pool, environmentId, key);
    return row && { versionId: row.id, channels: new Set(row.channels) };
  }

  return {
    async find(environmentId, key, channel) {
      const name = nameOf(environmentId, key);
      const remembered = known.get(name);
      if (remembered) {
        const version = await remembered;
        // A no is never given from memory: whoever just saved the template elsewhere may use it here.
        if (version?.channels.has(channel)) return version;
      }
      const loading = load(environmentId, key);
      known.set(name, loading);
      loading.catch(() => {
        if (known.peek(name) === loading) known.delete(name);
      });
      return loading;
    },
    forget(environmentId, key) {
      known.delete(nameOf(environmentId, key));
    },
  };
}
