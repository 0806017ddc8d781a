import type { SealedColumn } from './db/reseal.ts';
import { deviceSealedColumns } from './features/delivery/push/index.ts';
import { inboxSealedColumns } from './features/inbox/index.ts';
import { linkSealedColumns } from './features/platform/links/index.ts';
import { connectionSealedColumns } from './features/providers/connections/index.ts';
import { webhookSealedColumns } from './features/webhooks/index.ts';
import { workflowSealedColumns } from './features/workflows/workflows/index.ts';

/**
 * Table: the columns with sealed values. A column that is missing here would need its old key indefinitely (npm start --
 * --rotate-secrets).
 */
export const sealedColumns: readonly SealedColumn[] = [
  ...connectionSealedColumns,
  ...webhookSealedColumns,
  ...inboxSealedColumns,
  ...deviceSealedColumns,
  ...linkSealedColumns,
  ...workflowSealedColumns,
];
