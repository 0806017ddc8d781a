import type { ProviderConfig } from '../../channels/contract.ts';
import { emailProviders, type ProviderKind } from '../../channels/registry.ts';
import type { Deps } from '../../deps.ts';
import { openConfig } from './config.ts';
import { getSettings } from './store.ts';

/** A configured provider that may call us. */
export interface CallbackProvider {
  kind: ProviderKind;
  /** The complete configuration, with its secrets decrypted. */
  config: ProviderConfig;
}

/** Resolves to null when the environment has no such provider (any more). */
export type CallbackProviderFinder = (
  environmentId: string,
  providerId: string,
) => Promise<CallbackProvider | null>;

/** The finder for each kind of provider. Disabled providers are found too: they still report about earlier sends. */
export type CallbackProviders = Readonly<Record<string, CallbackProviderFinder>>;

export function emailCallbackProviders({ pool, keyring }: Pick<Deps, 'pool' | 'keyring'>): CallbackProviders {
  const find: CallbackProviderFinder = async (environmentId, providerId) => {
    const { providers } = await getSettings(pool, environmentId);
    const stored = providers.find(({ id }) => id === providerId);
    const kind = stored && emailProviders[stored.kind];
    return kind ? { kind, config: openConfig(keyring, environmentId, kind, stored) } : null;
  };
  const calling = Object.entries(emailProviders).filter(([, { readCallback }]) => readCallback);
  return Object.fromEntries(calling.map(([kind]) => [kind, find]));
}
