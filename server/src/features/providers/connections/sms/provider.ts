import type { ProviderConfig } from '../../../../channels/contract.ts';
import { type ProviderKind, smsProviders } from '../../../../channels/registry.ts';
import type { SenderChoice } from '../../../../channels/sms/plan.ts';
import type { Config } from '../../../../config.ts';
import type { Deps } from '../../../../deps.ts';
import type { Keyring } from '../../../../kernel/crypto.ts';
import { callbackUrlFor, type LinkSecrets } from '../../../platform/links/index.ts';
import type { CallbackProviderFinder, CallbackProviders } from '../callback-providers.ts';
import { openConfig } from '../provider-config.ts';
import { findSmsSettings, type StoredSmsProvider } from './store.ts';

/** An SMS provider with everything it needs, from the settings or the operator. */
interface SmsProvider extends SenderChoice {
  kind: ProviderKind;
  config: ProviderConfig;
}

/** Adds the URLs that settings do not hold: the API of the provider, where the operator sets it, and our callback. */
function withUrls(
  name: string,
  config: ProviderConfig,
  settings: Config,
  callbackUrl: string | null,
): ProviderConfig {
  const apiUrls: Record<string, string | null> = {
    smsone: settings.CARILLON_SMSONE_API_URL,
    smstwo: settings.CARILLON_SMSTWO_API_URL,
  };
  return { ...config, api_url: apiUrls[name] ?? null, callback_url: callbackUrl };
}

/** The operator's own provider; null when there is none. */
export function managedProvider(settings: Config, callbackUrl: string | null): SmsProvider | null {
  const {
    CARILLON_MANAGED_SMS_KIND: name,
    CARILLON_MANAGED_SMS_ACCOUNT: account,
    CARILLON_MANAGED_SMS_SECRET: secret,
    CARILLON_MANAGED_SMS_FROM: from,
  } = settings;
  const kind = name && smsProviders[name];
  if (!kind || !account || !secret || !from) return null;
  const credentials: ProviderConfig =
    name === 'smsone'
      ? { account_sid: account, auth_token: secret }
      : { api_key: account, api_secret: secret, signature_secret: null };
  const isNumber = from.startsWith('+');
  return {
    kind,
    config: withUrls(name, credentials, settings, callbackUrl),
    fromNumber: isNumber ? from : null,
    fromSenderId: isNumber ? null : from,
  };
}

/**
 * Throws when the key that sealed a credential is no longer configured. Returns null when the kind is managed and the operator
 * has no provider, and for a kind that this release does not know.
 */
export function openProvider(
  { keyring, config: settings }: { keyring: Keyring; config: Config },
  environmentId: string,
  stored: StoredSmsProvider,
  callbackUrl: string | null,
): SmsProvider | null {
  if (stored.kind === 'managed') return managedProvider(settings, callbackUrl);
  const kind = smsKinds[stored.kind];
  if (!kind) return null;
  const opened = openConfig(keyring, environmentId, kind, stored);
  return {
    kind,
    config: withUrls(stored.kind, opened, settings, callbackUrl),
    fromNumber: stored.from_number,
    fromSenderId: stored.from_sender_id,
  };
}

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

/** The operator's provider as an element of a chain: it has no settings. */
const managed: ProviderKind = {
  manifest: { kind: 'managed', channel: 'sms', title: 'Managed', fields: [] },
  create() {
    throw new Error('the kind of a managed provider is in the settings of the operator');
  },
};

export const smsKinds: Readonly<Record<string, ProviderKind>> = { managed, ...smsProviders };
