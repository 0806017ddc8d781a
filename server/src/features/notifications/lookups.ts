import type { Channel } from '../../channels/contract.ts';
import type { SendRequest } from './schema.ts';

/** Stored facts that the checks of a request depend on. They are read first, so that the checks stay pure. */
export interface Lookups {
  /** Null when the request names no template, or none with this key exists. */
  template: KnownTemplate | null;
  category: KnownCategory | null;
  /** The stored user of `recipient.external_user_id`; null also when no stored field is needed. */
  user: KnownUser | null;
  /** Whether the webhook endpoint that `recipient.endpoint` names exists and is enabled. */
  hasWebhookEndpoint: boolean;
  /** The chat endpoint or installation that the recipient names, or the default one. */
  connection: KnownConnection | null;
}

/** The connection that a chat notification is sent through. */
export interface KnownConnection {
  id: string;
  /** The key of an endpoint; null for installations. */
  key: string | null;
}

export interface KnownTemplate {
  /** The content is pinned to this version. */
  versionId: string;
  channels: ReadonlySet<Channel>;
}

export interface KnownCategory {
  isCritical: boolean;
  isArchived: boolean;
}

export interface KnownUser {
  email: string | null;
  phone: string | null;
  chatone_user_id: string | null;
  name: string | null;
  locale: string | null;
}

/** The sources of the lookups. Each answers from its cache most of the time: every send calls them. */
export interface LookupSources {
  findTemplate(environmentId: string, key: string, channel: Channel): Promise<KnownTemplate | null>;
  findCategory(environmentId: string, key: string): Promise<KnownCategory | null>;
  findUser(environmentId: string, externalUserId: string): Promise<KnownUser | null>;
  hasWebhookEndpoint(environmentId: string, id: string): Promise<boolean>;
  /** Finds the endpoint by its key or its id. */
  findChatEndpoint(
    environmentId: string,
    channel: 'chattwo' | 'chatthree',
    name: string,
  ): Promise<KnownConnection | null>;
  /** Finds the installation by its id or the id of its team; a null name means the newest. */
  findInstallation(environmentId: string, name: string | null): Promise<KnownConnection | null>;
}

type Named = Pick<SendRequest, 'channel' | 'template_key' | 'category' | 'recipient' | 'template_data'>;

export async function lookUp(
  sources: LookupSources,
  environmentId: string,
  request: Named,
): Promise<Lookups> {
  const { channel, template_key: templateKey, category: categoryKey } = request;
  const userId = request.recipient.external_user_id;
  const endpoint = channel === 'webhook' ? request.recipient.endpoint : null;
  const [template, category, user, hasWebhookEndpoint, connection] = await Promise.all([
    templateKey ? sources.findTemplate(environmentId, templateKey, channel) : null,
    categoryKey ? sources.findCategory(environmentId, categoryKey) : null,
    userId && (lacksAddress(request) || wantsLocale(request))
      ? sources.findUser(environmentId, userId)
      : null,
    endpoint ? sources.hasWebhookEndpoint(environmentId, endpoint) : false,
    findConnection(sources, environmentId, request),
  ]);
  return { template, category, user, hasWebhookEndpoint, connection };
}

function findConnection(
  sources: LookupSources,
  environmentId: string,
  { channel, recipient }: Named,
): Promise<KnownConnection | null> | null {
  switch (channel) {
    case 'chatone':
      return sources.findInstallation(environmentId, recipient.endpoint || null);
    case 'chattwo':
    case 'chatthree': {
      const named = chatEndpointOf(channel, recipient);
      return named ? sources.findChatEndpoint(environmentId, channel, named.name) : null;
    }
    default:
      return null;
  }
}

export type RecipientField = keyof SendRequest['recipient'];

/** The field that names the endpoint, and its key or id. `endpoint` is preferred over the older fields. */
export function chatEndpointOf(
  channel: 'chattwo' | 'chatthree',
  recipient: SendRequest['recipient'],
): { field: RecipientField; name: string } | null {
  const fields = ['endpoint', `${channel}_endpoint_id`, 'address'] as const;
  for (const field of fields) {
    const name = recipient[field];
    if (name) return { field, name };
  }
  return null;
}

/** True when only the user is named, and the channel sends to an address that is stored with users. */
function lacksAddress({ channel, recipient }: Named): boolean {
  if (recipient.address) return false;
  if (channel === 'email' || channel === 'sms') return true;
  return channel === 'chatone' && !recipient.chatone_user_id && !recipient.chatone_channel_id;
}

function wantsLocale(request: Named): boolean {
  return Boolean(request.template_key) && request.template_data?.locale === undefined;
}
