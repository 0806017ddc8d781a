import type { SealedColumn } from './db/reseal.ts';
import { connectionSealedColumns } from './features/connections/index.ts';
import { inboxSealedColumns } from './features/inbox/index.ts';
import { linkSealedColumns } from './features/links/index.ts';
import { deviceSealedColumns } from './features/push/index.ts';
import { webhookSealedColumns } from './features/webhooks/index.ts';
import { workflowSealedColumns } from './features/workflows/index.ts';

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
