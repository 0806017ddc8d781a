import type { CompletedConfig, Manifest, ProviderConfig } from '../../../contract.ts';
import { baseUrlField, baseUrlProblem } from '../../api.ts';

export const manifest = {
  kind: 'postmark',
  channel: 'email',
  title: 'Postmark',
  fields: [
    {
      name: 'server_token',
      type: 'text',
      meaning: 'The API token of the Postmark server.',
      required: true,
      secret: true,
      min: 1,
      max: 200,
    },
    {
      name: 'message_stream',
      type: 'text',
      meaning: 'The stream to send through; outbound by default.',
      required: false,
      max: 100,
    },
    {
      name: 'webhook_username',
      type: 'text',
      meaning:
        'The user name that Postmark sends with callbacks. Required with webhook_password to receive callbacks.',
      required: false,
      callback: true,
      max: 200,
    },
    {
      name: 'webhook_password',
      type: 'text',
      meaning: 'The password that Postmark sends with callbacks.',
      required: false,
      callback: true,
      secret: true,
      min: 8,
      max: 200,
    },
    { ...baseUrlField, receives: ['server_token'] },
  ],
} as const satisfies Manifest;

export interface PostmarkConfig {
  serverToken: string;
  messageStream: string | null;
  baseUrl: string;
}

export function completeConfig(config: ProviderConfig): CompletedConfig {
  const problem = baseUrlProblem(config.base_url);
  if (problem) return { field: 'base_url', problem };
  const { webhook_username: username, webhook_password: password } = config;
  if (username && !password)
    return { field: 'webhook_password', problem: 'is required with webhook_username' };
  if (password && !username)
    return { field: 'webhook_username', problem: 'is required with webhook_password' };
  if (String(username ?? '').includes(':'))
    return { field: 'webhook_username', problem: 'must not contain a colon' };
  return { config };
}

/** Expects a complete config. */
export function postmarkConfig({ server_token, message_stream, base_url }: ProviderConfig): PostmarkConfig {
  return {
    serverToken: String(server_token),
    messageStream: message_stream ? String(message_stream) : null,
    baseUrl: String(base_url ?? 'https://api.postmarkapp.com'),
  };
}
