import type { GetEmailSettingsResult } from '@carillon/sdk';
import { email } from '../../strings/connections.ts';

export type SavedProvider = GetEmailSettingsResult['providers'][number];
export type EmailKind = SavedProvider['kind'];

export interface ConfigField {
  name: string;
  label: string;
  hint: string;
  type: 'text' | 'integer' | 'boolean';
  required: boolean;
  secret: boolean;
  /** The secrets that go where this leads: they have to be given again when it changes. */
  receives: string[];
  /** Needed by few: below a fold. */
  isExtra: boolean;
}

type Options = Partial<Pick<ConfigField, 'type' | 'required' | 'secret' | 'receives' | 'isExtra'>> & {
  words?: string;
};

function field(name: string, options: Options = {}): ConfigField {
  const { words = name, ...rest } = options;
  const [label, hint] = email.fields[words] ?? [name, ''];
  return {
    name,
    label,
    hint,
    type: 'text',
    required: false,
    secret: false,
    receives: [],
    isExtra: false,
    ...rest,
  };
}

const needed = { required: true };
const neededSecret = { required: true, secret: true };
const baseUrl = (...receives: string[]) => field('base_url', { receives, isExtra: true });

/** What each kind of provider wants to know, as the manifests of the service have it; the service checks it again. */
export const kindFields: Record<EmailKind, ConfigField[]> = {
  smtp: [
    field('host', { ...needed, receives: ['password'] }),
    field('port', { type: 'integer', receives: ['password'] }),
    field('secure', { type: 'boolean' }),
    field('require_tls', { type: 'boolean' }),
    field('username'),
    field('password', { secret: true }),
  ],
  ses: [
    field('region', needed),
    field('access_key_id', needed),
    field('secret_access_key', neededSecret),
    field('configuration_set', { isExtra: true }),
    field('sns_topic_arn', { isExtra: true }),
    baseUrl(),
  ],
  sendgrid: [
    field('api_key', neededSecret),
    field('webhook_public_key', { isExtra: true }),
    baseUrl('api_key'),
  ],
  postmark: [
    field('server_token', neededSecret),
    field('message_stream'),
    field('webhook_username', { isExtra: true }),
    field('webhook_password', { secret: true, isExtra: true }),
    baseUrl('server_token'),
  ],
  resend: [
    field('api_key', neededSecret),
    field('webhook_secret', { secret: true, isExtra: true }),
    baseUrl('api_key'),
  ],
  mailgun: [
    field('api_key', neededSecret),
    field('domain', needed),
    field('region', { words: 'mailgun_region' }),
    field('webhook_signing_key', { secret: true, isExtra: true }),
    baseUrl('api_key'),
  ],
  sandbox: [],
};
export const emailKinds = Object.keys(kindFields) as EmailKind[];

/** The fields without which a provider's reports are refused. */
export const callbackFields: Partial<Record<EmailKind, string[]>> = {
  ses: ['configuration_set', 'sns_topic_arn'],
  sendgrid: ['webhook_public_key'],
  postmark: ['webhook_username', 'webhook_password'],
  resend: ['webhook_secret'],
  mailgun: ['webhook_signing_key'],
};

export function savedOf(providers: SavedProvider[], id: string | null): SavedProvider | undefined {
  return providers.find((each) => each.id === id);
}
