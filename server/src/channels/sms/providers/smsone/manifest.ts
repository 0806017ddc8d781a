import type { CompletedConfig, Manifest, ProviderConfig } from '../../../contract.ts';

export const manifest = {
  kind: 'smsone',
  channel: 'sms',
  title: 'Twilio',
  fields: [
    {
      name: 'account_sid',
      type: 'text',
      meaning: 'AC and 32 hexadecimal digits.',
      required: true,
      secret: true,
      max: 34,
    },
    {
      name: 'auth_token',
      type: 'text',
      meaning: 'Authenticates calls to the provider and its callbacks.',
      required: true,
      secret: true,
      max: 200,
    },
  ],
} as const satisfies Manifest;

const defaultApiUrl = 'https://api.twilio.com';

export interface SmsoneConfig {
  accountSid: string;
  authToken: string;
  apiUrl: string;
  /** The URL for receipts. Null when none are requested. */
  callbackUrl: string | null;
}

export function completeConfig(config: ProviderConfig): CompletedConfig {
  if (!/^AC[0-9a-fA-F]{32}$/.test(String(config.account_sid)))
    return { field: 'account_sid', problem: 'must be AC followed by 32 hexadecimal digits' };
  if (!/^[\x21-\x7e]+$/.test(String(config.auth_token)))
    return { field: 'auth_token', problem: 'must not contain spaces' };
  return { config };
}

/** Expects a complete config. `api_url` and `callback_url` are added by the server, not by the caller. */
export function smsoneConfig({
  account_sid,
  auth_token,
  api_url,
  callback_url,
}: ProviderConfig): SmsoneConfig {
  return {
    accountSid: String(account_sid),
    authToken: String(auth_token),
    apiUrl: typeof api_url === 'string' ? api_url : defaultApiUrl,
    callbackUrl: typeof callback_url === 'string' ? callback_url : null,
  };
}
