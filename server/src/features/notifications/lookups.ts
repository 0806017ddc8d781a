import type { Channel } from '../../channels/contract.ts';
import type { ConnectionDirectory, KnownConnection, StoredAddresses } from '../../channels/spec.ts';
import { channelSpecs } from '../../channels/specs.ts';
import type { SendRequest } from './schema.ts';

/** Stored facts that the checks of a request depend on. They are read first, so that the checks stay pure. */
export interface Lookups {
  /** Null when the request names no template, or none with this key exists. */
  template: KnownTemplate | null;
  category: KnownCategory | null;
  /** The stored user of `recipient.external_user_id`; null also when no stored field is needed. */
  user: KnownUser | null;
  /** The endpoint or installation that the recipient names, or the default one. */
  connection: KnownConnection | null;
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

export interface KnownUser extends StoredAddresses {
  name: string | null;
  locale: string | null;
}

/** The sources of the lookups. Each answers from its cache most of the time: every send calls them. */
export interface LookupSources extends ConnectionDirectory {
  findTemplate(environmentId: string, key: string, channel: Channel): Promise<KnownTemplate | null>;
  findCategory(environmentId: string, key: string): Promise<KnownCategory | null>;
  findUser(environmentId: string, externalUserId: string): Promise<KnownUser | null>;
}

const nothingNamed: Lookups = { template: null, category: null, user: null, connection: null };

type Named = Pick<SendRequest, 'channel' | 'template_key' | 'category' | 'recipient' | 'template_data'>;

export async function lookUp(
  sources: LookupSources,
  environmentId: string,
  request: Named,
): Promise<Lookups> {
  const { channel, recipient, template_key: templateKey, category: categoryKey } = request;
  const spec = channelSpecs[channel];
  const userId = recipient.external_user_id;
  if (!templateKey && !categoryKey && !userId && !spec.connection) return nothingNamed;
  const [template, category, user, connection] = await Promise.all([
    templateKey ? sources.findTemplate(environmentId, templateKey, channel) : null,
    categoryKey ? sources.findCategory(environmentId, categoryKey) : null,
    userId && (spec.recipient.needsStoredAddress(recipient) || wantsLocale(request))
      ? sources.findUser(environmentId, userId)
      : null,
    spec.connection?.find(sources, environmentId, recipient) ?? null,
  ]);
  return { template, category, user, connection };
}

function wantsLocale(request: Named): boolean {
  return Boolean(request.template_key) && request.template_data?.locale === undefined;
}
