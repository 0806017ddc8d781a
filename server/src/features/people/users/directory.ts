import { isDatabaseUnavailable } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { createBatcher } from '../../../kernel/batcher.ts';
import { listUsers, type UserRow } from './store.ts';

/** Stored users for the accept path. They are never cached: a user stored or erased a moment ago counts. */
export interface UserDirectory {
  findUser(environmentId: string, externalUserId: string): Promise<UserRow | null>;
}

/** Requests that arrive while a query is running go into the next one, so a batch of 500 costs one or two queries. */
export function createUserDirectory({ pool }: Pick<Deps, 'pool'>): UserDirectory {
  const loads = createBatcher<{ environmentId: string; externalUserId: string }, UserRow | null>(
    async (wanted) => {
      const found = new Map(
        (await listUsers(pool, wanted)).map((row) => [`${row.environment_id} ${row.external_user_id}`, row]),
      );
      return wanted.map(
        ({ environmentId, externalUserId }) => found.get(`${environmentId} ${externalUserId}`) ?? null,
      );
    },
    { concurrency: 2, maxItems: 500, splitOn: (error) => !isDatabaseUnavailable(error) },
  );
  return {
    findUser: (environmentId, externalUserId) => loads.add({ environmentId, externalUserId }),
  };
}
