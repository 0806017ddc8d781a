import type { EndpointChannel } from '../../../channels/spec.ts';
import { isDatabaseUnavailable } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { createBatcher } from '../../../kernel/batcher.ts';
import { listNamedInstallations } from './chatone/store.ts';
import { listNamedEndpoints } from './endpoints/store.ts';

/** A chat connection as the accept path needs it. Never cached: one that was created or deleted a moment ago counts. */
export interface ChatDirectory {
  findChatEndpoint(
    environmentId: string,
    channel: EndpointChannel,
    name: string,
  ): Promise<{ id: string; key: string } | null>;
  findInstallation(environmentId: string, name: string | null): Promise<{ id: string; key: null } | null>;
}

/** Requests that arrive while a query is running go into the next one. */
const batching = {
  concurrency: 2,
  maxItems: 500,
  splitOn: (error: unknown) => !isDatabaseUnavailable(error),
};

export function createChatDirectory({ pool }: Pick<Deps, 'pool'>): ChatDirectory {
  const endpoints = createBatcher(
    async (wanted: { environment_id: string; channel: EndpointChannel; name: string }[]) => {
      const nameOf = (one: (typeof wanted)[number]) => `${one.environment_id} ${one.channel} ${one.name}`;
      const found = new Map((await listNamedEndpoints(pool, wanted)).map((row) => [nameOf(row), row]));
      return wanted.map((one) => found.get(nameOf(one)) ?? null);
    },
    batching,
  );
  const installations = createBatcher(
    (wanted: { environment_id: string; name: string | null }[]) => listNamedInstallations(pool, wanted),
    batching,
  );
  return {
    async findChatEndpoint(environmentId, channel, name) {
      const row = await endpoints.add({ environment_id: environmentId, channel, name });
      return row && { id: row.id, key: row.key };
    },
    async findInstallation(environmentId, name) {
      const id = await installations.add({ environment_id: environmentId, name });
      return id === null ? null : { id, key: null };
    },
  };
}
