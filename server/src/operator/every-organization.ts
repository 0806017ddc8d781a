import type { Sql } from '../db/sql.ts';
import { listEveryOrganizationId } from '../features/platform/accounts/index.ts';
import { type AuditChange, recordAudit, serviceAuthor } from '../features/platform/audit/index.ts';

/** Records an operator's action on the installation in the audit log of every organization. */
export async function recordEverywhere(tx: Sql, change: AuditChange): Promise<void> {
  for (const organizationId of await listEveryOrganizationId(tx)) {
    await recordAudit(tx, serviceAuthor(organizationId), change);
  }
}
