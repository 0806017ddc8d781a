import type { Channel } from '../../channels/contract.ts';
import type { SendRequest } from './schema.ts';

/** What the checks of a request must know and the request does not say. It is read first, so that the checks stay pure. */
export interface Lookups {
  /** Null: the request names none, or there is none with this key. */
  template: TemplateFact | null;
  category: CategoryFact | null;
  /** What is stored about `recipient.external_user_id`; null also when nothing of it is needed. */
  user: UserFact | null;
  /** The webhook endpoint that `recipient.endpoint` names exists and takes calls. */
  hasWebhookEndpoint: boolean;
}

export interface TemplateFact {
  /** The content is pinned to this version. */
  versionId: string;
  channels: ReadonlySet<Channel>;
}

export interface CategoryFact {
  isCritical: boolean;
  isArchived: boolean;
}

export interface UserFact {
  email: string | null;
  phone: string | null;
  chatone_user_id: string | null;
  name: string | null;
  locale: string | null;
}

/** Who is asked. Each answers from memory most of the time: this is on the way of every send. */
export interface LookupSources {
  findTemplate(environmentId: string, key: string, channel: Channel): Promise<TemplateFact | null>;
  findCategory(environmentId: string, key: string): Promise<CategoryFact | null>;
  findUser(environmentId: string, externalUserId: string): Promise<UserFact | null>;
  hasWebhookEndpoint(environmentId: string, id: string): Promise<boolean>;
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
  const [template, category, user, hasWebhookEndpoint] = await Promise.all([
    templateKey ? sources.findTemplate(environmentId, templateKey, channel) : null,
    categoryKey ? sources.findCategory(environmentId, categoryKey) : null,
    userId && (lacksAddress(request) || wantsLocale(request))
      ? sources.findUser(environmentId, userId)
      : null,
    endpoint ? sources.hasWebhookEndpoint(environmentId, endpoint) : false,
  ]);
  return { template, category, user, hasWebhookEndpoint };
}

/** The user alone is named, and the channel sends to something that is stored about users. */
function lacksAddress({ channel, recipient }: Named): boolean {
  if (channel === 'email' || channel === 'sms') return !recipient.address;
  return channel === 'chatone' && !recipient.chatone_user_id && !recipient.chatone_channel_id;
}

function wantsLocale(request: Named): boolean {
  return Boolean(request.template_key) && request.template_data?.locale === undefined;
}
