import type { CompletedConfig, Manifest, ProviderConfig } from '../../../contract.ts';
import { baseUrlField, baseUrlProblem } from '../../api.ts';

export const manifest = {
  kind: 'mailgun',
  channel: 'email',
  title: 'Mailgun',
  fields: [
    {
      name: 'api_key',
      type: 'text',
      meaning: 'An API key or the sending key of the domain.',
      required: true,
      secret: true,
      min: 1,
      max: 200,
    },
    { name: 'domain', type: 'text', meaning: 'The sending domain.', required: true, min: 1, max: 253 },
    { name: 'region', type: 'text', meaning: 'us (the default) or eu.', required: false, max: 10 },
    {
      name: 'webhook_signing_key',
      type: 'text',
      meaning: 'The HTTP webhook signing key of the account. Required to receive callbacks.',
      required: false,
      callback: true,
      secret: true,
      max: 200,
    },
    { ...baseUrlField, receives: ['api_key'] },
  ],
} as const satisfies Manifest;

export interface MailgunConfig {
  apiKey: string;
  domain: string;
  baseUrl: string;
}

const hosts: Partial<Record<string, string>> = {
  us: 'https://api.mailgun.net',
  eu: 'https://api.eu.mailgun.net',
};

export function completeConfig(config: ProviderConfig): CompletedConfig {
  const problem = baseUrlProblem(config.base_url);
  if (problem) return { field: 'base_url', problem };
  const region = String(config.region ?? 'us').toLowerCase();
  if (!hosts[region]) return { field: 'region', problem: 'must be us or eu' };
  if (!/^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(String(config.domain)))
    return { field: 'domain', problem: 'must be a domain such as mg.example.com' };
  return { config: { ...config, region } };
}

/** Expects a complete config. */
export function mailgunConfig({ api_key, domain, region, base_url }: ProviderConfig): MailgunConfig {
  return {
    apiKey: String(api_key),
    domain: String(domain),
    baseUrl: String(base_url ?? hosts[String(region)] ?? hosts.us),
  };
}
