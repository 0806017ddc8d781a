import type { CompletedConfig, Manifest, ProviderConfig } from '../../../contract.ts';
import { baseUrlField, baseUrlProblem } from '../../api.ts';

export const manifest = {
  kind: 'resend',
  channel: 'email',
  title: 'Resend',
  fields: [
    {
      name: 'api_key',
      type: 'text',
      meaning: 'An API key; sending access is enough.',
      required: true,
      secret: true,
      min: 1,
      max: 500,
    },
    {
      name: 'webhook_secret',
      type: 'text',
      meaning: 'The signing secret of the webhook (whsec_…). Required to receive callbacks.',
      required: false,
      callback: true,
      secret: true,
      max: 200,
    },
    { ...baseUrlField, receives: ['api_key'] },
  ],
} as const satisfies Manifest;

export interface ResendConfig {
  apiKey: string;
  baseUrl: string;
}

export function completeConfig(config: ProviderConfig): CompletedConfig {
  const problem = baseUrlProblem(config.base_url);
  if (problem) return { field: 'base_url', problem };
  if (config.webhook_secret && !/^whsec_[A-Za-z0-9+/=]{16,}$/.test(String(config.webhook_secret)))
    return { field: 'webhook_secret', problem: 'must begin with whsec_' };
  return { config };
}

/** Expects a complete config. */
export function resendConfig({ api_key, base_url }: ProviderConfig): ResendConfig {
  return { apiKey: String(api_key), baseUrl: String(base_url ?? 'https://api.resend.com') };
}
