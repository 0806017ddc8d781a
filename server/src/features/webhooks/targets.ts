import type { WebhookTarget, WebhookTargets } from '../../channels/webhook/plan.ts';
import type { Deps } from '../../deps.ts';
import { isUuid } from '../../kernel/ids.ts';
import { openUrl } from './endpoint-url.ts';
import { findEndpoint, listEndpointsById } from './endpoints-store.ts';
import { defaultTimeoutSeconds } from './schema.ts';
import {
  endpointContext,
  environmentContext,
  insertEnvironmentSecrets,
  issueSecret,
  listEnvironmentSecrets,
  type OpenSecrets,
} from './secrets.ts';

export function createWebhookTargets({
  pool,
  keyring,
  clock,
  openWebhookSecrets: openSecrets,
}: Pick<Deps, 'pool' | 'keyring' | 'clock'> & { openWebhookSecrets: OpenSecrets }): WebhookTargets {
  /** The secret of an environment is created when it is first needed, and shown when it is first rotated. */
  async function environmentSecrets(ids: string[]): Promise<Map<string, string[]>> {
    if (ids.length === 0) return new Map();
    let stored = await listEnvironmentSecrets(pool, ids);
    const missing = ids.filter((id) => !stored.get(id)?.length);
    if (missing.length > 0) {
      for (const id of missing)
        await insertEnvironmentSecrets(
          pool,
          id,
          issueSecret(keyring, environmentContext(id), [], clock()).stored,
        );
      stored = await listEnvironmentSecrets(pool, ids);
    }
    return new Map(
      [...stored].map(([id, secrets]) => [id, openSecrets(environmentContext(id), secrets, clock())]),
    );
  }

  return {
    async targetsOf(addressees) {
      const isEndpoint = (address: string | null): address is string => address !== null && isUuid(address);
      const toEndpoints = addressees.filter(({ address }) => isEndpoint(address));
      const toUrls = addressees.filter(({ address }) => !isEndpoint(address));
      const ids = addressees.flatMap(({ address }) => (isEndpoint(address) ? address : []));
      const endpoints = ids.length > 0 ? await listEndpointsById(pool, ids) : [];
      const secrets = await environmentSecrets([...new Set(toUrls.map((to) => to.environment_id))]);
      const targets = new Map<string, WebhookTarget>();
      for (const { id, environment_id, address } of toEndpoints) {
        const endpoint = endpoints.find((row) => row.id === address && row.environment_id === environment_id);
        if (!endpoint) continue;
        targets.set(id, {
          url: openUrl(keyring, endpoint),
          secrets: openSecrets(endpointContext(endpoint.id), endpoint.secrets, clock()),
          timeoutMs: endpoint.timeout_seconds * 1000,
          concurrencyKey: endpoint.id,
        });
      }
      for (const { id, environment_id, address } of toUrls) {
        if (!address || !URL.canParse(address)) continue;
        targets.set(id, {
          url: address,
          secrets: secrets.get(environment_id) ?? [],
          timeoutMs: defaultTimeoutSeconds * 1000,
          concurrencyKey: `${environment_id} ${new URL(address).origin}`,
        });
      }
      return targets;
    },
  };
}

/** For the check of a send: whether the endpoint exists, and whether it accepts calls. */
export interface WebhookDirectory {
  findWebhookEndpoint(environmentId: string, id: string): Promise<{ isDisabled: boolean } | null>;
}

export function createWebhookDirectory({ pool }: Pick<Deps, 'pool'>): WebhookDirectory {
  return {
    async findWebhookEndpoint(environmentId, id) {
      const row = isUuid(id) ? await findEndpoint(pool, environmentId, id) : null;
      return row && { isDisabled: row.status === 'disabled' };
    },
  };
}
