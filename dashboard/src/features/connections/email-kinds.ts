import type { GetEmailSettingsResult } from '@carillon/sdk';
import { common } from '../../strings/common.ts';
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
  /** The secrets that are sent to this address: a new address needs them again. */
  receives: string[];
  /** Callbacks are rejected without this field. */
  callback: boolean;
}

type Options = Partial<Omit<ConfigField, 'name' | 'label' | 'hint'>> & { words?: string };

function field(name: string, options: Options = {}): ConfigField {
  const { words = name, ...rest } = options;
  const [label, hint] = email.fields[words] ?? [common.sentence(name), ''];
  return {
    name,
    label,
    hint,
    type: 'text',
    required: false,
    secret: false,
    receives: [],
    callback: false,
    ...rest,
  };
}

const needed = { required: true };
const neededSecret = { required: true, secret: true };
const callback = { callback: true };
const callbackSecret = { callback: true, secret: true };
const baseUrl = (...receives: string[]) => field('base_url', { receives });

/** The form of each kind of provider. The API lists the kinds but not their settings, so a test compares the manifests. */
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
    field('configuration_set', callback),
    field('sns_topic_arn', callback),
    baseUrl(),
  ],
  sendgrid: [field('api_key', neededSecret), field('webhook_public_key', callback), baseUrl('api_key')],
  postmark: [
    field('server_token', neededSecret),
    field('message_stream'),
    field('webhook_username', callback),
    field('webhook_password', callbackSecret),
    baseUrl('server_token'),
  ],
  resend: [field('api_key', neededSecret), field('webhook_secret', callbackSecret), baseUrl('api_key')],
  mailgun: [
    field('api_key', neededSecret),
    field('domain', needed),
    field('region', { words: 'mailgun_region' }),
    field('webhook_signing_key', callbackSecret),
    baseUrl('api_key'),
  ],
  sandbox: [],
};
export const emailKinds = Object.keys(kindFields) as EmailKind[];

export const kindName = (kind: EmailKind): string => email.kinds[kind] ?? common.sentence(kind);

/** Few people need these fields: they are below a fold. */
export const isAdvanced = ({ name, callback }: ConfigField): boolean => callback || name === 'base_url';

export function savedOf(providers: SavedProvider[], id: string | null): SavedProvider | undefined {
  return providers.find((each) => each.id === id);
}
