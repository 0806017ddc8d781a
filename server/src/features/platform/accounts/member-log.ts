import { type Sql, transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import type { Client } from '../../../http/principal.ts';
import { type Actor, type AuditChange, recordAudit } from '../audit/index.ts';
import { listOrganizationIds } from './team-store.ts';
import { type Failures, waitsBegunBy } from './throttle.ts';

type MemberChange = Omit<AuditChange, 'target'>;

/** The request as the audit log names it. */
export interface RequestContext {
  requestId: string | null;
  client: Client | null;
}

/** The service itself is also the actor of a failed sign-in, because the person is not known. */
export const serviceActor: Pick<Actor, 'kind' | 'id'> = { kind: 'system', id: null };

export function personActor(userId: string): Pick<Actor, 'kind' | 'id'> {
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

/**
 * Records a failed sign-in. The caller does not await it: an email without an account has nothing to write, and a slower answer
 * for the others would reveal which accounts exist.
 */
export function recordFailedSignIn(
  { pool, log }: Pick<Deps, 'pool' | 'log'>,
  userId: string | undefined,
  failures: Failures,
  context: RequestContext,
): void {
  if (waitsBegunBy(failures).includes('network')) {
    log.warn({ request_id: context.requestId }, 'throttling a network after many failed sign-ins');
  }
  const entries = userId === undefined ? [] : entriesOf(failures);
  if (!userId || entries.length === 0) return;
  transaction(pool, async (tx) => {
    for (const entry of entries) await recordForMember(tx, userId, serviceActor, context, entry);
  }).catch((error) => log.warn({ err: error }, 'failed to write a failed sign-in to the audit log'));
}

function entriesOf(failures: Failures): MemberChange[] {
  const count = failures.device ?? failures.account ?? 0;
  const begun = waitsBegunBy(failures).filter((kind) => kind !== 'network');
  return [
    ...(isNoteworthy(count) ? [{ action: 'member.sign_in_failed', after: { failures: count } }] : []),
    ...(begun.length > 0
      ? [{ action: 'member.sign_in_throttled', after: { failures: count, by: begun } }]
      : []),
  ];
}

/** The first ten of an hour are recorded, then ever fewer: guesses must not bury everything else in the log. */
export function isNoteworthy(count: number): boolean {
  return count <= 10 || Number.isInteger(Math.log2(count));
}
