import { smsProviders } from '../../../channels/registry.ts';
import type { Deps } from '../../../deps.ts';
import { callbackUrlFor, type LinkSecrets } from '../../links/index.ts';
import type { CallbackProviderFinder, CallbackProviders } from '../callback-providers.ts';
import { openProvider } from './provider.ts';
import { findSmsSettings, type SmsSettings } from './store.ts';

/** The URL that the provider of these settings reports to; null when there is none. */
export type SmsCallbackUrl = (settings: SmsSettings) => Promise<string | null>;

export function createSmsCallbackUrl({
  config,
  publicUrl,
  linkSecrets,
}: Pick<Deps, 'config' | 'publicUrl'> & { linkSecrets: LinkSecrets }): SmsCallbackUrl {
  return async ({ environment_id: environmentId, id, kind }) => {
    const provider = kind === 'managed' ? config.CARILLON_MANAGED_SMS_KIND : kind;
    return provider && callbackUrlFor(linkSecrets, publicUrl(), { environmentId, kind: provider, id });
  };
}

/** Reports are not accepted from a provider that was deleted, or replaced by another kind. */
export function smsCallbackProviders({
  pool,
  keyring,
  config,
}: Pick<Deps, 'pool' | 'keyring' | 'config'>): CallbackProviders {
  const find: CallbackProviderFinder = async (environmentId, providerId) => {
    const settings = await findSmsSettings(pool, environmentId);
    return settings?.id === providerId ? openProvider(keyring, config, settings, null) : null;
  };
  return Object.fromEntries(Object.keys(smsProviders).map((kind) => [kind, find]));
}
