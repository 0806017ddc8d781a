import type { CompletedConfig, Manifest, ProviderConfig } from '../../../contract.ts';
import { baseUrlField, baseUrlProblem } from '../../api.ts';
import { publicKeyOf } from './callback.ts';

export const manifest = {
  kind: 'sendgrid',
  channel: 'email',
  title: 'SendGrid',
  fields: [
    {
      name: 'api_key',
      type: 'text',
      meaning: 'An API key with the scope mail.send.',
      required: true,
      secret: true,
      min: 1,
      max: 500,
    },
    {
      name: 'webhook_public_key',
      type: 'text',
      meaning: 'The verification key of the signed event webhook. Required to receive callbacks.',
      required: false,
      callback: true,
      max: 1000,
    },
    { ...baseUrlField, receives: ['api_key'] },
  ],
} as const satisfies Manifest;

export interface SendgridConfig {
  apiKey: string;
  baseUrl: string;
}

export function completeConfig(config: ProviderConfig): CompletedConfig {
  const problem = baseUrlProblem(config.base_url);
  if (problem) return { field: 'base_url', problem };
  if (config.webhook_public_key && !publicKeyOf(String(config.webhook_public_key)))
    return { field: 'webhook_public_key', problem: 'must be the base64 text that SendGrid shows' };
  return { config };
}

/** Expects a complete config. */
export function sendgridConfig({ api_key, base_url }: ProviderConfig): SendgridConfig {
  return { apiKey: String(api_key), baseUrl: String(base_url ?? 'https://api.sendgrid.com') };
}
