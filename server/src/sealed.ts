import type { SealedColumn } from './db/reseal.ts';
import { connectionSealedColumns } from './features/connections/index.ts';
import { inboxSealedColumns } from './features/inbox/index.ts';
import { linkSealedColumns } from './features/links/index.ts';
import { webhookSealedColumns } from './features/webhooks/index.ts';
import { workflowSealedColumns } from './features/workflows/index.ts';

/** Table: where sealed values are kept. What is not here keeps its old key alive for ever (npm start -- --rotate-secrets). */
export const sealedColumns: readonly SealedColumn[] = [
  ...connectionSealedColumns,
  ...webhookSealedColumns,
  ...inboxSealedColumns,
  ...linkSealedColumns,
  ...workflowSealedColumns,
];
