import type { ProviderConfig } from '../../../../channels/contract.ts';
import { type ProviderKind, smsProviders } from '../../../../channels/registry.ts';
import type { SenderChoice } from '../../../../channels/sms/plan.ts';
import type { Config } from '../../../../config.ts';
import type { Keyring } from '../../../../kernel/crypto.ts';
import { openConfig } from '../provider-config.ts';
import { smsKinds } from './kinds.ts';
import type { StoredSmsProvider } from './store.ts';

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
