import { emailProviders } from '../../../../channels/registry.ts';
import type { Deps } from '../../../../deps.ts';
import type { CallbackProviderFinder, CallbackProviders } from '../callback-providers.ts';
import { openConfig } from '../provider-config.ts';
import { getSettings } from './store.ts';

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
