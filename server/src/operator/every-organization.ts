import type { Sql } from '../db/sql.ts';
import { listEveryOrganizationId } from '../features/platform/accounts/index.ts';
import { type AuditEntry, recordAudit } from '../features/platform/audit/index.ts';

/** Records an operator's action on the installation in the audit log of every organization. */
export async function recordEverywhere(
  tx: Sql,
  entry: Pick<AuditEntry, 'action' | 'target' | 'before' | 'after'>,
): Promise<void> {
  for (const organizationId of await listEveryOrganizationId(tx)) {
    await recordAudit(tx, {
      principal: { kind: 'system', id: null, organizationId, environmentId: null },
      requestId: null,
      ...entry,
    });
  }
}
