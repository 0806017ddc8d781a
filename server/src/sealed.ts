import type { SealedPlace } from './db/reseal.ts';
import { connectionSealedPlaces } from './features/connections/index.ts';
import { inboxSealedPlaces } from './features/inbox/index.ts';
import { linkSealedPlaces } from './features/links/index.ts';
import { webhookSealedPlaces } from './features/webhooks/index.ts';
import { workflowSealedPlaces } from './features/workflows/index.ts';

/** Table: where sealed values are kept. What is not here keeps its old key alive for ever (npm start -- --rotate-secrets). */
export const sealedPlaces: readonly SealedPlace[] = [
  ...connectionSealedPlaces,
  ...webhookSealedPlaces,
  ...inboxSealedPlaces,
  ...linkSealedPlaces,
  ...workflowSealedPlaces,
];
