import type { Channel } from '../../../channels/contract.ts';
import type { Pool } from '../../../db/sql.ts';
import { cacheLoad, createCache } from '../../../kernel/cache.ts';
import { findCurrentVersion } from './store.ts';

/** The lifetime of a cached answer: the longest time for which another process keeps pinning the previous version. */
const cacheMs = 1_000;
const cacheSize = 10_000;

interface CurrentVersion {
  versionId: string;
  channels: ReadonlySet<Channel>;
}

/** Key → version to pin. Every send with a template asks, so most answers come from the cache without a query. */
export interface TemplateDirectory {
  find(environmentId: string, key: string, channel: Channel): Promise<CurrentVersion | null>;
  forget(environmentId: string, key: string): void;
}

export function createTemplateDirectory(pool: Pool): TemplateDirectory {
  const known = createCache<Promise<CurrentVersion | null>>(cacheSize, cacheMs);
  const nameOf = (environmentId: string, key: string): string => `${environmentId} ${key}`;

  async function load(environmentId: string, key: string): Promise<CurrentVersion | null> {
    const row = await findCurrentVersion(pool, environmentId, key);
    return row && { versionId: row.id, channels: new Set(row.channels) };
  }

  return {
    async find(environmentId, key, channel) {
      const name = nameOf(environmentId, key);
      const cached = known.get(name);
      if (cached) {
        const version = await cached;
        // A negative answer never comes from the cache: a template just saved through another process is usable here at once.
        if (version?.channels.has(channel)) return version;
      }
      return cacheLoad(known, name, load(environmentId, key));
    },
    forget(environmentId, key) {
      known.delete(nameOf(environmentId, key));
    },
  };
}
