import { smsProviders } from '../../../../channels/registry.ts';
import type { Config } from '../../../../config.ts';
import type { Deps } from '../../../../deps.ts';
import { callbackUrlFor, type LinkSecrets } from '../../../platform/links/index.ts';
import type { CallbackProviderFinder, CallbackProviders } from '../callback-providers.ts';
import { openProvider } from './provider.ts';
import { findSmsSettings, type StoredSmsProvider } from './store.ts';

/** The URL that a provider of an environment reports to; null when there is none. */
export type SmsCallbackUrl = (
  environmentId: string,
  provider: Pick<StoredSmsProvider, 'id' | 'kind'>,
) => Promise<string | null>;

/** The kind in a callback URL: for a managed provider the kind of the operator's. Null when it makes no callbacks. */
export function callbackKindOf({ CARILLON_MANAGED_SMS_KIND: managed }: Config, kind: string): string | null {
  const called = kind === 'managed' ? managed : kind;
  return called !== null && smsProviders[called]?.readCallback ? called : null;
}

export function createSmsCallbackUrl({
  config,
  publicUrl,
  linkSecrets,
}: Pick<Deps, 'config' | 'publicUrl'> & { linkSecrets: LinkSecrets }): SmsCallbackUrl {
  return async (environmentId, { id, kind: stored }) => {
    const kind = callbackKindOf(config, stored);
    return kind && callbackUrlFor(linkSecrets, publicUrl(), { environmentId, kind, id });
  };
}

/** Reports are not accepted from a provider that was deleted, or replaced by another kind. */
export function smsCallbackProviders(deps: Pick<Deps, 'pool' | 'keyring' | 'config'>): CallbackProviders {
  const find: CallbackProviderFinder = async (environmentId, providerId) => {
    const settings = await findSmsSettings(deps.pool, environmentId);
    const stored = settings?.providers.find(({ id }) => id === providerId);
    return stored ? openProvider(deps, environmentId, stored, null) : null;
  };
  const calling = Object.entries(smsProviders).filter(([, { readCallback }]) => readCallback);
  return Object.fromEntries(calling.map(([kind]) => [kind, find]));
}
