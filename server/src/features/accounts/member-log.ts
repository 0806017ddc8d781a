import type { Sql } from '../../db/sql.ts';
import type { Client } from '../../http/client.ts';
import { type Actor, recordAudit } from '../audit/index.ts';
import { listOrganizationIds } from './tenants-store.ts';

export interface MemberEntry {
  action: string;
  before?: object;
  after?: object;
}

/** How a request is named in the log. */
export interface RequestContext {
  requestId: string | null;
  client: Client | null;
}

/** The service itself: also for a failed sign-in, because it is not known who tried. */
export const theService: Pick<Actor, 'kind' | 'id'> = { kind: 'system', id: null };

export function themselves(userId: string): Pick<Actor, 'kind' | 'id'> {
  return { kind: 'user', id: userId };
}

/** A person is one in all their organizations, so the log of each of these has the entry. */
export async function recordForMember(
  tx: Sql,
  userId: string,
  actor: Pick<Actor, 'kind' | 'id'>,
  { requestId, client }: RequestContext,
  { action, before, after }: MemberEntry,
): Promise<void> {
  for (const organizationId of await listOrganizationIds(tx, userId)) {
    await recordAudit(tx, {
      principal: { ...actor, organizationId, environmentId: null },
      requestId,
      client,
      action,
      target: `member:${userId}`,
      before: before ?? null,
      after: after ?? null,
    });
  }
}
