import { newSigningSecret } from '../../channels/webhook/index.ts';
import { type SealedColumn, sealedText } from '../../db/reseal.ts';
import type { Deps } from '../../deps.ts';
import type { Keyring } from '../../kernel/crypto.ts';
import { listUnsealedUrls, type StoredUrl, sealStoredUrl } from './endpoints-store.ts';
import { endpointContext, environmentContext, type StoredSecret } from './secrets.ts';

function secretsIn(table: string, key: string, contextOf: (id: string) => string): SealedColumn {
  return {
    table,
    key,
    column: 'secrets',
    type: 'jsonb',
    remake: newSigningSecret,
    reseal(secrets: StoredSecret[], row, again) {
      const id = row[key];
      if (id === undefined) throw new Error(`a row of ${table} came without its ${key}`);
      return secrets.map((secret) => ({ ...secret, sealed: again(secret.sealed, contextOf(id)) }));
    },
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

/** Shown and, after the loss of the key, used in place of a query. */
const maskedQuery = '?••••';

/** Not the context of the signing secrets: one sealed value must not open in the place of the other. */
const queryContext = (endpointId: string): string => `webhook_endpoint_query:${endpointId}`;

/** The query of a webhook URL often holds a token, so it is stored sealed; the rest of the URL can be read. */
export function sealUrl(keyring: Keyring, endpointId: string, text: string): StoredUrl {
  const { url, query } = split(text);
  return { url, sealed_query: query === '' ? null : keyring.seal(query, queryContext(endpointId)) };
}

export function openUrl(keyring: Keyring, { id, url, sealed_query }: StoredUrl & { id: string }): string {
  return sealed_query === null ? url : url + keyring.open(sealed_query, queryContext(id));
}

/** For the audit log and for events, which others than the owner of the endpoint read. */
export function maskedUrl({ url: text, sealed_query }: StoredUrl): string {
  const { url, query } = split(text);
  return sealed_query === null && query === '' ? url : url + maskedQuery;
}

/** The fragment, if any, stays with the query: the whole text comes back as it was given. */
function split(text: string): { url: string; query: string } {
  const at = text.indexOf('?');
  return at < 0 ? { url: text, query: '' } : { url: text.slice(0, at), query: text.slice(at) };
}

const batch = 100;

/** Seals the URLs that earlier releases have stored. Processes may run this concurrently. */
export async function sealSavedUrls(
  { pool, keyring }: Pick<Deps, 'pool' | 'keyring'>,
  isStopped: () => boolean,
): Promise<void> {
  for (;;) {
    const rows = await listUnsealedUrls(pool, batch);
    for (const { id, url } of rows) {
      if (isStopped()) return;
      await sealStoredUrl(pool, id, url, sealUrl(keyring, id, url));
    }
    if (rows.length < batch) return;
  }
}
