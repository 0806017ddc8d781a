import type { CompletedConfig, Manifest, ProviderConfig } from '../../../contract.ts';
import { baseUrlField, baseUrlProblem } from '../../api.ts';

export const manifest = {
  kind: 'ses',
  channel: 'email',
  title: 'Amazon SES',
  fields: [
    { name: 'region', type: 'text', meaning: 'For example eu-west-1.', required: true, min: 1, max: 40 },
    {
      name: 'access_key_id',
      type: 'text',
      meaning: 'Of a user with permission for ses:SendEmail and ses:GetAccount.',
      required: true,
      min: 1,
      max: 128,
    },
    {
      name: 'secret_access_key',
      type: 'text',
      meaning: 'The secret of the access key.',
      required: true,
      secret: true,
      min: 1,
      max: 200,
    },
    {
      name: 'configuration_set',
      type: 'text',
      meaning: 'The set whose event destination publishes to SNS; without it SES reports nothing.',
      required: false,
      callback: true,
      max: 64,
    },
    {
      name: 'sns_topic_arn',
      type: 'text',
      meaning: 'The topic whose callbacks are accepted. Required to receive callbacks.',
      required: false,
      callback: true,
      max: 300,
    },
    baseUrlField,
  ],
} as const satisfies Manifest;

export interface SesConfig {
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  configurationSet: string | null;
  baseUrl: string;
}

export function completeConfig(config: ProviderConfig): CompletedConfig {
  const problem = baseUrlProblem(config.base_url);
  if (problem) return { field: 'base_url', problem };
  const { region, configuration_set: set, sns_topic_arn: topic } = config;
  // The region becomes part of a host name.
  if (!/^[a-z]{2}(-[a-z0-9]+)+$/.test(String(region)))
    return { field: 'region', problem: 'must be a region such as eu-west-1' };
  if (set && !/^[\w-]+$/.test(String(set)))
    return { field: 'configuration_set', problem: 'must have letters, digits, _ and - only' };
  if (topic && !/^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]+(\.fifo)?$/.test(String(topic)))
    return { field: 'sns_topic_arn', problem: 'must be the ARN of an SNS topic' };
  return { config };
}

/** Expects a complete config. */
export function sesConfig(config: ProviderConfig): SesConfig {
  const region = String(config.region);
  const tld = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return {
    region,
    accessKeyId: String(config.access_key_id),
    secretAccessKey: String(config.secret_access_key),
    configurationSet: config.configuration_set ? String(config.configuration_set) : null,
    baseUrl: String(config.base_url ?? `https://email.${region}.${tld}`),
  };
}
