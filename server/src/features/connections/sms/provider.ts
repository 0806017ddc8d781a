import type { ProviderConfig } from '../../../channels/contract.ts';
import { type ProviderKind, smsProviders } from '../../../channels/registry.ts';
import type { Config } from '../../../config.ts';
import type { Keyring } from '../../../kernel/crypto.ts';
import { openConfig } from '../provider-config.ts';
import type { SmsSettings } from './store.ts';

/** An SMS provider with everything it needs, from the settings or the operator. */
export interface SmsProvider {
  kind: ProviderKind;
  config: ProviderConfig;
  fromNumber: string | null;
  fromSenderId: string | null;
}

type Name = keyof typeof smsProviders;

/** Adds the URLs that settings do not hold: the API of the provider, and our callback. */
export function withUrls(
  name: Name,
  config: ProviderConfig,
  settings: Config,
  callbackUrl: string | null,
): ProviderConfig {
  const apiUrl = name === 'smsone' ? settings.CARILLON_SMSONE_API_URL : settings.CARILLON_SMSTWO_API_URL;
  return { ...config, api_url: apiUrl, callback_url: callbackUrl };
}

/** The operator's own provider; null when there is none. */
export function managedProvider(settings: Config, callbackUrl: string | null): SmsProvider | null {
  const {
    CARILLON_MANAGED_SMS_KIND: name,
    CARILLON_MANAGED_SMS_ACCOUNT: account,
    CARILLON_MANAGED_SMS_SECRET: secret,
    CARILLON_MANAGED_SMS_FROM: from,
  } = settings;
  if (!name || !account || !secret || !from) return null;
  const credentials: ProviderConfig =
    name === 'smsone'
      ? { account_sid: account, auth_token: secret }
      : { api_key: account, api_secret: secret, signature_secret: null };
  const isNumber = from.startsWith('+');
  return {
    kind: smsProviders[name],
    config: withUrls(name, credentials, settings, callbackUrl),
    fromNumber: isNumber ? from : null,
    fromSenderId: isNumber ? null : from,
  };
}

/**
 * Throws when the key that sealed a credential is no longer configured. Returns null when the kind is managed and the operator
 * has no provider.
 */
export function openProvider(
  keyring: Keyring,
  settings: Config,
  stored: SmsSettings,
  callbackUrl: string | null,
): SmsProvider | null {
  if (stored.kind === 'managed') return managedProvider(settings, callbackUrl);
  const kind = smsProviders[stored.kind];
  const opened = openConfig(keyring, stored.environment_id, kind, stored);
  return {
    kind,
    config: withUrls(stored.kind, opened, settings, callbackUrl),
    fromNumber: stored.from_number,
    fromSenderId: stored.from_sender_id,
  };
}
