import type { ProviderConfig } from '../../../channels/contract.ts';
import { emailProviders, type ProviderKind } from '../../../channels/registry.ts';
import type { Deps } from '../../../deps.ts';
import { getSettings } from './email/store.ts';
import { openConfig } from './provider-config.ts';

/** A configured provider that may call us. */
interface CallbackProvider {
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

/** Joins the finders of several channels. A kind of several channels is searched in each of them. */
export function joinCallbackProviders(all: readonly CallbackProviders[]): CallbackProviders {
  const kinds = new Set(all.flatMap((providers) => Object.keys(providers)));
  const finderOf = (kind: string): CallbackProviderFinder => {
    const finders = all.flatMap((providers) => providers[kind] ?? []);
    return async (environmentId, providerId) => {
      for (const find of finders) {
        const found = await find(environmentId, providerId);
        if (found) return found;
      }
      return null;
    };
  };
  return Object.fromEntries([...kinds].map((kind) => [kind, finderOf(kind)]));
}

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
