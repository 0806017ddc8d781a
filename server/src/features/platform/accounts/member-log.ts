import type { Sql } from '../../../db/sql.ts';
import type { Client } from '../../../http/client.ts';
import { type Actor, type AuditChange, recordAudit } from '../audit/index.ts';
import { listOrganizationIds } from './tenants-store.ts';

export type MemberChange = Omit<AuditChange, 'target'>;

/** The request as the audit log names it. */
export interface RequestContext {
  requestId: string | null;
  client: Client | null;
}

/** The service itself is also the actor of a failed sign-in, because the person is not known. */
export const theService: Pick<Actor, 'kind' | 'id'> = { kind: 'system', id: null };

export function themselves(userId: string): Pick<Actor, 'kind' | 'id'> {
  return { kind: 'user', id: userId };
}

/** A person has one account in all their organizations, so the log of each of them gets the entry. */
export async function recordForMember(
  tx: Sql,
  userId: string,
  actor: Pick<Actor, 'kind' | 'id'>,
  context: RequestContext,
  change: MemberChange,
): Promise<void> {
  for (const organizationId of await listOrganizationIds(tx, userId)) {
    const author = { principal: { ...actor, organizationId, environmentId: null }, ...context };
    await recordAudit(tx, author, { ...change, target: `member:${userId}` });
  }
}
