import { newSigningSecret } from '../../channels/webhook/index.ts';
import type { SealedColumn } from '../../db/reseal.ts';
import { endpointContext, environmentContext, type StoredSecret } from './secrets.ts';

function secretsIn(table: string, key: string, contextOf: (id: string) => string): SealedColumn {
  return {
    table,
    key,
    column: 'secrets',
    type: 'jsonb',
    remake: newSigningSecret,
    reseal: (secrets: StoredSecret[], row, again) =>
      secrets.map((secret) => ({ ...secret, sealed: again(secret.sealed, contextOf(row[key] ?? '')) })),
  };
}

export const webhookSealedColumns = [
  secretsIn('webhook_endpoints', 'id', endpointContext),
  secretsIn('webhook_environment_secrets', 'environment_id', environmentContext),
];
