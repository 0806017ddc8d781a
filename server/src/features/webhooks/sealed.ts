import { newSigningSecret } from '../../channels/webhook/index.ts';
import { type SealedColumn, sealedText } from '../../db/reseal.ts';
import { maskedQuery, queryContext } from './endpoint-url.ts';
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
  // Without its key, the owner sees the mask in the URL and can set it again.
  sealedText(
    { table: 'webhook_endpoints', column: 'sealed_query', key: 'id', remake: () => maskedQuery },
    ({ id = '' }) => queryContext(id),
  ),
  secretsIn('webhook_environment_secrets', 'environment_id', environmentContext),
];
