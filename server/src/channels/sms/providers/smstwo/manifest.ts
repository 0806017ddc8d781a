import type { CompletedConfig, Manifest, ProviderConfig } from '../../../contract.ts';

export const manifest = {
  kind: 'smstwo',
  channel: 'sms',
  title: 'Vonage',
  fields: [
    {
      name: 'api_key',
      type: 'text',
      meaning: 'Identifies the account.',
      required: true,
      secret: true,
      max: 40,
    },
    {
      name: 'api_secret',
      type: 'text',
      meaning: 'The secret of the API key.',
      required: true,
      secret: true,
      max: 200,
    },
    {
      name: 'signature_secret',
      type: 'text',
      meaning: 'If set, receipts must be signed with it.',
      required: false,
      secret: true,
      max: 200,
    },
  ],
} as const satisfies Manifest;

const defaultApiUrl = 'https://rest.nexmo.com';

export interface SmstwoConfig {
  apiKey: string;
  apiSecret: string;
  signatureSecret: string | null;
  apiUrl: string;
  /** The URL for receipts. Null when the account's URL applies. */
  callbackUrl: string | null;
}

export function completeConfig(config: ProviderConfig): CompletedConfig {
  for (const field of ['api_key', 'api_secret', 'signature_secret']) {
    const value = config[field];
    if (typeof value === 'string' && !/^[\x21-\x7e]+$/.test(value))
      return { field, problem: 'must not contain spaces' };
  }
  return { config };
}

/** Expects a complete config. `api_url` and `callback_url` are added by the server, not by the caller. */
export function smstwoConfig(config: ProviderConfig): SmstwoConfig {
  const { api_key, api_secret, signature_secret, api_url, callback_url } = config;
  return {
    apiKey: String(api_key),
    apiSecret: String(api_secret),
    signatureSecret: typeof signature_secret === 'string' ? signature_secret : null,
    apiUrl: typeof api_url === 'string' ? api_url : defaultApiUrl,
    callbackUrl: typeof callback_url === 'string' ? callback_url : null,
  };
}
